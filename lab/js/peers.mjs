// js-peers: the package beside three-mesh-bvh in Node, and beside the C library with registers of 128
// bits on the same machine.
//
//     scripts/js --test && node lab/js/peers.mjs [--rounds 5] [--into lab/results/scenes/NAME-js.json]
//
// Methods take turns within a round, so that whatever else the machine does slows all of them; the
// least time of each step counts, and a figure is the sum over steps or, for creation, one shape.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { parseArgs } from "node:util";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Body, Query, Shape, load } from "../../build/js/package/index.js";
import { MeshBody, acceleratedSkinnedRaycast } from "../../build/js/package/three.js";
import { SceneReader } from "../../bindings/js/test/replay.mjs";

const build = fileURLToPath(new URL("../../build/js/", import.meta.url));
const importPeer = (path) => import(pathToFileURL(`${build}node_modules/${path}`));
const THREE = await importPeer("three/build/three.module.js");
const { MeshBVH, SkinnedMeshBVH, ExtendedTriangle } = await importPeer("three-mesh-bvh/src/index.js");

const { values: options } = parseArgs({ options: { rounds: { type: "string", default: "5" }, into: { type: "string" } } });
const rounds = Number(options.rounds);
const STEPS = 20;

/** Times methods in turn on each step; the least of each over the rounds, summed. */
function race(methods, stepCount, turns = rounds) {
    const least = methods.map(() => new Float64Array(stepCount).fill(Infinity));
    const answers = methods.map(() => []);
    for (let round = 0; round <= turns; round++) { // the first warms up
        for (let step = 0; step < stepCount; step++) {
            methods.forEach(({ prepare, run }, m) => {
                prepare?.(step);
                const start = performance.now();
                const answer = run(step);
                const taken = performance.now() - start;
                if (round > 0) {
                    least[m][step] = Math.min(least[m][step], taken);
                }
                answers[m][step] = answer;
            });
        }
    }
    return methods.map(({ name }, m) => ({ name, ms: least[m].reduce((a, b) => a + b), answers: answers[m] }));
}

const wholeGeometry = (positions, triangles) => new THREE.BufferGeometry()
    .setAttribute("position", new THREE.BufferAttribute(positions, 3))
    .setIndex(new THREE.BufferAttribute(Uint32Array.from(triangles), 1));

/** Two balls with travelling bumps, one moving into the other. */
function spheres(context) {
    const source = new THREE.SphereGeometry(1, 123, 83); // 20,172 triangles
    const rest = source.attributes.position.array;
    const triangles = Uint32Array.from(source.index.array);
    const states = [-1, 1].map((side) => Array.from({ length: STEPS }, (_, step) => {
        const moved = new Float32Array(rest.length);
        for (let i = 0; i < rest.length; i += 3) {
            const bump = 1 + 0.05 * Math.sin(12 * rest[i + 2] + 0.3 * step) * Math.cos(9 * rest[i] - 0.2 * step);
            moved[i] = rest[i] * bump + side * (1.05 - (0.15 * step) / STEPS);
            moved[i + 1] = rest[i + 1] * bump + 0.05 * side;
            moved[i + 2] = rest[i + 2] * bump;
        }
        return moved;
    }));
    const bodies = states.map(([first]) => new Body(new Shape(context, { positions: first, triangles })));
    const query = new Query(context);
    const trees = states.map(([first]) => new MeshBVH(wholeGeometry(first.slice(), triangles)));
    const none = new THREE.Matrix4();
    return race([
        { name: "pliant",
          prepare: (step) => bodies.forEach((body, i) => body.positions.set(states[i][step])),
          run: () => {
              bodies.forEach((body) => body.positionsChanged());
              return query.collide(bodies[0], bodies[1]).count;
          } },
        { name: "three-mesh-bvh, refit and bvhcast",
          prepare: (step) => trees.forEach((tree, i) => tree.geometry.attributes.position.array.set(states[i][step])),
          run: () => {
              trees.forEach((tree) => tree.refit());
              let count = 0;
              trees[0].bvhcast(trees[1], none, { intersectsTriangles: (a, b) => {
                  count += a.intersectsTriangle(b) ? 1 : 0;
                  return false;
              } });
              return count;
          } },
    ], STEPS);
}

