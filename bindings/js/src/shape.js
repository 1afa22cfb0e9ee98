import { Handle, numbersOf, pointerOf } from "./handle.js";

/** All that never changes about a body: mesh, how it deforms, tree. */
export class Shape extends Handle {
    /**
     * @param {import("./context.js").Context} context
     * @param {import("../index.js").ShapeDef | Uint8Array} def what it is made of, or a block that
     * write() gave
     */
    constructor(context, def) {
        const module = context.module;
        super(module, "pliant_shape_destroy", module.session(() => def instanceof Uint8Array
            ? module.create("pliant_shape_read", context.pointer, module.lend(def), BigInt(def.length))
            : module.create("pliant_shape_create", context.pointer, writeDef(module, def))));
        this.context = context;
    }

    get vertexCount() { return this.module.exports.pliant_shape_get_vertex_count(this.pointer); }
    get triangleCount() { return this.module.exports.pliant_shape_get_triangle_count(this.pointer); }
    get modeCount() { return this.module.exports.pliant_shape_get_mode_count(this.pointer); }
    get jointCount() { return this.module.exports.pliant_shape_get_joint_count(this.pointer); }
    get isClosed() { return this.module.exports.pliant_shape_is_closed(this.pointer) !== 0; }
    get bytes() { return Number(this.module.exports.pliant_shape_get_memory(this.pointer)); }

    /** What the mesh and its tree are like. */
    get quality() {
        const { module } = this;
        return module.session(() => {
            const at = module.room(module.structs.size("pliant_shape_quality"));
            module.call("pliant_shape_get_quality", this.pointer, at);
            return module.structs.read("pliant_shape_quality", at);
        });
    }

    /** The three vertices of a triangle. */
    triangle(index) {
        const { module } = this;
        return module.session(() => {
            const at = module.room(12);
            module.call("pliant_shape_get_triangle", this.pointer, index, at);
            return module.copyOut(Uint32Array, at, 3);
        });
    }

    /** The group of a triangle. */
    group(index) {
        const { module } = this;
        return module.session(() => {
            const at = module.room(4);
            module.call("pliant_shape_get_group", this.pointer, index, at);
            return module.view.getUint16(at, true);
        });
    }

    /** The order in which the tree reads vertices. */
    get vertexOrder() {
        const { module } = this;
        return module.session(() => {
            const count = this.vertexCount;
            const at = module.room(4 * count);
            module.call("pliant_shape_get_vertex_order", this.pointer, at);
            return module.copyOut(Uint32Array, at, count);
        });
    }

    /** The proxies of the shape: id and number of leaves of each. */
    get proxies() {
        return this.#list("pliant_shape_get_proxies", [], 2);
    }

    /** The triangles of a proxy, or of one side of a coarse contact. */
    proxyTriangles(proxy) {
        return this.module.session(() =>
            this.#list("pliant_shape_get_proxy_triangles", [this.#lendProxy(proxy)], 1));
    }

    /** The vertex that lies nearest to the middle of a proxy. */
    proxyVertex(proxy) {
        const { module } = this;
        return module.session(() => {
            const at = module.room(4);
            module.call("pliant_shape_get_proxy_vertex", this.pointer, this.#lendProxy(proxy), at);
            return module.view.getUint32(at, true);
        });
    }

    #lendProxy(proxy) {
        return this.module.lend(numbersOf(proxy, Uint32Array, "proxy", 2));
    }

    /** A list whose length the library tells first. */
    #list(name, values, width) {
        const { module } = this;
        return module.session(() => {
            const count = module.room(4);
            module.call(name, this.pointer, ...values, 0, 0, count);
            const length = module.view.getUint32(count, true);
            const at = module.room(4 * width * length);
            module.call(name, this.pointer, ...values, at, length, count);
            return module.copyOut(Uint32Array, at, width * length);
        });
    }

    /** The shape as one block of bytes, for a file or a worker; `new Shape(context, block)` reads it. */
    write() {
        const { module } = this;
        return module.session(() => {
            const size = module.room(8);
            module.call("pliant_shape_write", this.pointer, 0, 0n, size);
            const bytes = module.view.getBigUint64(size, true);
            const at = module.room(Number(bytes));
            module.call("pliant_shape_write", this.pointer, at, bytes, size);
            return module.copyOut(Uint8Array, at, Number(bytes));
        });
    }

