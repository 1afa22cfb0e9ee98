import { Context } from "./context.js";
import { Handle, lendNumbers } from "./handle.js";
import { askMany, readAnswer } from "./answers.js";
import { bodyPointer } from "./body.js";
import { sceneSettings, scenePointer } from "./scene.js";

/** Measures how much closed bodies overlap, by layered depth images. */
export class Volume extends Handle {
    /** @param {import("./context.js").Context} context */
    constructor(context) {
        const module = Context.moduleOf(context);
        super(module, "pliant_volume_destroy",
              module.session(() => module.create("pliant_volume_create", context.pointer, 0)));
        this.context = context;
    }

    /** The common volume of two bodies. */
    intersect(a, b, options) {
        return this.#measure("pliant_volume_intersect", [a, b], options);
    }

    /** How much a body overlaps itself. */
    intersectSelf(body, options) {
        return this.#measure("pliant_volume_intersect_self", [body], options);
    }

    /** The volume of a body. */
    measure(body, options) {
        return this.#measure("pliant_volume_measure_body", [body], options);
    }

    /** Which of the points lie inside a body: winding number and depth of each, and how they were
        looked at. */
    locatePoints(body, points, options) {
        const { module } = this;
        return module.session(() => {
            const [lent, count] = lendNumbers(module, points, Float32Array, "points", 3);
            const answers = module.room(module.structs.size("pliant_volume_point"), count);
            const sampling = module.room(module.structs.size("pliant_volume_sampling"));
            module.call("pliant_volume_locate_points", this.pointer, bodyPointer(body, module, "body"),
                        lent, BigInt(count), 0,
                        module.settings("pliant_volume_options", options), answers, sampling);
            return { ...module.structs.readArray("pliant_volume_point", answers, count),
                     sampling: module.structs.read("pliant_volume_sampling", sampling) };
        });
    }

    /** The common volumes of all pairs of bodies of a scene. */
    intersectScene(scene, sceneOptions, options) {
        const { module } = this;
        return module.session(() => {
            const at = module.room(module.structs.size("pliant_scene_volumes"));
            module.call("pliant_volume_intersect_scene", this.pointer, scenePointer(scene, module),
                        sceneSettings(module, sceneOptions), module.settings("pliant_volume_options", options),
                        at);
            return readAnswer(module, "pliant_scene_volumes", at).pairs;
        }, { filterBodies: sceneOptions?.filter });
    }

    /** What the latest call cost. */
    get stats() {
        const { module } = this;
        return module.structs.read("pliant_volume_stats", module.exports.pliant_volume_get_stats(this.pointer));
    }

    get bytes() {
        return Number(this.module.exports.pliant_volume_get_memory(this.pointer));
    }

    #measure(name, bodies, options) {
        const { module } = this;
        return module.session(() => {
            const pointers = bodies.map((body, i) => bodyPointer(body, module, "ab"[i]));
            const at = module.room(module.structs.size("pliant_volume_measure"));
            module.call(name, this.pointer, ...pointers, module.settings("pliant_volume_options", options), at);
            return readMeasure(module, at);
        });
    }
}

/** A measured volume with the pieces of rays and what vertices do to it, where these were asked for. */
function readMeasure(module, at) {
    const { structs } = module;
    const fields = structs.layout.get("pliant_volume_measure").fields;
    const measure = readAnswer(module, "pliant_volume_measure", at);
    measure.spans = structs.readArray("pliant_volume_span", structs.get("pliant_volume_measure", at, "spans"),
                                      measure.spanCount);
    const lists = module.copyOut(Uint32Array, at + fields.get("vertices").offset, 2);
    measure.vertices = Array.from(lists, (list, i) =>
        structs.readArray("pliant_volume_vertex", list, measure.vertexCount[i]));
    return measure;
}
