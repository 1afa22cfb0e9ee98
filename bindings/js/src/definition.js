// A shape's definition: its arrays and the counts that follow from them. C trusts both, so that nothing may
// contradict here.
import { numbersOf } from "./handle.js";
import { checkNumber, describe, settingsOf } from "./structs.js";

const STRUCT = "pliant_shape_def";

const SLOT_KINDS = [Uint8Array, Uint16Array, Uint32Array, Float32Array];

/**
 * Arrays: the kinds of their numbers; the numbers per element; the settings that count the elements, have
 * the bytes between them and the type of the numbers. `needed` is the number of elements that follows from
 * the other settings and the arrays above; `isOptional`: the array may be left out even so. Offsets
 * count the entries of other arrays.
 */
const LISTS = [
    { label: "positions", kinds: [Float32Array], width: 3, count: "vertexCount", stride: "positionStride" },
    { label: "triangles", kinds: [Uint32Array, Uint16Array], width: 3, count: "triangleCount",
      stride: "triangleStride" },
    { label: "groups", kinds: [Uint16Array], stride: "groupStride", isOptional: true,
      needed: (n) => n.triangleCount },
    { label: "modeOffsets", kinds: [Uint32Array], entries: "modeEntries", isOptional: true,
      needed: (n) => n.modeCount + 1 },
    { label: "modeVertices", kinds: [Uint32Array], needed: (n) => n.modeEntries ?? 0 },
    { label: "modes", kinds: [Float32Array], width: 3, stride: "modeVertexStride",
      needed: (n) => n.modeEntries ?? n.modeCount * n.vertexCount },
    { label: "influenceOffsets", kinds: [Uint32Array], entries: "influenceEntries", isOptional: true,
      needed: (n) => n.vertexCount + 1 },
    { label: "influenceJoints", kinds: [Uint32Array], needed: (n) => n.influenceEntries ?? 0 },
    { label: "influenceWeights", kinds: [Float32Array], needed: (n) => n.influenceEntries ?? 0 },
    { label: "slotJoints", kinds: SLOT_KINDS, width: "slotCount", stride: "slotJointStride",
      type: "slotJointType", needed: (n) => (n.slotCount > 0 ? n.vertexCount : 0) },
    { label: "slotWeights", kinds: SLOT_KINDS, width: "slotCount", stride: "slotWeightStride",
      type: "slotWeightType", needed: (n) => (n.slotCount > 0 ? n.vertexCount : 0) },
];

/** The struct that a shape is made of; its arrays live until the call's end, since C copies them. */
export function writeDefinition(module, def) {
    if (def === null || def === undefined) {
        throw new TypeError(`a shape is made of positions and triangles, not ${describe(def)}`);
    }
    const given = { ...settingsOf(def, "def") }; // a getter runs once
    const n = readCounts(module, given);
    const special = {};
    for (const list of LISTS) {
        const numbers = readList(module, list, given);
        if (numbers === undefined) {
            checkMissing(list, n);
            continue;
        }
        checkList(list, numbers, given, n);
        given[list.label] = numbers;
        special[list.label] = (values, at) =>
            module.structs.set(STRUCT, at, fieldOf(list, values), module.lend(values));
    }
    return module.settings(STRUCT, given, "def", special);
}

/** The field of an array: indices of 16 bits have one of their own. */
function fieldOf({ label }, numbers) {
    return label === "triangles" && numbers instanceof Uint16Array ? "triangles16" : label;
}

/** Counts and strides that arrays are compared with. */
function readCounts(module, given) {
    const { fields } = module.structs.layout.get(STRUCT);
    const read = (label) => checkNumber(fields.get(label).kind, label, given[label] ?? 0);
    const labels = LISTS.map(({ stride }) => stride).filter((label) => label !== undefined);
    return Object.fromEntries(["modeCount", "slotCount", "modeStride", ...labels].map((label) => [label, read(label)]));
}

/** The numbers of an array; those in the module's memory, which moves when it grows, as a copy. */
function readList(module, { label, kinds, type }, given) {
    const values = given[label];
    if (values === undefined) {
        return undefined;
    }
    const kind = kinds.find((known) => values instanceof known);
    if (kind === undefined && type !== undefined) {
        throw new TypeError(`${label} is a typed array of ${SLOT_KINDS.map(typeOf).join(", ")}, ` +
                            `not ${describe(values)}`);
    }
    return module.keep(numbersOf(values, kind ?? kinds[0], label));
}

/** The word for the numbers of a kind of array. */
function typeOf(kind) {
    return kind.name.replace("Array", "").toLowerCase();
}

function checkMissing({ label, isOptional, needed }, n) {
    if (needed === undefined || (!isOptional && needed(n) > 0)) {
        throw new TypeError(`${label} is missing`);
    }
}

/** Compares an array with the settings, and notes what it counts. */
function checkList(list, numbers, given, n) {
    const { label, count, entries, type, needed } = list;
    if (type !== undefined) {
        agree(type, given, typeOf(numbers.constructor), `${label} is a ${numbers.constructor.name}`);
    }
    if (label === "modes" && n.modeEntries === undefined && (n.modeStride !== 0 || n.modeVertexStride !== 0)) {
        checkFields(numbers, n);
        return;
    }
    const width = list.width === "slotCount" ? n.slotCount : list.width ?? 1;
    const elements = countElements(list, numbers, width, n[list.stride] ?? 0);
    if (count !== undefined) {
        n[count] = elements;
        agree(count, given, elements, `${label} has ${elements} elements`);
    } else if (elements !== needed(n)) {
        throw new RangeError(n[list.stride] > 0
            ? `${label} has ${elements} elements, ${n[list.stride]} bytes apart, where ${needed(n)} are needed`
            : `${label} has ${numbers.length} entries where ${width * needed(n)} are needed`);
    }
    if (entries !== undefined) {
        n[entries] = countEntries(label, numbers);
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

/** Dense modes with strides of their own: the last number that C reads is within the array. */
function checkFields(numbers, n) {
    const apart = n.modeVertexStride || 12;
    const stride = n.modeStride || apart * n.vertexCount;
    const bytes = n.modeCount === 0 ? 0 : (n.modeCount - 1) * stride + (n.vertexCount - 1) * apart + 12;
    if (numbers.byteLength < bytes || n.modeCount === 0) {
        throw new RangeError(`modes has ${numbers.length} entries where ${Math.ceil(bytes / 4)} are needed`);
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
