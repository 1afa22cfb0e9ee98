// The package in a real browser, served as plain files without a bundler: the determinism test's hash,
// every built-in scene, the readers, and a worker that is given a compiled module.
import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { extname, join, normalize } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const scenes = join(root, "build/js/native/scenes");
const browser = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find(existsSync);
let chromium = null;
try {
    ({ chromium } = createRequire(new URL("../../../build/js/", import.meta.url))("playwright-core"));
} catch {
    // not installed
}
const skip = chromium === null ? "playwright-core is not installed" : browser === undefined ? "there is no chromium"
    : existsSync(scenes) ? false : "scripts/js --test builds what this compares with";

const TYPES = { ".js": "text/javascript", ".mjs": "text/javascript", ".wasm": "application/wasm", ".html": "text/html" };

/** Serves the project's files on loopback. */
async function serve() {
    const server = createServer((request, response) => {
        const path = join(root, normalize(decodeURIComponent(new URL(request.url, "http://x").pathname)));
        if (request.url === "/") {
            response.setHeader("content-type", "text/html").end("<!doctype html><title>test</title>");
        } else if (existsSync(path)) {
            response.setHeader("content-type", TYPES[extname(path)] ?? "application/octet-stream");
            response.end(readFileSync(path));
        } else {
            response.writeHead(404).end();
        }
    });
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    return server;
}

/** Runs in the page. */
async function play({ simd, names }) {
    const pliant = await import("/build/js/package/index.js");
    const { playScene } = await import("/bindings/js/test/replay.mjs");
    const context = await pliant.load({ simd });
    const answers = {};
    for (const name of names) {
        const bytes = await (await fetch(`/build/js/native/scenes/${name}`)).arrayBuffer();
        answers[name] = playScene(pliant, context, new Uint8Array(bytes));
    }
    return { isa: context.isa, answers };
}

/** Runs in the page: a worker is sent the module, compiled there once. */
async function workInWorker() {
    const script = `
        import { load, Query, Shape, Body } from "${location.origin}/build/js/package/index.js";
        onmessage = async ({ data: { module } }) => {
            const context = await load({ module });
            const shape = new Shape(context, { positions: [0, 0, 0, 1, 0, 0, 0, 1, 0], triangles: [0, 1, 2] });
            const [a, b] = [new Body(shape), new Body(shape)];
            b.setPositions([0.2, 0.2, -1, 0.2, 0.2, 1, 0.3, 0.3, 1]);
            postMessage(new Query(context).collide(a, b).count);
        };`;
    const worker = new Worker(URL.createObjectURL(new Blob([script], { type: "text/javascript" })), { type: "module" });
    const module = await WebAssembly.compileStreaming(fetch("/build/js/package/wasm/pliant-simd.wasm"));
    return new Promise((resolve, reject) => {
        worker.onmessage = ({ data }) => resolve(data);
        worker.onerror = ({ message }) => reject(new Error(message));
        worker.postMessage({ module });
    });
}

/** Runs in the page. */
async function readAsset() {
    const { Asset, loadReaders } = await import("/build/js/package/asset.js");
    const bytes = new TextEncoder().encode("o one\nv 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    const asset = await Asset.load(await loadReaders(), "one.obj", async () => bytes);
    return [asset.bodies[0].name, asset.mesh(0).triangleCount];
}

test("chromium: hashes, scenes, readers and a worker", { skip, timeout: 300000 }, async () => {
    const server = await serve();
    const running = await chromium.launch({
        executablePath: browser, args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--disable-quic", "--no-first-run",
            "--disable-background-networking", "--disable-component-update", "--disable-sync"],
    });
    try {
        const page = await running.newPage();
        await page.goto(`http://127.0.0.1:${server.address().port}/`);
        const names = readdirSync(scenes);
        for (const simd of [true, false]) {
            const { isa, answers } = await page.evaluate(play, { simd, names });
            assert.equal(isa, simd ? "baseline" : "plain");
            for (const [name, { different }] of Object.entries(answers)) {
                assert.deepEqual(different, [], `steps of ${name}`);
            }
            assert.equal(answers["spheres.scene"].golden, "0xe5f4bc4dd99e2020");
        }
        assert.equal(await page.evaluate(workInWorker), 1);
        assert.deepEqual(await page.evaluate(readAsset), ["one", 1]);
        await page.goto(`http://127.0.0.1:${server.address().port}/bindings/js/examples/picking.html`);
        const { width, height } = page.viewportSize();
        await page.waitForFunction(() => /pairs touch/.test(document.querySelector("output").value));
        await page.mouse.move(width / 2, 0.6 * height);
        await page.waitForFunction(() => /triangle \d+ is under the pointer/.test(document.querySelector("output").value));
        await page.waitForFunction(() => /^[1-9]\d* pairs/.test(document.querySelector("output").value));
        if (process.env.PLIANT_JS_PICTURE) {
            await page.screenshot({ path: process.env.PLIANT_JS_PICTURE });
        }
    } finally {
        await running.close();
        server.close();
    }
});
