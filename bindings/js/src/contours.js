import { Context } from "./context.js";
import { Handle } from "./handle.js";
import { readAnswer } from "./answers.js";
import { bodyPointer } from "./body.js";

/** Finds the curves along which surfaces cross, and the regions that these cut them into. */
export class Contours extends Handle {
    /** @param {import("./context.js").Context} context */
    constructor(context) {
        const module = Context.moduleOf(context);
        super(module, "pliant_contours_destroy",
              module.session(() => module.create("pliant_contours_create", context.pointer)));
        this.context = context;
    }

    find(a, b, options) {
        return this.#find("pliant_contours_find", [a, b], options);
    }

    findSelf(body, options) {
        return this.#find("pliant_contours_find_self", [body], options);
    }

    #find(name, bodies, options) {
        const { module } = this;
        return module.session(() => {
            const pointers = bodies.map((body, i) => bodyPointer(body, module, "ab"[i]));
            const at = module.room(module.structs.size("pliant_contour_set"));
            module.call(name, this.pointer, ...pointers, module.settings("pliant_contour_options", options), at);
            return readSet(module, at, bodies);
        });
    }

    /** What the latest call cost. */
    get stats() {
        const { module } = this;
        return module.structs.read("pliant_contour_stats",
                                   module.exports.pliant_contours_get_stats(this.pointer));
    }
}

/** The set, with its arrays per body: null for what was not asked for. */
function readSet(module, at, bodies) {
    const set = readAnswer(module, "pliant_contour_set", at);
    const pointers = (label) => {
        const field = module.structs.layout.get("pliant_contour_set").fields.get(label);
        return module.copyOut(Uint32Array, at + field.offset, field.count);
    };
    const perBody = (label, kind, counts) => Array.from(bodies, (body, i) => {
        const from = pointers(label)[i];
        return from === 0 ? null : module.structs.readNumbers(kind, from, counts(body));
    });
    set.vertexRegions = perBody("vertexRegions", "u32", ({ vertexCount }) => vertexCount);
    set.triangleRegions = perBody("triangleRegions", "u32", ({ triangleCount }) => triangleCount);
    set.gradients = perBody("gradients", "f32", ({ vertexCount }) => 3 * vertexCount);
    set.corners = module.copyOut(Float32Array, pointers("corners")[0], 3 * set.cornerCount);
    return set;
}
