// The module of the readers: it has a memory of its own, and the page has the files.
import { Module, compileText } from "./module.js";

const LEAST_ADDRESS = 8; // NULL and what no address can be lie below

export class Readers extends Module {
    constructor(compiled) {
        super(compiled);
        this.files = null; // what the call under way may read: a function from path to bytes
    }

    start() {
        this.version = this.sentence(this.exports.pliant_asset_version());
    }

    imports() {
        const find = (at, length) => {
            if (this.thrown !== null || this.files === null) {
                return undefined;
            }
            try {
                return this.files(this.text(at, length));
            } catch (error) {
                this.thrown = { error };
                return undefined;
            }
        };
        return {
            file_size: (at, length) => find(at, length)?.length ?? -1,
            file_read: (at, length, offset, buffer, count) => {
                const part = find(at, length)?.subarray(offset, offset + (count >>> 0));
                if (part === undefined || part.length !== count >>> 0) {
                    return 0;
                }
                this.array(Uint8Array).set(part, buffer >>> 0);
                return 1;
            },
        };
    }

    /** A text of the page, which ends in 0, until the end of the call under way. */
    lendText(text, label) {
        if (typeof text !== "string" || text.includes("\0")) {
            throw new TypeError(`${label} is a text without zeros, not ${String(text)}`);
        }
        return this.lend(new TextEncoder().encode(`${text}\0`));
    }

    /** The texts of an array of addresses. */
    readTexts(at, count) {
        return at < LEAST_ADDRESS ? [] : Array.from(this.copyOut(Uint32Array, at, count),
                                                    (text) => this.sentence(text));
    }

    /** An array of the readers, or null where they have none. */
    readArray(Kind, at, count) {
        return at < LEAST_ADDRESS ? null : this.copyOut(Kind, at, count);
    }
}

/**
 * Loads the readers, once for all files.
 * @param {{ module?: WebAssembly.Module }} [options] a compiled wasm/pliant-asset.wasm
 */
export async function loadReaders({ module, ...rest } = {}) {
    for (const label of Object.keys(rest)) {
        throw new TypeError(`loadReaders() has no setting "${label}"`);
    }
    if (module === undefined) {
        const { default: text } = await import("./readers_text.js");
        return Readers.create(await compileText(text));
    }
    return Readers.create(module);
}
