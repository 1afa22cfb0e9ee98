// What a bundler makes of the package works by itself.
import assert from "node:assert/strict";
import { mkdtemp } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { test } from "node:test";
import { pathToFileURL } from "node:url";

const root = new URL("../../../build/js/", import.meta.url);
const require = createRequire(root);
let esbuild = null;
try {
    esbuild = require("esbuild");
} catch {
    // not installed
}

test("one file by esbuild, without anything beside it", { skip: esbuild ? false : "esbuild is not installed" },
     async () => {
    const folder = await mkdtemp(join(process.env.TMPDIR ?? "/tmp", "pliant-js-"));
    const outfile = join(folder, "bundle.mjs");
    await esbuild.build({
        stdin: { contents: 'export { load, Query } from "pliant";', resolveDir: root.pathname },
        bundle: true, format: "esm", platform: "neutral", external: ["node:fs/promises"], outfile,
        logLevel: "silent",
    });
    const { load, Query } = await import(pathToFileURL(outfile));
    assert.equal(new Query(await load()).stats.pairs, 0);
});
