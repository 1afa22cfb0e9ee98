import { Handle } from "./handle.js";
import { Module, compileText, hasSimd } from "./module.js";
import { enumValue } from "./structs.js";

/** What all objects are made from: one instance of the module, with memory of its own. */
export class Context extends Handle {
    /** Use load(). @internal */
    constructor(module, { isa = "best", log } = {}) {
        module.logger = log;
        super(module, "pliant_context_destroy", module.session(() =>
            module.create("pliant_js_create_context", enumValue("pliant_isa", isa, "isa"), log ? 1 : 0)));
    }

    /** The version of the library and the instruction sets it has. */
    get version() {
        return this.module.sentence(this.module.exports.pliant_version());
    }

    /** The instruction set in use: "baseline" is SIMD. */
    get isa() {
        const isa = this.module.exports.pliant_context_get_isa(this.pointer);
        return this.module.sentence(this.module.exports.pliant_isa_get_name(isa));
    }

    /** Bytes of memory that the module has. It never shrinks. */
    get bytes() {
        return this.module.memory.buffer.byteLength;
    }
}

/** The compiled module that this machine can run: the one with SIMD lies in the package's script. */
async function compile(simd) {
    if (simd) {
        const { default: text } = await import("./simd.js");
        return compileText(text);
    }
    const url = new URL("../wasm/pliant-plain.wasm", import.meta.url);
    if (url.protocol === "file:") {
        const { readFile } = await import(/* webpackIgnore: true */ /* @vite-ignore */ "node:fs/promises");
        return WebAssembly.compile(await readFile(url));
    }
    const response = await fetch(url);
    if (!response.ok) {
        throw new Error(`${url} cannot be read: status ${response.status}`);
    }
    return WebAssembly.compile(await response.arrayBuffer());
}

/**
 * Loads the library: a context that everything else is made from.
 * @param {import("../index.js").LoadOptions} [options]
 */
export async function load({ module, simd, ...rest } = {}) {
    for (const label of Object.keys(rest)) {
        if (label !== "isa" && label !== "log") {
            throw new TypeError(`load() has no setting "${label}"`);
        }
    }
    const wide = simd ?? (rest.isa !== "plain" && hasSimd()); // that module has no other kernels
    return new Context(await Module.create(module ?? await compile(wide)), rest);
}
