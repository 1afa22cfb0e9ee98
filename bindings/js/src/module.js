// One instance of the WebAssembly module: its memory, its calls, and what it imports.
import { namesOf, readArrays } from "./arrays.js";
import { PliantError } from "./errors.js";
import { parameters } from "./layout.js";
import { Structs, checkFunction, checkNumber, readLayout, settingsOf } from "./structs.js";

/** The smallest module that needs SIMD: machines that take it take ours. */
const SIMD_PROBE = new Uint8Array([
    0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15,
    253, 98, 11,
]);

/** Whether this machine runs WebAssembly with SIMD. */
export function hasSimd() {
    return WebAssembly.validate(SIMD_PROBE);
}

// WASI's numbers of errors for what a system does not have, and for a file that is not open.
const NOT_THERE = 52;
const NOT_OPEN = 8;

/** Functions of the page as settings: the name of each as an import, and the function that C is given. */
const CALLBACKS = {
    pliant_scene_filter: ["filterBodies", "pliant_js_get_filter"],
    pliant_body_filter: ["filterBody", "pliant_js_get_body_filter"],
};

/** A module that lies in a script as text. */
export function compileText(text) {
    return WebAssembly.compile(Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0)));
}

/** What the C library of WebAssembly asks a system for: a clock, and nothing else that is used. */
function wasiImports(module) {
    const wasi = {};
    for (const { module: from, name } of WebAssembly.Module.imports(module.compiled)) {
        if (from === "wasi_snapshot_preview1") {
            wasi[name] = () => NOT_THERE;
        }
    }
    wasi.clock_time_get = (clock, precision, at) => {
        module.view.setBigUint64(at >>> 0, BigInt(Math.round(performance.now() * 1e6)), true);
        return 0;
    };
    wasi.fd_prestat_get = () => NOT_OPEN; // no folders, which is what ends the search for them
    wasi.environ_sizes_get = (count, size) => {
        module.view.setUint32(count >>> 0, 0, true);
        module.view.setUint32(size >>> 0, 0, true);
        return 0;
    };
    wasi.proc_exit = (status) => {
        throw new Error(`the module ended with status ${status}`);
    };
    return wasi;
}

export class Module {
    /** @param {WebAssembly.Module} compiled */
    constructor(compiled) {
        this.compiled = compiled;
        this.lent = [];       // memory that lives until the end of the call under way
        this.callbacks = {};  // functions of the page that the call under way may run
        this.thrown = null;   // what one of them threw
        this.buffer = null;
    }

    static async create(compiled) {
        const module = new this(compiled);
        const instance = await WebAssembly.instantiate(compiled, {
            wasi_snapshot_preview1: wasiImports(module), env: module.imports(),
        });
        module.exports = instance.exports;
        module.memory = instance.exports.memory;
        instance.exports._initialize?.();
        module.start();
        return module;
    }

    /** What the module tells of itself once it runs. */
    start() {
        const layout = readLayout(new Uint32Array(this.memory.buffer, this.exports.pliant_js_get_layout()));
        this.structs = new Structs(this, layout);
    }

    imports() {
        const run = (name, missing, ...values) => {
            const callback = this.callbacks[name];
            if (this.thrown !== null || callback === undefined) {
                return missing;
            }
            try {
                return callback(...values) ? 1 : 0;
            } catch (error) {
                this.thrown = { error };
                return 0;
            }
        };
        return {
            filter_bodies: (a, ag, b, bg) =>
                run("filterBodies", 1, { index: a >>> 0, generation: ag >>> 0 },
                    { index: b >>> 0, generation: bg >>> 0 }),
            filter_body: (index, generation) =>
                run("filterBody", 1, { index: index >>> 0, generation: generation >>> 0 }),
            visit_bound: (bound) => run("visitBound", 0, this.structs.read("pliant_bound", bound)),
            record: (at, size) => run("record", 0, this.copyOut(Uint8Array, at >>> 0, size >>> 0)),
            log: (level, at, length) => {
                const sentence = this.text(at, length);
                try {
                    this.logger?.(level === 0 ? "info" : "warning", sentence);
                } catch (error) {
                    this.thrown ??= { error };
                }
            },
        };
    }

    /** The memory as it is now: it moves when it grows. */
    renew() {
        if (this.buffer !== this.memory.buffer) {
            this.buffer = this.memory.buffer;
            this.views = new Map();
            this.dataView = new DataView(this.buffer);
        }
    }

    get view() {
        this.renew();
        return this.dataView;
    }

    /** All of the memory as an array of one kind of number. */
    array(Kind) {
        this.renew();
        let view = this.views.get(Kind);
        if (view === undefined) {
            const count = Math.floor(this.buffer.byteLength / Kind.BYTES_PER_ELEMENT);
            view = new Kind(this.buffer, 0, count);
            this.views.set(Kind, view);
        }
        return view;
    }

    copyOut(Kind, at, count) {
        return count === 0 ? new Kind(0) : this.array(Kind).slice(at / Kind.BYTES_PER_ELEMENT,
                                                                  at / Kind.BYTES_PER_ELEMENT + count);
    }

    /** WebAssembly gives addresses from 2 GiB on as negative numbers, here and below. */
    text(address, length) {
        const at = address >>> 0;
        return new TextDecoder().decode(this.array(Uint8Array).slice(at, at + (length >>> 0)));
    }

