// Arrays that the page gives in settings, and the counts that follow from them. C trusts both, so that nothing may
// contradict here. The table of arrays is generated from the description.
import { numbersOf } from "./handle.js";
import { arrays } from "./layout.js";
import { checkNumber, describe } from "./structs.js";

const KINDS = { u8: Uint8Array, u16: Uint16Array, u32: Uint32Array, f32: Float32Array };

/**
 * Reads the arrays of a struct from settings, and adds the counts that follow to these. Returns by label a function
 * that writes the array into the struct; it lives until the call's end, since C copies it. `known` has lengths of
 * the call.
 */
export function readArrays(module, struct, given, known) {
    const lists = arrays[struct];
    if (lists === undefined) {
        return {};
    }
    const { fields } = module.structs.layout.get(struct);
    const n = { entries: {}, ...known, ...readCounts(lists, fields, given) };
    const writers = {};
    for (const list of lists) {
        const numbers = readNumbers(module, list, given);
        if (numbers === undefined) {
            checkMissing(list, n);
            continue;
        }
        checkList(list, numbers, given, n);
        if (lists.some(({ rows }) => rows.some((one) => one.startsWith(`${list.label}[`)))) {
            n.entries[list.label] = countEntries(list.label, numbers);
        }
        const kind = Object.keys(list.fields).find((one) => numbers instanceof (KINDS[one] ?? Object));
        writers[list.label] = (at) => module.structs.set(struct, at, list.fields[kind], module.lend(numbers));
    }
    return writers;
}

/** Settings that belong to the arrays of a struct: all that a page sets of a struct without defaults. */
export function namesOf(struct) {
    return arrays[struct].flatMap(({ label, rows, stride }) => [label, stride, ...rows]);
}

/** Counts and strides that arrays are compared with, except those that follow from an array. */
function readCounts(lists, fields, given) {
    const names = lists.flatMap(({ rows, width, stride, blocks }) =>
        [String(width), stride, blocks, ...rows.filter((one) => /[+*]/.test(one)).flatMap((one) => one.split(/ [+*] /))]);
    const follows = new Set(lists.flatMap(({ rows }) => rows));
    return Object.fromEntries(names.filter((name) => fields.has(name) && !follows.has(name))
        .map((name) => [name, checkNumber(fields.get(name).kind, name, given[name] ?? 0)]));
}

/** The numbers of an array; those in the module's memory, which moves when it grows, as a copy. */
function readNumbers(module, { label, fields, kind: type }, given) {
    const values = given[label];
    if (values === undefined) {
        return undefined;
    }
    const kinds = type === undefined ? Object.keys(fields).map((kind) => KINDS[kind]) : Object.values(KINDS);
    const kind = kinds.find((known) => values instanceof known);
    if (kind === undefined && type !== undefined) {
        throw new TypeError(`${label} is a typed array of ${kinds.map(typeOf).join(", ")}, not ${describe(values)}`);
    }
    return module.keep(numbersOf(values, kind ?? kinds[0], label));
}

/** The word for the numbers of a kind of array. */
function typeOf(kind) {
    return kind.name.replace("Array", "").toLowerCase();
}

/** How many rows an array has, by the settings and the arrays before it; undefined if itself says so. */
function countRows({ rows }, n) {
    const value = (name) => (/^\d+$/.test(name) ? Number(name) : n[name]);
    for (const one of rows) {
        const [a, operator, b] = one.split(" ");
        const offsets = /^(\w+)\[/.exec(one);
        const found = offsets ? n.entries[offsets[1]]
            : operator === "+" ? value(a) + value(b) : operator === "*" ? value(a) * value(b) : value(a);
        if (found !== undefined) {
            return found;
        }
    }
    return rows[0].endsWith("]") ? 0 : undefined;
}

const widthOf = ({ width }, n) => (typeof width === "string" ? n[width] : width);

/** An array that is left out must be optional or empty. */
function checkMissing(list, n) {
    const needed = countRows(list, n);
    if (!list.isOptional && (needed === undefined || needed * widthOf(list, n) > 0)) {
        throw new TypeError(`${list.label} is missing`);
    }
    if (needed === undefined) {
        n[list.rows[0]] = 0;
    }
}

/** Compares an array with the settings, and notes what it counts. */
function checkList(list, numbers, given, n) {
    const { label, rows, kind, blocks } = list;
    if (kind !== undefined) {
        agree(kind, given, typeOf(numbers.constructor), `${label} is a ${numbers.constructor.name}`);
    }
    const stride = n[list.stride] ?? 0;
    const needed = countRows(list, n);
    if (blocks !== undefined && n.entries[rows[0].split("[")[0]] === undefined && (n[blocks] !== 0 || stride !== 0)) {
        checkBlocks(list, numbers, n);
        return;
    }
    const width = widthOf(list, n);
    const elements = countElements(list, numbers, width, stride);
    if (needed === undefined) {
        n[rows[0]] = elements;
        agree(rows[0], given, elements, `${label} has ${elements} elements`);
    } else if (elements !== needed) {
        throw new RangeError(stride > 0
            ? `${label} has ${elements} elements, ${stride} bytes apart, where ${needed} are needed`
            : `${label} has ${numbers.length} entries where ${width * needed} are needed`);
    }
}

/** Sets what follows from an array; another value of the caller's contradicts it. */
function agree(label, given, value, reason) {
    if (given[label] !== undefined && given[label] !== value) {
        throw new RangeError(`${label} is ${describe(given[label])}, but ${reason}`);
    }
    given[label] = value;
}

/** How many elements an array has that lie `stride` bytes apart, or side by side. */
function countElements({ label, stride: name }, numbers, width, stride) {
    const { BYTES_PER_ELEMENT: size, byteLength } = numbers;
    const least = width * size;
    if (least === 0) {
        throw new RangeError(`${label} has ${numbers.length} entries where 0 are needed`);
    }
    if (stride !== 0 && (stride < least || stride % size !== 0)) {
        throw new RangeError(`${name} is ${stride}; it must be 0 or a multiple of ${size} from ${least} on`);
    }
    const rest = byteLength % (stride || least);
    if (rest > 0 && rest < least) {
        throw new RangeError(stride === 0
            ? `${label} has ${numbers.length} numbers, which is no multiple of ${width}`
            : `${label} ends within an element: ${name} is ${stride}, and ${rest} bytes are left`);
    }
    return Math.floor(byteLength / (stride || least)) + (rest > 0 ? 1 : 0);
}

/** Blocks of rows with strides of their own: the last number that C reads is within the array. */
function checkBlocks({ label, rows, width, stride: name, blocks }, numbers, n) {
    const [count, length] = rows.at(-1).split(" * ").map((factor) => n[factor]);
    const least = width * numbers.BYTES_PER_ELEMENT;
    const apart = n[name] || least;
    const stride = n[blocks] || apart * length;
    const bytes = count === 0 ? 0 : (count - 1) * stride + (length - 1) * apart + least;
    if (numbers.byteLength < bytes || count === 0) {
        throw new RangeError(`${label} has ${numbers.length} entries where ${Math.ceil(bytes / 4)} are needed`);
    }
}

/** The last of ascending offsets, which is how many entries there are. */
function countEntries(label, offsets) {
    for (let i = 0; i < offsets.length; i++) {
        if (i === 0 ? offsets[0] !== 0 : offsets[i] < offsets[i - 1]) {
            throw new RangeError(`${label}[${i}] is ${offsets[i]}: offsets begin with 0 and never descend`);
        }
    }
    return offsets[offsets.length - 1];
}
