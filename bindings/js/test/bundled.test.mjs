// What bundlers make of the package works by itself, without settings: by esbuild, Vite and webpack.
import assert from "node:assert/strict";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";

const root = fileURLToPath(new URL("../../../build/js/", import.meta.url));
const require = createRequire(join(root, "index.js"));

/** A bundler of that name, or null where it is not installed. */
async function find(name) {
    try {
        return await import(pathToFileURL(require.resolve(name)));
    } catch {
        return null;
    }
}

const ENTRY = `
import { load, Body, Query, Shape } from "pliant";
import { Asset, loadReaders } from "pliant/asset";
export async function main() {
    const context = await load();
    const bytes = new TextEncoder().encode("v 0 0 0\\nv 1 0 0\\nv 0 1 0\\nf 1 2 3\\n");
    const asset = new Asset(await loadReaders(), "one.obj", { "one.obj": bytes });
    const shape = asset.createShape(context, 0);
    const [a, b] = [new Body(shape), new Body(shape)];
    b.setPositions([0.2, 0.2, -1, 0.2, 0.2, 1, 0.3, 0.3, 1]);
    return new Query(context).collide(a, b).count;
}
`;

/** Bundles the entry in a folder of its own beside the packages, and runs what comes out. */
async function tryBundler(bundle) {
    const folder = await mkdtemp(join(root, "bundle-"));
    try {
        await writeFile(join(folder, "entry.mjs"), ENTRY);
        await writeFile(join(folder, "package.json"), '{ "type": "module" }');
        await bundle(folder);
        const { main } = await import(pathToFileURL(join(folder, "out/bundle.js")));
        assert.equal(await main(), 1);
        return await readdir(join(folder, "out"), { recursive: true });
    } finally {
        await rm(folder, { recursive: true });
    }
}

const esbuild = await find("esbuild");
test("esbuild", { skip: esbuild ? false : "esbuild is not installed" }, async () => {
    await tryBundler((folder) => esbuild.default.build({
        entryPoints: [join(folder, "entry.mjs")], bundle: true, format: "esm", outfile: join(folder, "out/bundle.js"),
        external: ["node:fs/promises"], logLevel: "error",
    }));
});

const vite = await find("vite");
test("Vite", { skip: vite ? false : "Vite is not installed", timeout: 120000 }, async () => {
    await tryBundler((folder) => vite.build({
        root: folder, logLevel: "error", configFile: false,
        build: { lib: { entry: join(folder, "entry.mjs"), formats: ["es"], fileName: () => "bundle.js" },
                 outDir: "out", minify: false },
    }));
});

const webpack = await find("webpack");
test("webpack 5", { skip: webpack ? false : "webpack is not installed", timeout: 120000 }, async () => {
    await tryBundler((folder) => new Promise((resolve, reject) => {
        webpack.default({
            context: folder, entry: "./entry.mjs", mode: "development", devtool: false, target: "es2022",
            experiments: { outputModule: true },
            output: { path: join(folder, "out"), filename: "bundle.js", chunkFilename: "[id].js", module: true,
                      library: { type: "module" }, publicPath: "./", chunkLoading: "import", chunkFormat: "module" },
        }, (error, stats) => {
            if (error || stats.hasErrors()) {
                reject(error ?? new Error(stats.toString("errors-only")));
            } else {
                resolve();
            }
        });
    }));
});