/** The built-in figure as a SkinnedMesh whose bones are its transforms, and a small ball at it. */
function makeCharacter() {
    const reader = new SceneReader(readFileSync(`${build}native/peers/figure.scene`));
    const { bodies: [{ def, jointCount }], steps } = reader.head();
    const states = Array.from({ length: steps + 1 }, () => reader.step()[0].transforms);
    const count = def.positions.length / 3;
    const geometry = wholeGeometry(def.positions.slice(), def.triangles);
    const [joints, weights] = [new Uint16Array(4 * count), new Float32Array(4 * count)];
    for (let v = 0; v < count; v++) {
        const [first, last] = [def.influenceOffsets[v], def.influenceOffsets[v + 1]];
        if (last - first > 4) {
            throw new Error("three.js has four influences");
        }
        joints.set(def.influenceJoints.subarray(first, last), 4 * v);
        weights.set(def.influenceWeights.subarray(first, last), 4 * v);
    }
    geometry.setAttribute("skinIndex", new THREE.BufferAttribute(joints, 4));
    geometry.setAttribute("skinWeight", new THREE.BufferAttribute(weights, 4));
    const bones = Array.from({ length: jointCount }, () => new THREE.Bone());
    const mesh = new THREE.SkinnedMesh(geometry, new THREE.MeshBasicMaterial({ side: THREE.DoubleSide }));
    mesh.bind(new THREE.Skeleton(bones, bones.map(() => new THREE.Matrix4())), new THREE.Matrix4());
    const pose = (step) => {
        bones.forEach((bone, j) => {
            const t = states[step].subarray(12 * j, 12 * j + 12);
            bone.matrixWorld.set(...t, 0, 0, 0, 1);
        });
        mesh.skeleton.update();
    };
    pose(0);
    return { mesh, pose, triangles: def.triangles.length / 3 };
}

function character(context) {
    const { mesh, pose, triangles } = makeCharacter();
    const body = new MeshBody(context, mesh);
    const tree = new SkinnedMeshBVH(mesh);
    // A ball of 80 triangles that goes with what is the figure's highest vertex at the start.
    const [lowest, highest] = [body.bounds.slice(0, 3), body.bounds.slice(3)];
    const vertices = body.evaluate();
    let top = 0;
    for (let i = 0; i < vertices.length; i += 3) {
        top = vertices[i + 1] > vertices[top + 1] ? i : top;
    }
    const size = Math.hypot(...highest.map((x, k) => x - lowest[k]));
    const places = Array.from({ length: STEPS }, (_, step) => {
        pose(step);
        body.update();
        return new THREE.Vector3(...body.evaluate([top / 3]));
    });
    const moves = places.map((place) => new THREE.Matrix4().setPosition(place));
    const ball = new THREE.IcosahedronGeometry(0.03 * size, 1);
    const ballPositions = Float32Array.from(ball.attributes.position.array);
    const ballTriangles = Uint32Array.from({ length: ballPositions.length / 3 }, (_, i) => i);
    const ballBody = new Body(new Shape(context, { positions: ballPositions, triangles: ballTriangles }));
    const ballTree = new MeshBVH(wholeGeometry(ballPositions, ballTriangles));
    const query = new Query(context);
    const [one, other] = [new ExtendedTriangle(), new ExtendedTriangle()];
    const corners = [one.a, one.b, one.c];
    const touch = (step) => {
        let count = 0;
        const index = mesh.geometry.index.array;
        tree.bvhcast(ballTree, moves[step], { intersectsRanges: (first, n, second, m) => {
            for (let i = first; i < first + n; i++) {
                const t = tree.resolvePrimitiveIndex(i);
                corners.forEach((corner, k) => mesh.getVertexPosition(index[3 * t + k], corner));
                one.needsUpdate = true;
                for (let j = second; j < second + m; j++) {
                    const u = ballTree.resolveTriangleIndex(j);
                    const ours = ballTree.geometry.index.array;
                    [other.a, other.b, other.c].forEach((corner, k) => corner.fromArray(ballPositions, 3 * ours[3 * u + k]).add(places[step]));
                    other.needsUpdate = true;
                    count += one.intersectsTriangle(other) ? 1 : 0;
                }
            }
            return false;
        } });
        return count;
    };
    const contact = race([
        { name: "pliant", prepare: pose, run: (step) => {
            body.update();
            ballBody.setWorldMatrix(Float32Array.from(moves[step].elements));
            return query.collide(body, ballBody).count;
        } },
        { name: "SkinnedMeshBVH, refit and bvhcast", prepare: pose, run: (step) => {
            tree.refit();
            return touch(step);
        } },
    ], STEPS);
    // One ray from in front, a little below that vertex.
    const raycaster = new THREE.Raycaster();
    raycaster.firstHitOnly = true;
    const aim = (step) => {
        const target = places[step].clone().add(new THREE.Vector3(0, -0.02 * size, 0));
        const origin = target.clone().add(new THREE.Vector3(0.2, 0.1, 2).multiplyScalar(size));
        raycaster.set(origin, target.sub(origin).normalize());
        pose(step);
    };
    mesh.pliant = body;
    const castOurs = () => {
        const hits = [];
        acceleratedSkinnedRaycast.call(mesh, raycaster, hits);
        return hits[0]?.distance.toPrecision(5) ?? null;
    };
    const castTheirs = () => tree.raycastObject3D(mesh, raycaster, [])[0]?.distance.toPrecision(5) ?? null;
    const pick = race([
        { name: "pliant", prepare: aim, run: () => {
            body.update();
            return castOurs();
        } },
        { name: "SkinnedMeshBVH, refit and one ray", prepare: aim, run: () => {
            tree.refit();
            return castTheirs();
        } },
    ], STEPS);
    const again = race([
        { name: "pliant", prepare: (step) => { aim(step); body.update(); castOurs(); }, run: castOurs },
        { name: "SkinnedMeshBVH, one ray in a pose that was refitted", prepare: (step) => { aim(step); tree.refit(); },
          run: castTheirs },
    ], STEPS);
    return { triangles, contact, pick, again };
}

