// Calls of the library as methods of objects. The table of calls is generated from the headers; here arguments
// become parameters of C by their roles, and results become objects with typed arrays of their own.
import { bodyPointer } from "./body.js";
import { lendExactly, lendNumbers, listOf, pointerOf } from "./handle.js";
import { calls } from "./layout.js";

const classes = {};

/** Returns the parameters in C of an argument. */
const TAKE = {
    body(call, value, { label }) {
        const pointer = bodyPointer(value, call.module, label);
        call.bodies.push(value);
        return [pointer];
    },
    bodies(call, values, { label }) {
        const pointers = listOf(values, label).map((body, i) => TAKE.body(call, body, { label: `${label}[${i}]` })[0]);
        return [call.module.lend(Uint32Array.from(pointers)), pointers.length];
    },
    scene(call, value, { label }) {
        const pointer = pointerOf(value, classes.scene, call.module, label);
        Object.assign(call.module.callbacks, value.callbacks);
        return [pointer];
    },
    number(call, value, { initial }) {
        return [value === undefined && initial !== undefined ? Number(initial) : value];
    },
    value(call, values, { label, type }) {
        return [lendExactly(call.module, values, Float32Array, label, call.module.structs.numberCount(type))];
    },
    array(call, values, { label, type, width, parts }) {
        const { structs } = call.module;
        const numbers = structs.layout.has(type) ? structs.numberCount(type) : width;
        const [at, count] = lendNumbers(call.module, values, Float32Array, label, numbers);
        call.count = count;
        return parts === 3 ? [at, count, 0] : [at, count];
    },
    settings(call, values, { label, type }) {
        return [values === undefined ? 0 : call.module.settings(type, values, label, { bodies: call.bodies })];
    },
};

/** Returns the addresses that a result is written to, and a function that reads it after the call. */
const GIVE = {
    each({ module, count }, { type }) {
        const { structs } = module;
        const isStruct = structs.layout.has(type);
        const at = module.room(isStruct ? structs.size(type) : 1, count);
        return [[at], () => (isStruct ? structs.readArray(type, at, count) : structs.readNumbers(type, at, count))];
    },
    result(call, { type }) {
        const at = call.module.room(call.module.structs.size(type));
        return [[at], () => readResult(call, type, at)];
    },
    list({ module }, { type }) {
        const at = module.room(16);
        const { structs } = module;
        return [[at, at + 8], () =>
            structs.readNumbers(type, structs.readNumber("pointer", at), structs.readNumber("u64", at + 8))];
    },
};

/** Lengths of arrays that are no field of a result. */
const LENGTHS = {
    "rays + 1": ({ count }) => count + 1,
    vertices: ({ bodies }) => bodies.map(({ vertexCount }) => vertexCount),
    triangles: ({ bodies }) => bodies.map(({ triangleCount }) => triangleCount),
};

/** Reads a result: numbers, and copies of the arrays that it points to; null for those that were not requested. */
function readResult(call, name, at) {
    const { structs } = call.module;
    const result = structs.read(name, at);
    for (const [label, { kind, target, offset, count, length, width }] of structs.layout.get(name).fields) {
        if (kind === "struct" && structs.layout.get(target).isResult) {
            result[label] = readResult(call, target, at + offset);
        } else if (length !== undefined) {
            const lengths = LENGTHS[length]?.(call) ?? result[length];
            const read = (from, n) => (from === 0 && n > 0 ? null : structs.readList(target, from, n, width));
            result[label] = count === 1 ? read(structs.readNumber("pointer", at + offset), lengths)
                : Array.from(lengths, (n, i) => read(structs.readNumber("pointer", at + offset + 4 * i), n));
        }
    }
    return result;
}

/** A call of the table, with its arguments by name. */
function readCall([name, list]) {
    const inputs = [];
    const outputs = [];
    for (const [label, role, type, width, parts, initial] of list) {
        const isInput = Object.hasOwn(TAKE, role);
        (isInput ? inputs : outputs).push({ label, type, width, parts, initial, act: (isInput ? TAKE : GIVE)[role] });
    }
    return { name, inputs, outputs };
}

/** Makes a call of an object with the arguments of its method. Results come after all arguments. */
function runCall(object, { name, inputs, outputs }, values) {
    const { module } = object;
    return module.session(() => {
        const call = { module, bodies: [], count: 0 };
        const parameters = [object.pointer];
        inputs.forEach((one, i) => parameters.push(...one.act(call, values[i], one)));
        const readers = outputs.map((one) => {
            const [addresses, read] = one.act(call, one);
            parameters.push(...addresses);
            return read;
        });
        module.call(name, ...parameters);
        return readers.length === 1 ? readers[0]()
            : { ...readers[0](), ...Object.fromEntries(outputs.slice(1).map(({ label }, i) => [label, readers[i + 1]()])) };
    }, { ...object.callbacks });
}

/** Gives a class the methods of the table. */
export function addCalls(owner, Class, results = {}) {
    classes[owner] = Class;
    for (const [name, one] of Object.entries(calls[owner])) {
        const call = readCall(one);
        const read = results[name] ?? ((found) => found);
        const method = { [name](...values) { return read(runCall(this, call, values)); } }[name];
        Object.defineProperty(Class.prototype, name, { value: method, writable: true, configurable: true });
    }
}