    /** Checks every invariant of the shape again. */
    validate() {
        this.module.call("pliant_shape_validate", this.pointer);
    }
}

/** The pointer of a shape. @internal */
export function shapePointer(shape, module) {
    return pointerOf(shape, Shape, module, "shape");
}

const SLOT_TYPES = new Map([[Uint8Array, "uint8"], [Uint16Array, "uint16"], [Uint32Array, "uint32"],
                            [Float32Array, "float32"]]);

/** The struct that a shape is made of; its arrays live until the call's end, since it copies them. */
function writeDef(module, def) {
    if (def === null || typeof def !== "object") {
        throw new TypeError(`a shape is made of positions and triangles, not ${String(def)}`);
    }
    const name = "pliant_shape_def";
    const set = (at, label, value) => module.structs.set(name, at, label, value);
    const array = (label, Kind, multiple) => (values, at) =>
        set(at, label, module.lend(numbersOf(values, Kind, label, multiple)));
    const slots = (label) => (values, at) => {
        const type = SLOT_TYPES.get(values?.constructor);
        if (type === undefined) {
            throw new TypeError(`${label} is a typed array`);
        }
        set(at, label, module.lend(values));
        set(at, label === "slotJoints" ? "slotJointType" : "slotWeightType", type);
    };
    checkLengths(def);
    return module.settings(name, def, {
        positions(values, at) {
            const numbers = numbersOf(values, Float32Array, "positions", 3);
            set(at, "positions", module.lend(numbers));
            set(at, "vertexCount", numbers.length / 3);
        },
        triangles(values, at) {
            const small = values instanceof Uint16Array;
            const numbers = numbersOf(values, small ? Uint16Array : Uint32Array, "triangles", 3);
            set(at, small ? "triangles16" : "triangles", module.lend(numbers));
            set(at, "triangleCount", numbers.length / 3);
        },
        groups: array("groups", Uint16Array, 1),
        modes: array("modes", Float32Array, 3),
        modeOffsets: array("modeOffsets", Uint32Array, 1),
        modeVertices: array("modeVertices", Uint32Array, 1),
        influenceOffsets: array("influenceOffsets", Uint32Array, 1),
        influenceJoints: array("influenceJoints", Uint32Array, 1),
        influenceWeights: array("influenceWeights", Float32Array, 1),
        slotJoints: slots("slotJoints"),
        slotWeights: slots("slotWeights"),
    });
}

/** C trusts the lengths that a definition implies; here arrays have lengths, so they must agree. */
function checkLengths(def) {
    const vertices = (def.positions?.length ?? 0) / 3;
    const expect = (label, length) => {
        const has = def[label]?.length;
        if (has !== undefined && has !== length) {
            throw new RangeError(`${label} has ${has} entries where ${length} are needed`);
        }
        if (has === undefined && length > 0) {
            throw new TypeError(`${label} is missing`);
        }
    };
    const optional = (label, length) => def[label] === undefined || expect(label, length);
    optional("groups", (def.triangles?.length ?? 0) / 3);
    const modes = def.modeCount ?? 0;
    if (def.modeOffsets !== undefined) {
        expect("modeOffsets", modes + 1);
        const entries = checkOffsets(def, "modeOffsets");
        expect("modeVertices", entries);
        expect("modes", 3 * entries);
    } else if (modes > 0) {
        expect("modes", 3 * modes * vertices);
    }
    if (def.influenceOffsets !== undefined) {
        expect("influenceOffsets", vertices + 1);
        const entries = checkOffsets(def, "influenceOffsets");
        expect("influenceJoints", entries);
        expect("influenceWeights", entries);
    }
    const slots = def.slotCount ?? 0;
    if (slots > 0) {
        expect("slotJoints", slots * vertices);
        expect("slotWeights", slots * vertices);
    }
}

/** The last of ascending offsets, which is how many entries there are. */
function checkOffsets(def, label) {
    const offsets = def[label];
    for (let i = 0; i < offsets.length; i++) {
        if (i === 0 ? offsets[0] !== 0 : !(offsets[i] >= offsets[i - 1])) {
            throw new RangeError(`${label}[${i}] is ${offsets[i]}: offsets begin with 0 and never descend`);
        }
    }
    return offsets[offsets.length - 1] ?? 0;
}
