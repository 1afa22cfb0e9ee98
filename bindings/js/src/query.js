import { Context } from "./context.js";
import { Handle, lendExactly, lendNumbers } from "./handle.js";
import { ask, askMany, readAnswer } from "./answers.js";
import { bodyPointer } from "./body.js";
import { checkFunction } from "./structs.js";

/** Rays as the library has them: origin, direction and greatest parameter of each, 7 numbers. */
export function lendRays(module, rays) {
    return lendNumbers(module, rays, Float32Array, "rays", 7);
}

/** Asks questions about one body or two. Use one per worker of the page. */
export class Query extends Handle {
    /** @param {import("./context.js").Context} context */
    constructor(context) {
        const module = Context.moduleOf(context);
        super(module, "pliant_query_destroy",
              module.session(() => module.create("pliant_query_create", context.pointer)));
        this.context = context;
    }

    /** Which triangles of two bodies touch, exactly. */
    collide(a, b, options) {
        return this.#askPair("pliant_collide", "pliant_contacts", "pliant_collide_options", a, b, options);
    }

    /** Which triangles of one body touch each other. */
    collideSelf(body, options) {
        return this.#askOne("pliant_collide_self", "pliant_contacts", "pliant_collide_options", body, options);
    }

    /** Which triangles of two bodies are within a distance of each other, with their closest points. */
    findWithin(a, b, distance, options) {
        return this.#askPair("pliant_find_within", "pliant_proximities", "pliant_within_options", a, b,
                             options, distance);
    }

    findWithinSelf(body, distance, options) {
        return this.#askOne("pliant_find_within_self", "pliant_proximities", "pliant_within_options", body,
                            options, distance);
    }

    /** Which vertices and faces and which edges of two bodies are within a distance. */
    findFeatures(a, b, distance, options) {
        return this.#askPair("pliant_find_features", "pliant_features", "pliant_feature_options", a, b,
                             options, distance);
    }

    findFeaturesSelf(body, distance, options) {
        return this.#askOne("pliant_find_features_self", "pliant_features", "pliant_feature_options", body,
                            options, distance);
    }

    /** Which triangles meet while the bodies move along their steps, and when. */
    findMeetings(a, b, options) {
        return this.#askPair("pliant_find_meetings", "pliant_meetings", "pliant_meeting_options", a, b, options);
    }

    findMeetingsSelf(body, options) {
        return this.#askOne("pliant_find_meetings_self", "pliant_meetings", "pliant_meeting_options", body,
                            options);
    }

    /** How far two bodies may move on their way before anything of them meets. */
    findFreeTime(a, b, options) {
        return this.#askPair("pliant_find_free_time", "pliant_free_time", "pliant_meeting_options", a, b,
                             options);
    }

    findFreeTimeSelf(body, options) {
        return this.#askOne("pliant_find_free_time_self", "pliant_free_time", "pliant_meeting_options", body,
                            options);
    }

    /** Advances bodies along their steps as far as nothing of them meets. */
    advance(bodies, options) {
        const { module } = this;
        return module.session(() => {
            const list = [...bodies].map((body, i) => bodyPointer(body, module, `bodies[${i}]`));
            const settings = module.settings("pliant_advance_options", options, {
                groups(sets, at) {
                    const size = module.structs.size("pliant_groups");
                    const array = module.room(size, list.length);
                    const given = Array.from(sets);
                    if (given.length !== list.length) {
                        throw new RangeError(`groups has ${given.length} sets for ${list.length} bodies`);
                    }
                    given.forEach((set, i) => module.structs.setGroups(array + i * size, `groups[${i}]`, set));
                    module.structs.set("pliant_advance_options", at, "groups", array);
                },
            });
            return ask(module, "pliant_advance_bodies", "pliant_advance", this.pointer,
                       module.lend(Uint32Array.from(list)), list.length, settings);
        });
    }

    /** Which proxies of two bodies meet. */
    collideProxies(a, b, options) {
        return this.#askPair("pliant_collide_proxies", "pliant_proxy_contacts", "pliant_proxy_options", a, b,
                             options);
    }

    /** The first triangle along each ray; a ray is 7 numbers: origin, direction, greatest parameter. */
    raycast(body, rays) {
        const { module } = this;
        return module.session(() => {
            const [lent, count] = lendRays(module, rays);
            return askMany(module, "pliant_raycast_many", "pliant_ray_hit", count, this.pointer,
                           bodyPointer(body, module, "body"), lent, BigInt(count));
        });
    }

    /** Every triangle along each ray: those of ray i are hits starts[i] up to starts[i + 1]. */
    raycastAll(body, rays) {
        const { module } = this;
        return module.session(() => {
            const [lent, count] = lendRays(module, rays);
            const at = module.room(module.structs.size("pliant_ray_hits"));
            module.call("pliant_raycast_all", this.pointer, bodyPointer(body, module, "body"), lent,
                        BigInt(count), at);
            const answer = readAnswer(module, "pliant_ray_hits", at);
            answer.starts = module.structs.readNumbers("u64", module.structs.get("pliant_ray_hits", at, "starts"),
                                                       count + 1);
            return answer;
        });
    }

    /** The point of the body's surface closest to each of the points, x, y, z each. */
    findClosestPoints(body, points, maxDistance = Infinity) {
        const { module } = this;
        return module.session(() => {
            const [lent, count] = lendNumbers(module, points, Float32Array, "points", 3);
            return askMany(module, "pliant_find_closest_points", "pliant_closest", count, this.pointer,
                           bodyPointer(body, module, "body"), lent, BigInt(count), 0,
                           maxDistance);
        });
    }

    /** The signed distance of each of the points to the body. */
    measureDistances(body, points, options) {
        const { module } = this;
        return module.session(() => {
            const [lent, count] = lendNumbers(module, points, Float32Array, "points", 3);
            return askMany(module, "pliant_measure_distances", "pliant_signed_distance", count, this.pointer,
                           bodyPointer(body, module, "body"), lent, BigInt(count), 0,
                           module.settings("pliant_distance_options", options));
        });
    }

    /** The triangles that share a point with a box: lower x, y, z, then upper. */
    overlapBox(body, box) {
        const { module } = this;
        return module.session(() => {
            const lent = lendExactly(module, box, Float32Array, "box", 6);
            const at = module.room(16);
            module.call("pliant_overlap_box", this.pointer, bodyPointer(body, module, "body"), lent, at, at + 8);
            return module.copyOut(Uint32Array, module.view.getUint32(at, true),
                                  Number(module.view.getBigUint64(at + 8, true)));
        });
    }

    /**
     * Shows the bounds of a body from the root down to `visit`, which returns true to see what lies
     * below; with `refresh` all that it asks for are refreshed.
     */
    visitBounds(body, visit, refresh = false) {
        const { module } = this;
        checkFunction(visit, "visit");
        module.session(() => module.call("pliant_visit_bounds", this.pointer,
                                         bodyPointer(body, module, "body"), refresh,
                                         module.exports.pliant_js_get_bound_callback(), 0),
                       { visitBound: visit });
    }

    /** What the latest call cost. */
    get stats() {
        return this.module.structs.read("pliant_stats", this.module.exports.pliant_query_get_stats(this.pointer));
    }

    #askPair(name, answer, settings, a, b, options, ...numbers) {
        const { module } = this;
        return module.session(() => ask(module, name, answer, this.pointer, bodyPointer(a, module, "a"),
                                        bodyPointer(b, module, "b"), ...numbers,
                                        module.settings(settings, options)));
    }

    #askOne(name, answer, settings, body, options, ...numbers) {
        const { module } = this;
        return module.session(() => ask(module, name, answer, this.pointer, bodyPointer(body, module, "body"),
                                        ...numbers, module.settings(settings, options)));
    }
}
