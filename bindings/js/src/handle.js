// Objects of the library, which live until they are disposed of; those that the page forgets are
// destroyed some time after.

const forgotten = typeof FinalizationRegistry === "undefined" ? null
    : new FinalizationRegistry(({ module, destroy, pointer, buffers }) => {
        module.exports[destroy](pointer);
        for (const at of buffers) {
            module.release(at);
        }
    });

/** What all objects have in common. */
export class Handle {
    #pointer;
    #module;
    #held;

    /**
     * @param {import("./module.js").Module} module
     * @param {string} destroy the function that destroys it
     */
    constructor(module, destroy, pointer) {
        this.#module = module;
        this.#pointer = pointer;
        this.#held = { module, destroy, pointer, buffers: [] };
        forgotten?.register(this, this.#held, this);
    }

    /** The module that the object lives in. @internal */
    get module() {
        return this.#module;
    }

    /** Its address there. @internal */
    get pointer() {
        if (this.#pointer === 0) {
            throw new TypeError(`this ${this.constructor.name.toLowerCase()} was disposed of`);
        }
        return this.#pointer;
    }

    /** Memory of the module that goes with the object. @internal */
    own(at) {
        this.#held.buffers.push(at);
        return at;
    }

    /** Gives such memory back before the object goes. @internal */
    disown(at) {
        const { buffers } = this.#held;
        buffers.splice(buffers.indexOf(at), 1);
        this.#module.release(at);
    }

    get isDisposed() {
        return this.#pointer === 0;
    }

    /** Destroys the object. A second call does nothing. */
    dispose() {
        if (this.#pointer === 0) {
            return;
        }
        const { destroy, pointer, buffers } = this.#held;
        this.#pointer = 0;
        forgotten?.unregister(this);
        this.#module.exports[destroy](pointer);
        for (const at of buffers) {
            this.#module.release(at);
        }
    }
}

if (typeof Symbol.dispose === "symbol") {
    Handle.prototype[Symbol.dispose] = Handle.prototype.dispose;
}

/** The pointer of an object of a class in the same module; anything else is refused by name. */
export function pointerOf(value, Class, module, label) {
    if (!(value instanceof Class)) {
        throw new TypeError(`${label} is a ${Class.name}, not ${value === null ? "null" : typeof value}`);
    }
    if (value.module !== module) {
        throw new TypeError(`${label} belongs to another context`);
    }
    return value.pointer;
}

/** Numbers as a typed array of a kind: those that are one are taken as they are. */
export function numbersOf(values, Kind, label, multiple = 1) {
    if (values === null || typeof values !== "object" || typeof values.length !== "number") {
        throw new TypeError(`${label} is an array of numbers, not ${String(values)}`);
    }
    if (values.length % multiple !== 0) {
        throw new RangeError(`${label} has ${values.length} numbers, which is no multiple of ${multiple}`);
    }
    if (values instanceof Kind) {
        return values;
    }
    if (ArrayBuffer.isView(values) && Kind === Float32Array && values instanceof Float64Array) {
        throw new TypeError(`${label} is a Float64Array: rounding it is left to you, by Float32Array.from()`);
    }
    const numbers = Kind.from(values);
    if (Kind !== Float32Array) {
        const bad = Array.prototype.findIndex.call(values, (value, i) => numbers[i] !== value);
        if (bad >= 0) {
            throw new RangeError(`${label}[${bad}] is ${String(values[bad])}, which is no ${Kind.name.replace("Array", "")}`);
        }
    }
    return numbers;
}
