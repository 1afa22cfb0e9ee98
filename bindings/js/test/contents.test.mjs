// What is in the package: every function of the C library or the reason why not, the files that are
// published, and how large they are.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import * as pliant from "../../../build/js/package/index.js";
import * as asset from "../../../build/js/package/asset.js";

const root = new URL("../../../", import.meta.url);
const names = { ...pliant, ...asset };
const OF_ITSELF = new Set(["Asset.bodies", "Asset.clips", "Asset.notes", "Body.shape", "Readers.version"]); // fields

test("every public function of C is listed, and what is named for it is there", () => {
    const page = readFileSync(new URL("docs/js-functions.md", root), "utf8");
    const rows = new Map([...page.matchAll(/^\| `(pliant_\w+)` \| (.*?) \| (.*?) \|$/gm)].map((m) => [m[1], m.slice(2)]));
    const { functions } = JSON.parse(readFileSync(new URL("interface/api.json", root)));
    assert.deepEqual([...rows.keys()].sort(), functions.map(({ name }) => name).sort());
    for (const [name, [place, reason]] of rows) {
        if (place === "not there") {
            assert.ok(reason.length > 0, `${name} is not there, without a reason`);
        } else if (place !== "`settings`") {
            const [owner, member] = place.slice(1, -1).split(".");
            assert.ok(names[owner] !== undefined, `${name}: there is no ${owner}`);
            assert.ok(member === undefined || OF_ITSELF.has(`${owner}.${member}`) || member in names[owner].prototype,
                      `${name}: there is no ${owner}.${member}`);
        }
    }
});

test("what is published, and no more", () => {
    const folder = fileURLToPath(new URL("build/js/package", root));
    const [{ files }] = JSON.parse(execFileSync("npm", ["pack", "--dry-run", "--json", "--offline"],
                                                { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }));
    const sources = ["arrays", "asset", "body", "calls", "context", "errors", "handle", "layout",
                     "module", "query", "readers", "readers_text", "scene", "shape", "simd", "structs"];
    assert.deepEqual(files.map(({ path }) => path).sort(), [
        "LICENSE", "README.md", "asset.d.ts", "asset.js", "index.d.ts", "index.js", "package.json", "structs.d.ts",
        "three.d.ts", "three.js", ...sources.map((name) => `src/${name}.js`),
        ...["asset", "plain", "simd"].map((name) => `wasm/pliant-${name}.wasm`),
    ].sort());
});

test("modules stay small, compressed as they are sent", () => {
    const size = (name) => gzipSync(readFileSync(new URL(`build/js/package/wasm/pliant-${name}.wasm`, root)),
                                    { level: 9 }).length;
    assert.ok(size("simd") < 260_000 && size("plain") < 260_000, `${size("simd")}, ${size("plain")}`);
    assert.ok(size("asset") < 65_000, `${size("asset")}`);
});
