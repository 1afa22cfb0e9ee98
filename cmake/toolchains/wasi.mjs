// Runs a WebAssembly program with Node's WASI: node wasi.mjs PROGRAM [ARGUMENT...]
import { readFile } from "node:fs/promises";
import { WASI } from "node:wasi";

const wasi = new WASI({
    version: "preview1",
    args: process.argv.slice(2),
    env: process.env,
    preopens: { "/": "/", ".": "." },
    returnOnExit: true,
});
const module = await WebAssembly.compile(await readFile(process.argv[2]));
const instance = await WebAssembly.instantiate(module, wasi.getImportObject());
process.exitCode = wasi.start(instance);
