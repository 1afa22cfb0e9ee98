import { Context } from "./context.js";
import { Handle, lendExactly, lendNumbers, pointerOf } from "./handle.js";
import { ask, askMany, readAnswer } from "./answers.js";
import { Body, bodyPointer, readState, writeState } from "./body.js";
import { lendRays } from "./query.js";
import { checkFunction } from "./structs.js";

/** Settings of a scene's question. @internal */
export function sceneSettings(module, options) {
    const name = "pliant_scene_options";
    return module.settings(name, options, {
        filter(filter, at) {
            checkFunction(filter, "filter");
            module.structs.set(name, at, "filter", module.exports.pliant_js_get_filter());
        },
    });
}

/** The pointer of a scene. @internal */
export function scenePointer(scene, module) {
    return pointerOf(scene, Scene, module, "scene");
}

/** Ids as the library has them, two numbers each, until the call's end. */
function lendIds(module, ids, label) {
    const numbers = ids.flatMap((id) => [id?.index, id?.generation]);
    return lendNumbers(module, numbers, Uint32Array, label, 2);
}

function lendId(module, id) {
    return lendIds(module, [id], "id")[0];
}

/**
 * Many bodies. Bodies go by ids, an index and a generation; in answers these are pairs of numbers,
 * and `scene.bodyAt(index)` is the body.
 */
export class Scene extends Handle {
    #members = new Map(); // bodies by index, so that they live as long as they are in the scene

    /**
     * @param {import("./context.js").Context} context
     * @param {import("../index.js").SceneDef} [def]
     */
    constructor(context, def) {
        const module = Context.moduleOf(context);
        super(module, "pliant_scene_destroy", module.session(() =>
            module.create("pliant_scene_create", context.pointer, module.settings("pliant_scene_def", def))));
        this.context = context;
    }

