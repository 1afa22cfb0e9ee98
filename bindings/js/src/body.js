import { Handle, lendExactly, lendNumbers, moduleOf, pointerOf } from "./handle.js";
import { enumValue } from "./structs.js";
import { Shape } from "./shape.js";

/** A shape and its current state. */
export class Body extends Handle {
    #positions = 0; // where the array lies that `positions` shows
    #other = 0;     // a second one, for the start of a step
    #shares = false;

    /**
     * @param {Shape} shape
     * @param {import("../index.js").BodyDef} [def]
     */
    constructor(shape, def) {
        const module = moduleOf(shape, Shape, "shape");
        super(module, "pliant_body_destroy", module.session(() =>
            module.create("pliant_body_create", shape.pointer, module.settings("pliant_body_def", def, "def"))));
        this.shape = shape;
    }

    /** How many vertices the body has: its shape's, and the copies that tearing made. */
    get vertexCount() {
        return this.module.exports.pliant_shape_get_vertex_count(this.#current);
    }

    /** How many triangles it has, those that were torn away included. */
    get triangleCount() {
        return this.module.exports.pliant_shape_get_triangle_count(this.#current);
    }

    /** The three vertices of a triangle, after what was torn. */
    triangle(index) {
        return this.module.session(() => {
            const at = this.module.room(12);
            this.module.call("pliant_shape_get_triangle", this.#current, index, at);
            return this.module.copyOut(Uint32Array, at, 3);
        });
    }

    /** The shape that the body has now: one of its own from its first tear on. */
    get #current() {
        return this.module.exports.pliant_body_get_shape(this.pointer) >>> 0;
    }

    /**
     * Removes triangles, and splits vertices by copies that some triangles get. Corners are pairs of a
     * triangle and a copy; copy number i of `split` is vertex `vertexCount + i`.
     */
    tear(tear) {
        const { module } = this;
        module.session(() => module.call("pliant_body_tear", this.pointer, module.settings("pliant_tear", tear, "tear")));
        for (const buffer of [this.#positions, this.#other].filter((at) => at !== 0)) {
            this.disown(buffer); // the library has copied what it shared; the array is longer now
        }
        this.#positions = 0;
        this.#other = 0;
        this.#shares = false;
    }

    /** How the body's tree has fared since it was cut, and how often it was made anew. */
    get quality() {
        return this.module.session(() => {
            const at = this.module.room(this.module.structs.size("pliant_body_quality"));
            this.module.call("pliant_body_get_quality", this.pointer, at);
            return this.module.structs.read("pliant_body_quality", at);
        });
    }

    /**
     * The body's positions in the module's own memory, x, y, z of each vertex: write into it, then
     * call positionsChanged(). The array is another one after the module's memory has grown, so ask
     * for it anew in each step. At first it has the body's current positions.
     */
    get positions() {
        const length = 3 * this.vertexCount;
        if (this.#positions === 0) {
            const at = this.module.allocate(4, length);
            try {
                this.module.call("pliant_body_evaluate", this.pointer, 0, length / 3, at);
            } catch (error) {
                this.module.release(at);
                throw error;
            }
            this.#positions = this.own(at);
        }
        return new Float32Array(this.module.memory.buffer, this.#positions, length);
    }

    /** Takes what was written into `positions` as the new state, without a copy. */
    positionsChanged() {
        if (this.#positions === 0) {
            throw new TypeError("nothing was written: ask for `positions` first");
        }
        this.module.call("pliant_body_share_positions", this.pointer, this.#positions, 0);
        this.#shares = true;
    }

    /** Copies new positions, and checks them. */
    setPositions(positions) {
        this.module.session(() => this.module.call("pliant_body_set_positions", this.pointer,
            lendExactly(this.module, positions, Float32Array, "positions", 3 * this.vertexCount), 0));
        this.#shares = false;
    }

    /** Sets the coordinates of a body with modes, one number per mode. */
    setCoordinates(coordinates) {
        this.module.session(() => this.module.call("pliant_body_set_coordinates", this.pointer,
            ...lendNumbers(this.module, coordinates, Float32Array, "coordinates")));
    }

    /** Sets the transforms of all joints, the 12 numbers of the rows of (A | t) each. */
    setTransforms(transforms) {
        this.module.session(() => this.module.call("pliant_body_set_transforms", this.pointer,
            ...lendNumbers(this.module, transforms, Float32Array, "transforms", 12), 0));
    }

    /** The same from matrices of 16 numbers by columns, as graphics interfaces have them. */
    setMatrices(matrices) {
        this.module.session(() => this.module.call("pliant_body_set_matrices", this.pointer,
            ...lendNumbers(this.module, matrices, Float32Array, "matrices", 16), 0));
    }

    /** Sets the world transform, 12 numbers of rows; null takes it away. */
    setWorld(rows) {
        this.#setWorld("pliant_body_set_world", rows, 12);
    }

    /** The same from a matrix of 16 numbers by columns. */
    setWorldMatrix(matrix) {
        this.#setWorld("pliant_body_set_world_matrix", matrix, 16);
    }

    #setWorld(name, values, count) {
        this.module.session(() => {
            const at = values === null ? 0 : lendExactly(this.module, values, Float32Array, "world", count);
            this.module.call(name, this.pointer, at);
        });
    }

    /** Sets a whole state at once: all of it or, if that fails, nothing. */
    setState(state) {
        this.module.session(() => {
            const { module } = this;
            const read = module.readSettings("pliant_state", state, "state", { vertices: this.vertexCount });
            const at = module.room(module.structs.size("pliant_state"));
            module.writeSettings("pliant_state", at, read);
            this.module.call("pliant_body_set_state", this.pointer, at);
            this.tookState("positions" in read.writers);
        });
    }

    /** Positions that were set, by the body or its scene, are not borrowed. @internal */
    tookState(hasPositions) {
        this.#shares = !hasPositions && this.#shares;
    }

    /** Changes how the body is updated, from its next state on. */
    setUpdate(update, eagerLevels = 0, lazyLevels = 1) {
        this.module.call("pliant_body_set_update", this.pointer,
                         enumValue("pliant_update", update, "update"), eagerLevels, lazyLevels);
    }

    /**
     * The current state becomes the start of a step. If it was written into `positions`, these move
     * to another array, in which the end of the step is written.
     */
    beginStep() {
        this.module.call("pliant_body_begin_step", this.pointer);
        this.stepBegan();
    }

    /** What a step that began means for the array of positions. @internal */
    stepBegan() {
        if (!this.#shares) {
            return;
        }
        const bytes = 12 * this.vertexCount;
        const next = this.#other || this.own(this.module.allocate(12, this.vertexCount));
        this.module.array(Uint8Array).copyWithin(next, this.#positions, this.#positions + bytes);
        this.#other = this.#positions;
        this.#positions = next;
    }

    /** Forgets the start of the step. */
    endStep() {
        this.module.call("pliant_body_end_step", this.pointer);
    }

    /** A box around the body: lower x, y, z, then upper. */
    get bounds() {
        return this.module.session(() => {
            const at = this.module.room(24);
            this.module.call("pliant_body_get_bounds", this.pointer, at);
            return this.module.structs.readArray("pliant_box", at, 1);
        });
    }

    /** Refreshes every bound of the current state at once. */
    prepare() {
        this.module.call("pliant_body_prepare", this.pointer);
    }

    /** The current positions of the vertices listed, or of all. */
    evaluate(vertices) {
        const { module } = this;
        return module.session(() => {
            const [list, count] = vertices === undefined ? [0, this.vertexCount]
                : lendNumbers(module, vertices, Uint32Array, "vertices");
            const at = module.room(12, count);
            module.call("pliant_body_evaluate", this.pointer, list, count, at);
            return module.copyOut(Float32Array, at, 3 * count);
        });
    }

    /** Bytes that the body holds. */
    get memory() {
        return this.module.session(() => {
            const at = this.module.room(16);
            this.module.exports.pliant_js_get_body_memory(this.pointer, at);
            const [positions, bounds] = this.module.copyOut(Float64Array, at, 2);
            return { positions, bounds };
        });
    }
}

/** The pointer of a body. @internal */
export function bodyPointer(body, module, label) {
    return pointerOf(body, Body, module, label);
}
