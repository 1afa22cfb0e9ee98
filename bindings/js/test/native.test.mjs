// The package beside the machine itself: pairs of every built-in scene, what files hold, and seeds of
// the fuzzer, which must not trap.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import * as pliant from "../../../build/js/package/index.js";
import { Asset, loadReaders } from "../../../build/js/package/asset.js";
import { describeAsset, playScene } from "./replay.mjs";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const program = join(root, "build/js/native/native");
const scenes = join(root, "build/js/native/scenes");
const assets = [join(root, "shared/assets"), join(root, "../shared/assets")].find(existsSync);
const skip = existsSync(program) ? false : "scripts/js --test builds what this compares with";
// Every ending of a file that is read.
const formats = [...readFileSync(join(root, "libs/asset/formats.inl"), "utf8").matchAll(/^FORMAT\(\w+, (\w+)/gm)]
    .map((line) => line[1]);
const isFormat = new RegExp(`\\.(${formats.join("|")})$`);
const GOLDEN = "0xe5f4bc4dd99e2020"; // of tests/library/test_determinism.c

function findFiles(folder, pattern) {
    return readdirSync(folder, { recursive: true }).map(String).filter((name) => pattern.test(name)).sort()
        .map((name) => join(folder, name)).filter((path) => statSync(path).isFile());
}

for (const simd of [true, false]) {
    test(`${simd ? "simd" : "plain"}: every built-in scene has the machine's pairs, and the golden hash`, { skip },
         async () => {
        const context = await pliant.load({ simd });
        const names = readdirSync(scenes);
        assert.ok(names.length >= 10, "all scenes were written");
        let touching = 0;
        for (const name of names) {
            const { different, pairCount, golden } = playScene(pliant, context, readFileSync(join(scenes, name)));
            assert.deepEqual(different, [], `steps of ${name}`);
            touching += pairCount > 0 ? 1 : 0;
            if (name === "spheres.scene") {
                assert.equal(golden, GOLDEN);
            }
        }
        assert.ok(touching >= 8, "scenes in which something touches");
    });
}

/** Beside the file, as the readers name it. */
const beside = (path) => (name) => {
    const full = join(dirname(path), name);
    return existsSync(full) ? readFileSync(full) : undefined;
};

test("readers find in real files what they find without WebAssembly", {
    skip: skip || (assets === undefined && "there are no files to read"),
}, async () => {
    const readers = await loadReaders();
    const files = findFiles(assets, isFormat).filter((path) => !path.includes("truth"));
    assert.ok(files.length > 30);
    for (const path of files) {
        const expected = execFileSync(program, ["asset", path], { encoding: "utf8", maxBuffer: 1 << 26,
                                                                  cwd: dirname(path) });
        const found = `${describeAsset({ Asset }, readers, basename(path), beside(path)).join("\n")}\n`;
        // Sentences may name the path as it was given.
        assert.equal(found, expected.replaceAll(`${dirname(path)}/`, ""), path);
    }
});

test("files that are fetched, missing, thrown at or torn off are told apart", async () => {
    const readers = await loadReaders();
    const buffer = Uint8Array.from(new Uint8Array(Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0).buffer));
    const gltf = new TextEncoder().encode(JSON.stringify({
        asset: { version: "2.0" }, scene: 0, scenes: [{ nodes: [0] }], nodes: [{ mesh: 0, name: "one" }],
        meshes: [{ primitives: [{ attributes: { POSITION: 0 } }] }],
        buffers: [{ byteLength: 36, uri: "part.bin" }], bufferViews: [{ buffer: 0, byteLength: 36 }],
        accessors: [{ bufferView: 0, componentType: 5126, count: 3, type: "VEC3", min: [0, 0, 0], max: [1, 1, 0] }],
    }));
    const asked = [];
    const asset = await Asset.load(readers, "in/one.gltf", async (path) => {
        asked.push(path);
        return path.endsWith(".bin") ? buffer : gltf;
    });
    assert.deepEqual(asked, ["in/one.gltf", "in/part.bin"]);
    assert.deepEqual([asset.shapeCount, asset.bodies[0].name, asset.bodies[0].motion], [1, "one", "still"]);
    const context = await pliant.load();
    const body = new pliant.Body(asset.createShape(context, 0));
    const pose = asset.createPose();
    pose.apply(0, body);
    assert.deepEqual(body.evaluate(), pose.evaluate(0));
    assert.throws(() => pose.sample("walk"), /no clip walk; there are none/);
    assert.throws(() => pose.sample(null, NaN), pliant.PliantError);
    assert.throws(() => asset.mesh(1), /no shape 1; there are 1/);
    assert.throws(() => pose.state(1), /no body 1/);
    await assert.rejects(Asset.load(readers, "one.gltf", (path) => path.endsWith(".bin") ? undefined : gltf),
                         (error) => error instanceof pliant.PliantError && /part\.bin/.test(error.message));
    assert.throws(() => new Asset(readers, "none.glb", {}), /none\.glb/);
    const mine = new Error("mine");
    assert.throws(() => new Asset(readers, "a.glb", () => { throw mine; }), (error) => error === mine);
    assert.throws(() => new Asset(readers, "a.glb", { "a.glb": "text" }), /a\.glb is given as an ArrayBuffer/);
    assert.throws(() => new Asset(readers, [], {}), /no path/);
    assert.throws(() => new Asset(readers, "a\0b", {}), /without zeros/);
    assert.throws(() => new Asset(readers, "a.####.ply", {}), pliant.PliantError);
    assert.throws(() => new Asset(readers, "one.gltf", { "one.gltf": gltf }, { repairs: true }), /no setting "repairs"/);
    assert.throws(() => new Asset(readers, "one.glb", { "one.glb": gltf.subarray(0, 20) }), pliant.PliantError);
    pose.dispose();
    asset.dispose();
    assert.throws(() => asset.mesh(0), /was disposed of/);
    const bytes = readers.memory.buffer.byteLength;
    for (let i = 0; i < 1000; i++) {
        const again = new Asset(readers, "one.gltf", { "one.gltf": gltf, "part.bin": buffer });
        again.createPose().dispose();
        again.dispose();
    }
    assert.equal(readers.memory.buffer.byteLength, bytes);
});

test("seeds of the fuzzer are read or refused, and never trap", { skip: existsSync(join(root, "fuzz/found")) ? false
    : "no seeds" }, async () => {
    const readers = await loadReaders();
    const context = await pliant.load();
    let refused = 0;
    const seeds = findFiles(join(root, "fuzz/found"), /./);
    const damaged = assets === undefined ? [] : findFiles(join(assets, "malformed"), isFormat);
    for (const path of [...seeds, ...damaged]) {
        const bytes = readFileSync(path);
        for (const kind of formats) {
            try {
                const asset = new Asset(readers, `seed.${kind}`, { [`seed.${kind}`]: bytes });
                const pose = asset.createPose();
                asset.bodies.forEach((_, b) => pose.evaluate(b));
                pose.dispose();
                asset.dispose();
            } catch (error) {
                assert.ok(error instanceof pliant.PliantError, `${path} as ${kind}: ${error.stack}`);
                refused++;
            }
        }
        try {
            new pliant.Shape(context, new Uint8Array(bytes)).dispose();
        } catch (error) {
            assert.ok(error instanceof pliant.PliantError, `${path} as a shape: ${error.stack}`);
        }
    }
    assert.ok(seeds.length > 0 && refused > 0);
});
