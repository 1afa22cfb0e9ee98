// Objects of the library, which live until they are disposed of; those that the page forgets are
// destroyed some time after.
import { describe } from "./structs.js";

function destroyHeld({ module, destroy, pointer, buffers }) {
    try {
        module.session(() => module.exports[destroy](pointer));
    } finally {
        for (const at of buffers) {
            module.release(at);
        }
    }
}

const forgotten = typeof FinalizationRegistry === "undefined" ? null : new FinalizationRegistry(destroyHeld);

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

    /** Whether a constructor made the object, not Object.create(). @internal */
    static isMade(value) {
        return #module in value;
    }

    get isDisposed() {
        return this.#pointer === 0;
    }

    /** Destroys the object. A second call does nothing. */
    dispose() {
        if (this.#pointer === 0) {
            return;
        }
        this.#pointer = 0;
        forgotten?.unregister(this);
        destroyHeld(this.#held);
    }
}

if (typeof Symbol.dispose === "symbol") {
    Handle.prototype[Symbol.dispose] = Handle.prototype.dispose;
}

/** The pointer of an object of a class in the same module; anything else is refused by name. */
export function pointerOf(value, Class, module, label) {
    if (!(value instanceof Class) || !Handle.isMade(value)) {
        throw new TypeError(`${label} is a ${Class.name}, not ${describe(value)}`);
    }
    if (value.module !== module) {
        throw new TypeError(`${label} belongs to another context`);
    }
    if (value.isDisposed) {
        throw new TypeError(`${label}: this ${Class.name.toLowerCase()} was disposed of`);
    }
    return value.pointer;
}

/** The module of an object of a class; anything else is refused by name. */
export function moduleOf(value, Class, label) {
    const module = value instanceof Class && Handle.isMade(value) ? value.module : null;
    pointerOf(value, Class, module, label);
    return module;
}

/** The elements of a list that is iterated once; anything else is refused by name. */
export function listOf(values, label) {
    if (typeof values !== "object" || typeof values?.[Symbol.iterator] !== "function") {
        throw new TypeError(`${label} is a list, not ${describe(values)}`);
    }
    return [...values];
}

/**
 * Numbers as a plain typed array of a kind, which is a view of `values` if they have that kind. They are
 * read once, so that the length of the result is the one to use.
 */
export function numbersOf(values, Kind, label, multiple = 1) {
    if (values === null || typeof values !== "object" || !(Number.isSafeInteger(values.length) && values.length >= 0)) {
        throw new TypeError(`${label} is an array of numbers, not ${describe(values)}`);
    }
    const numbers = ArrayBuffer.isView(values) && values instanceof Kind ? reading(label, () => new Kind(values.buffer, values.byteOffset, values.length))
        : convert(values, Kind, label);
    if (numbers.length % multiple !== 0) {
        throw new RangeError(`${label} has ${numbers.length} numbers, which is no multiple of ${multiple}`);
    }
    return numbers;
}

/** Runs `read`, which fails if the memory of an array has gone to another owner. */
function reading(label, read) {
    try {
        return read();
    } catch (cause) {
        throw new TypeError(`${label} cannot be read: ${cause.message}`, { cause });
    }
}

function convert(values, Kind, label) {
    if (values instanceof Float64Array && Kind === Float32Array) {
        throw new TypeError(`${label} is a Float64Array: rounding it is left to you, by Float32Array.from()`);
    }
    const refuse = (i) => {
        throw new RangeError(`${label}[${i}] is ${describe(values[i])}, which is no ${Kind.name.replace("Array", "")}`);
    };
    for (let i = 0; i < values.length; i++) {
        if (typeof values[i] !== "number") {
            refuse(i);
        }
    }
    const numbers = reading(label, () => Kind.from(values));
    for (let i = 0; Kind !== Float32Array && i < numbers.length; i++) {
        if (numbers[i] !== values[i]) {
            refuse(i);
        }
    }
    return numbers;
}

/** Lends numbers until the end of the call under way: where they lie, and how many elements they are. */
export function lendNumbers(module, values, Kind, label, width = 1) {
    const numbers = numbersOf(values, Kind, label, width);
    const count = numbers.length / width; // lending may move the module's memory, and empty a view of it
    return [module.lend(numbers), count];
}

/** The same of exactly `count` numbers. */
export function lendExactly(module, values, Kind, label, count) {
    const numbers = numbersOf(values, Kind, label);
    if (numbers.length !== count) {
        throw new RangeError(`${label} has ${numbers.length} numbers where ${count} are needed`);
    }
    return module.lend(numbers);
}
