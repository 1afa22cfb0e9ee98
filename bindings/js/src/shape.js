import { Context } from "./context.js";
import { Handle, lendExactly, lendNumbers, moduleOf } from "./handle.js";

/** All that never changes about a body: mesh, how it deforms, tree. */
export class Shape extends Handle {
    /**
     * @param {import("./context.js").Context} context
     * @param {import("../index.js").ShapeDef | Uint8Array} def what it is made of, or a block that
     * write() gave
     */
    constructor(context, def) {
        const module = moduleOf(context, Context, "context");
        super(module, "pliant_shape_destroy", module.session(() => {
            if (!(def instanceof Uint8Array)) {
                return module.create("pliant_shape_create", context.pointer, module.settings("pliant_shape_def", def, "def"));
            }
            const [block, size] = lendNumbers(module, def, Uint8Array, "block");
            return module.create("pliant_shape_read", context.pointer, block, size);
        }));
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
            const at = module.room(4, count);
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
        return lendExactly(this.module, proxy, Uint32Array, "proxy", 2);
    }

    /** A list whose length the library tells first. */
    #list(name, values, width) {
        const { module } = this;
        return module.session(() => {
            const count = module.room(4);
            module.call(name, this.pointer, ...values, 0, 0, count);
            const length = module.view.getUint32(count, true);
            const at = module.room(4 * width, length);
            module.call(name, this.pointer, ...values, at, length, count);
            return module.copyOut(Uint32Array, at, width * length);
        });
    }

    /** The shape as one block of bytes, for a file or a worker; `new Shape(context, block)` reads it. */
    write() {
        const { module } = this;
        return module.session(() => {
            const size = module.room(8);
            module.call("pliant_shape_write", this.pointer, 0, 0, size);
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