    /** Puts a body into the scene, and gives its id. */
    add(body, member) {
        const { module } = this;
        return module.session(() => {
            const at = module.room(8);
            module.call("pliant_scene_add", this.pointer, bodyPointer(body, module, "body"),
                        this.#member(member), at);
            const [index, generation] = module.copyOut(Uint32Array, at, 2);
            this.#members.set(index, body);
            return { index, generation };
        });
    }

    /** Takes a body out. */
    remove(id) {
        const { module } = this;
        module.session(() => module.call("pliant_scene_remove", this.pointer, lendId(module, id)));
        this.#members.delete(id.index);
    }

    /** Changes how a body takes part. */
    setMember(id, member) {
        const { module } = this;
        module.session(() => module.call("pliant_scene_set_member", this.pointer, lendId(module, id),
                                         this.#member(member)));
    }

    #member(member) {
        const { module } = this;
        const name = "pliant_member_def";
        return module.settings(name, member, {
            looseBox(box, at) {
                module.structs.set(name, at, "looseBox", box);
                module.structs.set(name, at, "hasLooseBox", true);
            },
        });
    }

    /** The body of an index that is in the scene, or undefined. */
    bodyAt(index) {
        const body = this.#members.get(index);
        return body === undefined || body.isDisposed ? undefined : body;
    }

    /** The id of a body, or undefined. */
    idOf(body) {
        const { module } = this;
        return module.session(() => {
            const at = module.room(8);
            if (!module.exports.pliant_scene_find_id(this.pointer, bodyPointer(body, module, "body"), at)) {
                return undefined;
            }
            const [index, generation] = module.copyOut(Uint32Array, at, 2);
            return { index, generation };
        });
    }

    /** The boxes of bodies, by their ids, as the scene has them: lower x, y, z, then upper, of each. */
    boxes(ids) {
        const { module } = this;
        return module.session(() => {
            const [list, count] = lendIds(module, [...ids], "ids");
            const at = module.room(24, count);
            module.call("pliant_scene_get_boxes", this.pointer, list, count, at);
            return module.copyOut(Float32Array, at, 6 * count);
        });
    }

    get bodyCount() {
        return this.module.exports.pliant_scene_get_body_count(this.pointer);
    }

    /** Ids and bodies, ascending by index. */
    *[Symbol.iterator]() {
        let id = { index: 0, generation: 0 };
        for (;;) {
            id = this.#next(id);
            if (id === undefined) {
                return;
            }
            yield { id, body: this.bodyAt(id.index) };
        }
    }

    #next(id) {
        const { module } = this;
        return module.session(() => {
            const at = lendId(module, id);
            if (!module.exports.pliant_scene_find_next(this.pointer, at)) {
                return undefined;
            }
            const [index, generation] = module.copyOut(Uint32Array, at, 2);
            return { index, generation };
        });
    }

    /** Sets the states of several bodies, all or nothing: a list of {body, state}. */
    setStates(states) {
        const { module } = this;
        module.session(() => {
            const { structs } = module;
            const size = structs.size("pliant_scene_state");
            const list = Array.from(states, (entry) => ({
                body: entry?.body, state: readState(module, entry?.state),
            }));
            const at = module.room(size, list.length);
            const offset = structs.layout.get("pliant_scene_state").fields.get("state").offset;
            const hasPositions = list.map(({ body, state }, i) => {
                const id = body instanceof Body ? this.idOf(body) : undefined;
                if (id === undefined) {
                    throw new TypeError(`states[${i}].body is not in this scene`);
                }
                structs.set("pliant_scene_state", at + i * size, "body", [id.index, id.generation]);
                return writeState(module, body, state, at + i * size + offset);
            });
            module.call("pliant_scene_set_states", this.pointer, at, list.length);
            list.forEach(({ body }, i) => body.tookState(hasPositions[i]));
        });
    }

    /** Which triangles of which bodies touch. */
    collide(options) {
        return this.#ask("pliant_scene_collide", "pliant_scene_contacts", options);
    }

    /** What began, goes on and ended between the latest two calls that asked for events. */
    get events() {
        const { module } = this;
        return module.session(() => {
            const count = module.room(4);
            const at = module.exports.pliant_scene_get_events(this.pointer, count);
            return module.structs.readArray("pliant_scene_event", at, module.view.getUint32(count, true));
        });
    }

    collideProxies(options) {
        return this.#ask("pliant_scene_collide_proxies", "pliant_scene_proxy_contacts", options);
    }

    findWithin(distance, options) {
        return this.#ask("pliant_scene_find_within", "pliant_scene_proximities", options, distance);
    }

    findFeatures(distance, options) {
        const { module } = this;
        return this.#run(options, (settings) => {
            const at = module.room(module.structs.size("pliant_scene_features"));
            module.call("pliant_scene_find_features", this.pointer, distance, settings, at);
            const answer = readAnswer(module, "pliant_scene_features", at);
            const inner = module.structs.layout.get("pliant_scene_features").fields.get("crossings").offset;
            answer.crossings = readAnswer(module, "pliant_scene_contacts", at + inner);
            return answer;
        });
    }

    /** All bodies begin a step. */
    beginStep() {
        this.module.call("pliant_scene_begin_step", this.pointer);
        for (const { body } of this) {
            body?.stepBegan();
        }
    }

    findMeetings(options) {
        return this.#ask("pliant_scene_find_meetings", "pliant_scene_meetings", options);
    }

    findFreeTime(options) {
        return this.#ask("pliant_scene_find_free_time", "pliant_scene_free_time", options);
    }

    /** Advances all bodies along their steps as far as nothing meets. */
    advance(options) {
        return this.#ask("pliant_scene_advance_bodies", "pliant_scene_advance", options);
    }

    /** The first triangle along each ray of 7 numbers; a body of generation 0 is nobody. */
    raycast(rays, select) {
        return this.#select(select, (settings) => {
            const [lent, count] = lendRays(this.module, rays);
            return askMany(this.module, "pliant_scene_raycast", "pliant_scene_ray_hit", count, this.pointer,
                           lent, BigInt(count), settings);
        });
    }

    /** Whether each ray meets any body: 1 or 0. */
    raycastAny(rays, select) {
        const { module } = this;
        return this.#select(select, (settings) => {
            const [lent, count] = lendRays(module, rays);
            const at = module.room(1, count);
            module.call("pliant_scene_raycast_any", this.pointer, lent, BigInt(count), settings, at);
            return module.copyOut(Uint8Array, at, count);
        });
    }

    /** Every triangle along each ray. */
    raycastAll(rays, select) {
        const { module } = this;
        return this.#select(select, (settings) => {
            const name = "pliant_scene_ray_hits";
            const [lent, count] = lendRays(module, rays);
            const at = module.room(module.structs.size(name));
            module.call("pliant_scene_raycast_all", this.pointer, lent, BigInt(count), settings, at);
            const answer = readAnswer(module, name, at);
            answer.starts = module.structs.readNumbers("u64", module.structs.get(name, at, "starts"), count + 1);
            return answer;
        });
    }

    findClosestPoints(points, maxDistance = Infinity, select = undefined) {
        const { module } = this;
        return this.#select(select, (settings) => {
            const [lent, count] = lendNumbers(module, points, Float32Array, "points", 3);
            return askMany(module, "pliant_scene_find_closest_points", "pliant_scene_closest", count,
                           this.pointer, lent, BigInt(count), 0, maxDistance, settings);
        });
    }

    measureDistances(points, options, select) {
        const { module } = this;
        return this.#select(select, (settings) => {
            const [lent, count] = lendNumbers(module, points, Float32Array, "points", 3);
            return askMany(module, "pliant_scene_measure_distances", "pliant_scene_signed_distance", count,
                           this.pointer, lent, BigInt(count), 0,
                           module.settings("pliant_distance_options", options), settings);
        });
    }

    /** The triangles of all bodies that share a point with a box. */
    overlapBox(box, select) {
        const { module } = this;
        return this.#select(select, (settings) => {
            return ask(module, "pliant_scene_overlap_box", "pliant_scene_triangles", this.pointer,
                       lendExactly(module, box, Float32Array, "box", 6), settings);
        });
    }

    /** Writes everything that the scene is asked from now on to `write`, as bytes. */
    record(write, options) {
        const { module } = this;
        const name = "pliant_recording_options";
        checkFunction(write, "write");
        this.#recorder = write;
        this.#run(undefined, () => module.call("pliant_scene_record", this.pointer,
            module.settings(name, { ...options, write }, {
                write: (unused, at) => module.structs.set(name, at, "write",
                                                          module.exports.pliant_js_get_recording_callback()),
            })));
    }

    stopRecording() {
        this.#run(undefined, () => this.module.call("pliant_scene_stop_recording", this.pointer));
        this.#recorder = undefined;
    }

    get isRecording() {
        return this.module.exports.pliant_scene_is_recording(this.pointer) !== 0;
    }

    /** What the latest question cost. */
    get stats() {
        const { module } = this;
        return module.structs.read("pliant_scene_stats", module.exports.pliant_scene_get_stats(this.pointer));
    }

    #recorder;

    #run(options, work) {
        const { module } = this;
        return module.session(() => work(sceneSettings(module, options)),
                              { filterBodies: options?.filter, record: this.#record });
    }

    #record = (bytes) => this.#recorder?.(bytes) !== false;

    #ask(name, answer, options, ...numbers) {
        return this.#run(options, (settings) =>
            ask(this.module, name, answer, this.pointer, ...numbers, settings));
    }

    /** Asks about the bodies that `select` names: category, mask, filter; undefined for all. */
    #select(select, work) {
        const { module } = this;
        const name = "pliant_scene_select";
        return module.session(() => work(select === undefined ? 0 : module.settings(name, select, {
            filter(filter, at) {
                checkFunction(filter, "filter");
                module.structs.set(name, at, "filter", module.exports.pliant_js_get_body_filter());
            },
        })), { filterBody: select?.filter, record: this.#record });
    }
}
