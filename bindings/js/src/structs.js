// Structs of the C library in the module's memory: written from settings, read into arrays. The module
// itself has the offsets of their fields.
import { enums, structs } from "./layout.js";

const SIZES = { bool: 1, u8: 1, u16: 2, u32: 4, i32: 4, f32: 4, u64: 8, f64: 8, enum: 4, pointer: 4, callback: 4 };

/** The array that a column of a kind of number is read into. Counts of 64 bits become numbers. */
const ARRAYS = {
    bool: Uint8Array, u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, i32: Int32Array,
    f32: Float32Array, u64: Float64Array, f64: Float64Array, enum: Uint32Array, pointer: Uint32Array,
};

/** Reads the layout that the module tells: a struct by its name. */
export function readLayout(numbers) {
    const layout = new Map();
    let next = 0;
    for (const [name, fields] of structs) {
        const struct = { name, size: numbers[next++], fields: new Map(), flat: null, isResult: false };
        for (const [field, kind, count, target, length, width] of fields) {
            struct.fields.set(field, { offset: numbers[next++], kind, count, target, length, width });
            struct.isResult ||= length !== undefined;
        }
        layout.set(name, struct);
    }
    for (const struct of layout.values()) {
        struct.flat = findFlatKind(struct, layout);
    }
    return layout;
}

/** The one kind of number that a struct consists of, or null: arrays of such are plain arrays. */
function findFlatKind(struct, layout) {
    let kind = null;
    let bytes = 0;
    for (const field of struct.fields.values()) {
        const of = field.kind === "struct" ? findFlatKind(layout.get(field.target), layout) : field.kind;
        if (of === null || of === "pointer" || of === "callback" || of === "enum" || of === "bool" || of === "u64" ||
            (kind !== null && of !== kind)) {
            return null;
        }
        kind = of;
        bytes += field.count * (field.kind === "struct" ? layout.get(field.target).size : SIZES[of]);
    }
    return bytes === struct.size ? kind : null;
}

/** The words of an enum by number. */
export const words = Object.fromEntries(Object.entries(enums).map(([name, values]) => [
    name, Object.freeze(Object.fromEntries(Object.entries(values).map(([word, value]) => [value, word]))),
]));

/** A value of the page in a message: numbers as they are, objects by their class. */
export function describe(value) {
    switch (typeof value) {
    case "object": return value === null ? "null" : `an object of class ${value.constructor?.name ?? "none"}`;
    case "function": return "a function";
    case "string": return JSON.stringify(value);
    default: return String(value);
    }
}

/** Settings as an object; other values have fields of their own, or none. */
export function settingsOf(values, label) {
    if (values === undefined || values === null) {
        return {};
    }
    if (typeof values !== "object" || Symbol.iterator in values) {
        throw new TypeError(`${label}: settings are an object, not ${describe(values)}`);
    }
    return values;
}

/** Refuses, by its name, a function of the page that is none. */
export function checkFunction(value, label) {
    if (typeof value !== "function") {
        throw new TypeError(`${label} is a function, not ${describe(value)}`);
    }
}

/** The number of a word of an enum; what is no such word is refused by name. */
export function enumValue(name, word, label) {
    if (typeof word !== "string" || !Object.hasOwn(enums[name], word)) {
        throw new TypeError(`${label} is one of ${Object.keys(enums[name]).join(", ")}, not ${describe(word)}`);
    }
    return enums[name][word];
}

/** Reads and writes structs in the memory of one module. */
export class Structs {
    /** @param {import("./module.js").Module} module */
    constructor(module, layout) {
        this.module = module;
        this.layout = layout;
    }

    size(name) {
        return this.layout.get(name).size;
    }

    /** How many numbers a struct of one kind of number has. */
    numberCount(name) {
        const { flat, size } = this.layout.get(name);
        return size / SIZES[flat];
    }

    /** Writes one number of a kind. */
    writeNumber(kind, at, value) {
        const view = this.module.view;
        switch (kind) {
        case "bool": view.setUint8(at, value ? 1 : 0); break;
        case "u8": view.setUint8(at, value); break;
        case "u16": view.setUint16(at, value, true); break;
        case "u32": case "enum": case "pointer": case "callback": view.setUint32(at, value, true); break;
        case "i32": view.setInt32(at, value, true); break;
        case "u64": view.setBigUint64(at, BigInt.asUintN(64, BigInt(value)), true); break;
        case "f32": view.setFloat32(at, value, true); break;
        case "f64": view.setFloat64(at, value, true); break;
        default: throw new Error(`no kind ${kind}`);
        }
    }

