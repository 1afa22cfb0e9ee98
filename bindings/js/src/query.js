// Objects that find something about bodies. Their other methods are those of the table of calls.
import { addCalls } from "./calls.js";
import { bodyPointer } from "./body.js";
import { Context } from "./context.js";
import { Handle, moduleOf } from "./handle.js";
import { checkFunction } from "./structs.js";

/** An object that a context makes from nothing else. */
class Finder extends Handle {
    #name;

    constructor(context, name, ...definition) {
        const module = moduleOf(context, Context, "context");
        super(module, `pliant_${name}_destroy`, module.session(() =>
            module.create(`pliant_${name}_create`, context.pointer, ...definition)));
        this.context = context;
        this.#name = name;
    }

    /** The cost of the latest call. */
    get stats() {
        const struct = { query: "pliant_stats", contours: "pliant_contour_stats", volume: "pliant_volume_stats" }[this.#name];
        return this.module.structs.read(struct, this.module.exports[`pliant_${this.#name}_get_stats`](this.pointer));
    }
}

/** Finds contacts, distances and hits of one body or two. Use one per worker of the page. */
export class Query extends Finder {
    /** @param {import("./context.js").Context} context */
    constructor(context) {
        super(context, "query");
    }

    /**
     * Shows the bounds of a body from the root down to `visit`, which returns true to see the bounds below; with
     * `refresh` all that it descends to are refreshed.
     */
    visitBounds(body, visit, refresh = false) {
        const { module } = this;
        checkFunction(visit, "visit");
        module.session(() => module.call("pliant_visit_bounds", this.pointer, bodyPointer(body, module, "body"), refresh,
                                         module.exports.pliant_js_get_bound_callback(), 0),
                       { visitBound: visit });
    }
}

/** Finds the curves along which surfaces cross, and the regions that these cut them into. */
export class Contours extends Finder {
    /** @param {import("./context.js").Context} context */
    constructor(context) {
        super(context, "contours");
    }
}

/** Measures how much closed bodies overlap, by layered depth images. */
export class Volume extends Finder {
    /** @param {import("./context.js").Context} context */
    constructor(context) {
        super(context, "volume", 0);
    }

    get bytes() {
        return Number(this.module.exports.pliant_volume_get_memory(this.pointer));
    }
}

addCalls("query", Query);
addCalls("contours", Contours);
addCalls("volume", Volume, { intersectScene: ({ pairs }) => pairs });