/** The same scene by the C library with registers of 128 bits, and how long a shape takes. */
function native(context) {
    const path = `${build}native/peers/spheres.scene`;
    const reader = new SceneReader(readFileSync(path));
    const { bodies, steps } = reader.head();
    const states = Array.from({ length: steps + 1 }, () => reader.step().map(({ positions }) => positions));
    const quick = 8 * rounds; // no peer has to be waited for
    const query = new Query(context);
    const made = bodies.map(({ def }) => new Body(new Shape(context, def)));
    const here = { shape_ms: Infinity, steps_ms: Infinity };
    const there = { shape_ms: Infinity, steps_ms: Infinity };
    for (let turn = 0; turn < 4; turn++) { // in turn; the first of each is also what warms up
        for (let k = 0; k < rounds; k++) {
            const start = performance.now();
            const shape = new Shape(context, bodies[1].def);
            there.shape_ms = Math.min(there.shape_ms, performance.now() - start);
            shape.dispose();
        }
        const [{ ms, answers }] = race([{ name: "wasm",
            prepare: (step) => made.forEach((body, i) => body.positions.set(states[step][i])),
            run: () => {
                made.forEach((body) => body.positionsChanged());
                return query.collide(made[0], made[1]).count;
            } }], steps + 1, quick);
        const answer = JSON.parse(execFileSync(`${build}native/native`, ["time", path, String(quick)], { encoding: "utf8" }));
        if (answer.pairs !== answers.reduce((a, b) => a + b)) {
            throw new Error(`${answer.pairs} pairs here, others in WebAssembly`);
        }
        there.steps_ms = Math.min(there.steps_ms, ms);
        here.shape_ms = Math.min(here.shape_ms, answer.shape_ms);
        here.steps_ms = Math.min(here.steps_ms, answer.steps_ms);
    }
    return { here, there };
}

const context = await load();
const round = (x) => Number(x.toPrecision(4));
const rows = [];
function report(question, [ours, theirs], aim) {
    const row = { question, ours_ms: round(ours.ms), peer: theirs.name, peer_ms: round(theirs.ms),
                  ratio: round(theirs.ms / ours.ms), aim, ours_found: ours.answers, peer_found: theirs.answers };
    rows.push(row);
    console.log(`${question}: ${row.ours_ms} ms beside ${row.peer_ms} of ${row.peer}: ${row.ratio} x (aim ${aim})`);
}
report("two spheres of 20,172 triangles, 20 steps", spheres(context), 20);
const { triangles, contact, pick, again } = character(context);
report(`character of ${triangles} triangles in small contact, 20 steps`, contact, 50);
report("one pick ray at it in a new pose, 20 steps", pick, 10);
report("one pick ray at it in the same pose, 20 times", again, 1);
const { here, there } = native(context);
for (const [what, label, most] of [["steps_ms", "spheres of 20,480 triangles, 21 steps", 1.4],
                                   ["shape_ms", "creating a shape of 20,480 triangles", 3]]) {
    const row = { question: label, wasm_ms: round(there[what]), native_ms: round(here[what]),
                  ratio: round(there[what] / here[what]), most };
    rows.push(row);
    console.log(`${label}: ${row.wasm_ms} ms, ${row.native_ms} by the C library: ${row.ratio} x (at most ${most})`);
}
if (options.into) {
    const version = (name) => JSON.parse(readFileSync(`${build}node_modules/${name}/package.json`)).version;
    writeFileSync(options.into, `${JSON.stringify({
        schema: 1, experiment: "js-peers", date: new Date().toISOString(), rounds,
        machine: { cpu: cpus()[0].model, cores: cpus().length, node: process.version },
        peers: { three: version("three"), "three-mesh-bvh": version("three-mesh-bvh") }, rows,
    }, null, 2)}\n`);
}