    readNumber(kind, at) {
        const view = this.module.view;
        switch (kind) {
        case "bool": case "u8": return view.getUint8(at);
        case "u16": return view.getUint16(at, true);
        case "u32": case "enum": case "pointer": return view.getUint32(at, true);
        case "i32": return view.getInt32(at, true);
        case "u64": return Number(view.getBigUint64(at, true));
        case "f32": return view.getFloat32(at, true);
        case "f64": return view.getFloat64(at, true);
        default: throw new Error(`no kind ${kind}`);
        }
    }

    /** Sets one field of a struct; arrays of numbers must have as many as the field. */
    set(name, at, label, value) {
        const field = this.layout.get(name).fields.get(label);
        const place = at + field.offset;
        if (field.kind === "enum") {
            this.writeNumber("enum", place, enumValue(field.target, value, label));
        } else if (field.kind === "struct") {
            this.setStruct(field.target, place, label, value);
        } else if (field.count > 1) {
            this.setNumbers(field.kind, place, label, value, field.count);
        } else {
            this.writeNumber(field.kind, place, checkNumber(field.kind, label, value));
        }
    }

    setNumbers(kind, place, label, values, count) {
        if (values?.length !== count) {
            throw new TypeError(`${label} has ${count} numbers, not ${values?.length ?? describe(values)}`);
        }
        for (let i = 0; i < count; i++) {
            this.writeNumber(kind, place + i * SIZES[kind], checkNumber(kind, label, values[i]));
        }
    }

    setStruct(target, place, label, value) {
        if (target === "pliant_groups") {
            this.setGroups(place, label, value);
            return;
        }
        const struct = this.layout.get(target);
        if (struct.flat === null) {
            throw new TypeError(`${label} cannot be set here`);
        }
        this.setNumbers(struct.flat, place, label, value, this.numberCount(target));
    }

    /** A set of groups for each of some bodies; they live until the call's end. */
    setGroupsOfBodies(place, label, sets, bodies) {
        const given = typeof sets?.[Symbol.iterator] === "function" ? [...sets] : undefined;
        if (given?.length !== bodies.length) {
            throw new RangeError(`${label} has ${given?.length ?? describe(sets)} sets for ${bodies.length} bodies`);
        }
        const size = this.size("pliant_groups");
        const array = this.module.room(size, given.length);
        given.forEach((set, i) => this.setGroups(array + i * size, `${label}[${i}]`, set));
        this.writeNumber("pointer", place, array);
    }

    /** A set of groups as the bits that the library takes; they live until the call's end. */
    setGroups(place, label, groups) {
        if (typeof groups !== "object" || groups === null || !(Symbol.iterator in groups)) {
            throw new TypeError(`${label} is an array or set of groups, not ${describe(groups)}`);
        }
        const list = [...groups];
        let count = 1;
        for (const group of list) {
            if (!Number.isInteger(group) || group < 0 || group > 65535) {
                throw new RangeError(`${label} has whole numbers from 0 to 65535, not ${describe(group)}`);
            }
            count = Math.max(count, group + 1);
        }
        const bits = new Uint8Array(Math.ceil(count / 64) * 8);
        for (const group of list) {
            bits[group >> 3] |= 1 << (group & 7);
        }
        this.set("pliant_groups", place, "bits", this.module.lend(bits));
        this.set("pliant_groups", place, "count", count);
    }

    /** Numbers of 64 bits that masks are made of are kept whole. */
    get(name, at, label) {
        const field = this.layout.get(name).fields.get(label);
        return this.readField(field, at);
    }

    readField(field, at) {
        const place = at + field.offset;
        if (field.kind === "struct") {
            const struct = this.layout.get(field.target);
            return struct.flat ? this.readFlat(struct, place, field.count) : this.read(field.target, place);
        }
        if (field.count > 1) {
            const column = new ARRAYS[field.kind](field.count);
            for (let i = 0; i < field.count; i++) {
                column[i] = this.readNumber(field.kind, place + i * SIZES[field.kind]);
            }
            return column;
        }
        const number = this.readNumber(field.kind, place);
        if (field.kind === "bool") {
            return number !== 0;
        }
        return field.kind === "enum" ? words[field.target][number] : number;
    }