    /** A text of the library that ends in 0. */
    sentence(address) {
        const at = address >>> 0;
        const bytes = this.array(Uint8Array);
        return this.text(at, bytes.indexOf(0, at) - at);
    }

    /** Memory for `count` elements of `size` bytes each: the only place where sizes are computed. */
    allocate(size, count = 1) {
        const bytes = size * count;
        const at = Number.isSafeInteger(bytes) && bytes >= 0
            ? this.exports.pliant_js_allocate(Math.max(bytes, 1)) >>> 0 : 0;
        if (at === 0) {
            throw new PliantError("PLIANT_ERROR_OUT_OF_MEMORY", `no memory for ${bytes} bytes`);
        }
        return at;
    }

    release(at) {
        this.exports.pliant_js_release(at);
    }

    /** Memory until the end of the call under way, filled with 0. */
    room(size, count = 1) {
        const at = this.allocate(size, count);
        this.lent.push(at);
        this.array(Uint8Array).fill(0, at, at + size * count);
        return at;
    }

    /** A typed array's numbers in the module's memory until the end of the call under way. */
    lend(numbers) {
        const { buffer, byteOffset, byteLength } = numbers;
        const isOwn = buffer === this.memory.buffer; // a memory that grows gets another buffer
        const at = this.allocate(byteLength);
        this.lent.push(at);
        this.array(Uint8Array).set(new Uint8Array(isOwn ? this.memory.buffer : buffer, byteOffset, byteLength), at);
        return at;
    }

    /** An array that stays as it is while memory is lent: a copy, if it lies in the module's memory. */
    keep(values) {
        return ArrayBuffer.isView(values) && values.buffer === this.memory.buffer ? values.slice() : values;
    }

    /** Reads settings and their arrays once, before memory is lent. `known` has lengths that the call knows. */
    readSettings(name, values, argument, known) {
        const given = { ...settingsOf(values, argument) };
        return { given, writers: readArrays(this, name, given, known) };
    }

    /**
     * Writes settings into a struct. `special` has functions for fields by name, and `bodies` those that a list of
     * groups is for.
     */
    writeSettings(name, at, { given, writers }, { bodies, ...special } = {}) {
        const { fields } = this.structs.layout.get(name);
        const names = fields.has("tag") ? undefined : namesOf(name);
        for (const [label, value] of Object.entries(given)) {
            const field = fields.get(label);
            if (value === undefined) {
                continue;
            }
            if (Object.hasOwn(writers, label)) {
                writers[label](at);
            } else if (Object.hasOwn(special, label)) {
                special[label](value, at);
            } else if (field?.kind === "callback") {
                checkFunction(value, label);
                const [callback, getter] = CALLBACKS[field.target];
                this.callbacks[callback] = value;
                this.structs.writeNumber("callback", at + field.offset, this.exports[getter]());
            } else if (field?.kind === "pointer" && field.target === "pliant_groups") {
                this.structs.setGroupsOfBodies(at + field.offset, label, value, bodies);
            } else if (field === undefined || label === "tag" || field.kind === "pointer" || names?.includes(label) === false) {
                throw new TypeError(`there is no setting "${label}" here`);
            } else {
                this.structs.set(name, at, label, value);
            }
        }
    }

    /** Settings as a struct of the library, its defaults where `values` says nothing. */
    settings(name, values, argument, special) {
        const read = this.readSettings(name, values, argument);
        const size = this.structs.size(name);
        const at = this.room(size);
        this.exports[`${name}_fill`]?.(size, at);
        this.writeSettings(name, at, read, special);
        return at;
    }

    /**
     * Runs `work`, then gives back what it borrowed. Questions asked by the page's functions while
     * another is under way have lists of their own.
     */
    session(work, callbacks = {}) {
        const outer = { lent: this.lent, callbacks: this.callbacks, thrown: this.thrown };
        this.lent = [];
        this.callbacks = callbacks;
        this.thrown = null;
        let thrown = null;
        try {
            return work();
        } finally {
            for (const at of this.lent) {
                this.release(at);
            }
            thrown = this.thrown;
            Object.assign(this, outer);
            if (thrown !== null) {
                // eslint-disable-next-line no-unsafe-finally -- the page's own error comes first
                throw thrown.error;
            }
        }
    }

    /**
     * Calls a function that returns a pliant_result, and throws what it refuses. WebAssembly would
     * round and wrap numbers without a word, so each must be what the function's parameter can hold.
     */
    call(name, ...values) {
        const checked = parameters[name]?.map(([label, kind], i) => {
            const value = checkNumber(kind, label, values[i]);
            return kind === "u64" ? BigInt(value) : value;
        });
        const result = this.exports[name](...(checked ?? values));
        if (this.thrown !== null) {
            const { error } = this.thrown;
            this.thrown = null;
            throw error;
        }
        if (result !== 0) {
            const code = this.sentence(this.exports.pliant_result_get_name(result));
            throw new PliantError(code, this.sentence(this.exports.pliant_last_error()));
        }
    }

    /** Calls a function whose last parameter is an object that it creates. */
    create(name, ...values) {
        const at = this.room(4);
        try {
            this.call(name, ...values, at);
        } catch (error) {
            const made = this.view.getUint32(at, true);
            if (made !== 0) { // only the page's log has thrown
                const [, kind] = /^pliant_(?:js_)?(?:create_)?(.*?)(?:_create|_read|_load)?$/.exec(name);
                this.exports[`pliant_${kind}_destroy`](made);
            }
            throw error;
        }
        return this.view.getUint32(at, true);
    }
}