    /** A struct as an object; pointers are left out, since only the caller knows how far they go. */
    read(name, address) {
        const at = address >>> 0;
        const answer = {};
        for (const [label, field] of this.layout.get(name).fields) {
            if (field.kind !== "pointer" && field.kind !== "callback" && label !== "tag") {
                answer[label] = this.readField(field, at);
            }
        }
        return answer;
    }

    readFlat(struct, at, count) {
        return this.module.copyOut(ARRAYS[struct.flat], at, (struct.size / SIZES[struct.flat]) * count);
    }

    /**
     * `count` structs from `at` on: one array if they consist of one kind of number, else an array
     * per field, those of structs within likewise. Enums are numbers in these (see `words`).
     */
    readArray(name, address, count) {
        const at = address >>> 0;
        const struct = this.layout.get(name);
        if (struct.flat) {
            return count === 0 ? new ARRAYS[struct.flat](0) : this.readFlat(struct, at, count);
        }
        return this.readColumns(struct, at, count, struct.size);
    }

    readColumns(struct, at, count, stride) {
        const columns = {};
        for (const [label, field] of struct.fields) {
            if (field.kind === "pointer" || field.kind === "callback") {
                continue;
            }
            const place = at + field.offset;
            if (field.kind !== "struct") {
                columns[label] = this.readColumn(field.kind, place, field.count, count, stride);
                continue;
            }
            const inner = this.layout.get(field.target);
            columns[label] = inner.flat
                ? this.readColumn(inner.flat, place, (inner.size / SIZES[inner.flat]) * field.count, count, stride)
                : this.readColumns(inner, place, count, stride);
        }
        return columns;
    }

    readColumn(kind, at, width, count, stride) {
        const column = new ARRAYS[kind](width * count);
        const source = kind === "u64" ? null : this.module.array(ARRAYS[kind]);
        const size = SIZES[kind];
        for (let i = 0; i < count; i++) {
            for (let k = 0; k < width; k++) {
                const place = at + i * stride + k * size;
                column[i * width + k] = source ? source[place / size] : this.readNumber(kind, place);
            }
        }
        return column;
    }

    /** `count` structs, or rows of `width` numbers, that a pointer leads to. */
    readList(kind, at, count, width = 1) {
        return this.layout.has(kind) ? this.readArray(kind, at, count) : this.readNumbers(kind, at, width * count);
    }

    /** `count` numbers of a kind that a pointer leads to. */
    readNumbers(kind, at, count) {
        if (kind !== "u64") {
            return this.module.copyOut(ARRAYS[kind], at, count);
        }
        const numbers = new Float64Array(count);
        for (let i = 0; i < count; i++) {
            numbers[i] = this.readNumber("u64", at + 8 * i);
        }
        return numbers;
    }
}

/** A number that its field can hold; anything else is refused rather than rounded to it. */
export function checkNumber(kind, label, value) {
    if (kind === "bool") {
        if (typeof value !== "boolean") {
            throw new TypeError(`${label} is true or false, not ${describe(value)}`);
        }
        return value;
    }
    if (kind === "u64" && typeof value === "bigint") {
        if (value < 0n || value >= 1n << 64n) {
            throw new RangeError(`${label} is a whole number below 2^64, not ${value}`);
        }
        return value;
    }
    if (typeof value !== "number") {
        throw new TypeError(`${label} is a number, not ${describe(value)}`);
    }
    if (kind === "f32" || kind === "f64") {
        return value;
    }
    const most = { u8: 255, u16: 65535, i32: 2147483647, u64: Number.MAX_SAFE_INTEGER }[kind] ?? 4294967295;
    if (!Number.isInteger(value) || value < (kind === "i32" ? -2147483648 : 0) || value > most) {
        const least = kind === "i32" ? -2147483648 : 0;
        throw new RangeError(`${label} is a whole number from ${least} to ${most}, not ${value}`);
    }
    return value;
}
