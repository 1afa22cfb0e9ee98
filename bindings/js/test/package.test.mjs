// The package against brute force, and its rules: settings, errors, memory, lifetimes.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import * as pliant from "../../../build/js/package/index.js";
import { ball, bruteForce, sheet } from "./worlds.mjs";

const { Body, Contours, PliantError, Query, Scene, Shape, Volume, load, words } = pliant;

for (const simd of [true, false]) {
    const kind = simd ? "simd" : "plain";

    test(`${kind}: pairs are those of brute force, however the positions are given`, async () => {
        const context = await load({ simd });
        assert.equal(context.isa, simd ? "baseline" : "plain");
        const first = ball(10);
        const second = ball(9, 1, [1.3, 0.1, 0.2], 0.15, 1);
        const a = new Body(new Shape(context, first));
        const shape = new Shape(context, { ...second, positions: ball(9).positions });
        const b = new Body(shape);
        b.setPositions(second.positions);
        const query = new Query(context);
        const expected = bruteForce(context, first, second);
        assert.ok(expected.length > 100);
        const { pairs, count, complete, segments } = query.collide(a, b, { segments: true });
        assert.deepEqual(pairs, expected);
        assert.equal(count, expected.length / 2);
        assert.equal(complete, true);
        assert.equal(segments.p.length, 3 * count);
        b.positions.set(ball(9, 1, [9, 0, 0]).positions);
        b.positionsChanged();
        assert.equal(query.collide(a, b).count, 0);
        b.positions.set(second.positions);
        b.positionsChanged();
        assert.deepEqual(query.collide(a, b).pairs, expected);
        assert.equal(query.collide(a, b, { mode: "first" }).count, 1);
        assert.equal(query.collide(a, b).separations, null);
        assert.ok(query.stats.triangleTests > 0 && query.stats.pairs === count);
    });

    test(`${kind}: blended and reduced bodies agree with their evaluated vertices`, async () => {
        const context = await load({ simd });
        const mesh = ball(8);
        const vertices = mesh.positions.length / 3;
        const height = (i) => Math.min(1, Math.max(0, (mesh.positions[3 * i + 1] + 1) / 2));
        const weights = Float32Array.from({ length: 2 * vertices }, (_, i) =>
            i % 2 === 0 ? height(i >> 1) : 1 - height(i >> 1));
        const joints = Uint8Array.from({ length: 2 * vertices }, (_, i) => i % 2);
        const blended = new Body(new Shape(context, {
            ...mesh, jointCount: 2, slotCount: 2, slotJoints: joints, slotWeights: weights,
        }));
        blended.setTransforms([1, 0, 0, 0.2, 0, 1, 0, 0.5, 0, 0, 1, 0, 1, 0, 0, -0.4, 0, 1, 0, 0, 0, 0, 1, 0.3]);
        const reduced = new Body(new Shape(context, {
            ...mesh, modeCount: 1, jointCount: 1, modes: mesh.positions.map((x) => 0.2 * x),
        }));
        reduced.setState({ coordinates: [0.7], transforms: [0, -1, 0, 1, 1, 0, 0, 0, 0, 0, 1, 0] });
        const query = new Query(context);
        const expected = bruteForce(context, { ...mesh, positions: blended.evaluate() },
                                    { ...mesh, positions: reduced.evaluate() });
        assert.ok(expected.length > 20);
        assert.deepEqual(query.collide(blended, reduced).pairs, expected);
    });
}

test("scenes: contacts by pair of bodies, filters, events, rays", async () => {
    const context = await load();
    const mesh = ball(8);
    const shape = new Shape(context, mesh);
    const scene = new Scene(context);
    const bodies = [0, 1.5, 3, 9].map((x) => {
        const body = new Body(shape);
        body.setPositions(ball(8, 1, [x, 0, 0]).positions);
        scene.add(body);
        return body;
    });
    const contacts = scene.collide({ events: true });
    assert.equal(scene.bodyCount, 4);
    assert.deepEqual([...contacts.bodies.a].filter((_, i) => i % 2 === 0), [0, 1]);
    assert.deepEqual([...contacts.bodies.b].filter((_, i) => i % 2 === 0), [1, 2]);
    const query = new Query(context);
    const first = contacts.bodies.count[0];
    assert.deepEqual(contacts.pairs.slice(0, 2 * first), query.collide(bodies[0], bodies[1]).pairs);
    assert.deepEqual([...scene.events.touch].map((t) => words.pliant_touch[t]), ["began", "began"]);
    scene.collide({ events: true, filter: (a, b) => a.index !== 0 });
    assert.deepEqual([...scene.events.touch].map((t) => words.pliant_touch[t]), ["ended", "ongoing"]);
    const thrown = new Error("mine");
    assert.throws(() => scene.collide({ filter: () => { throw thrown; } }), (error) => error === thrown);
    assert.equal(scene.collide().bodyPairCount, 2, "the scene works on after a filter threw");
    const rays = [-5, 0.01, 0.02, 1, 0, 0, Infinity, 0, 50, 0, 0, 1, 0, Infinity];
    const { body, hit } = scene.raycast(rays);
    assert.deepEqual([body[0], body[1] > 0, body[3]], [0, true, 0]);
    assert.ok(hit.t[0] > 3.8 && hit.t[0] < 4.2);
    assert.equal(scene.raycast(rays, { filter: ({ index }) => index === 3 }).body[0], 3);
    assert.deepEqual([...scene.raycastAny(rays)], [1, 0]);
    const all = scene.raycastAll(rays);
    assert.deepEqual([...all.starts], [0, all.count, all.count]);
    assert.ok(all.count >= 8);
    scene.setStates([{ body: bodies[3], state: { positions: ball(8, 1, [4.5, 0, 0]).positions } }]);
    assert.equal(scene.collide().bodyPairCount, 3);
    scene.remove(scene.idOf(bodies[3]));
    assert.equal(scene.idOf(bodies[3]), undefined);
    assert.deepEqual([...scene].map(({ id }) => id.index), [0, 1, 2]);
    bodies[1].dispose();
    assert.equal(scene.bodyAt(1), undefined);
    assert.equal(scene.collide().bodyPairCount, 0);
});

test("steps: a sheet that passes through another between two states is found", async () => {
    const context = await load();
    const query = new Query(context);
    const fixed = new Body(new Shape(context, sheet(6, 0)));
    const moving = new Body(new Shape(context, sheet(5, 1)));
    moving.positions.set(sheet(5, 1).positions);
    moving.positionsChanged();
    moving.beginStep();
    const before = moving.positions;
    before.set(sheet(5, -1).positions);
    moving.positionsChanged();
    assert.equal(query.collide(fixed, moving).count, 0);
    const { time, touches, pair } = query.findFreeTime(fixed, moving);
    assert.equal(touches, false);
    assert.ok(time < 0.5 && time > 0.4999 && pair.length === 2);
    const meetings = query.findMeetings(fixed, moving);
    assert.ok(meetings.count > 0 && meetings.meetings.kind.length === meetings.count);
    const scene = new Scene(context);
    scene.add(fixed);
    scene.add(moving);
    assert.equal(scene.findFreeTime().path.time, time);
    const advanced = scene.advance();
    assert.ok(advanced.time > 0 && advanced.time <= time);
    assert.equal(query.collide(fixed, moving).count, 0);
});

test("distances, features, contours and volumes", async () => {
    const context = await load();
    const query = new Query(context);
    const a = new Body(new Shape(context, ball(12, 1, [0, 0, 0], 0)));
    const b = new Body(new Shape(context, ball(12, 1, [1.2, 0, 0], 0)));
    const { distance, side, closest } = query.measureDistances(a, [0, 0, 0, 3, 0, 0]);
    assert.deepEqual([...side], [-1, 1]);
    assert.ok(Math.abs(distance[1] - 2) < 1e-6 && distance[0] < -0.9);
    assert.deepEqual([...closest.found], [1, 1]);
    assert.equal(query.findClosestPoints(a, [3, 0, 0], 0.5).found[0], 0);
    assert.ok(query.findWithin(a, b, 0.01).count >= query.collide(a, b).count);
    const features = query.findFeatures(a, b, 0.05);
    assert.ok(features.count > 0 && features.pairs.vertices.length === 4 * features.count);
    assert.equal(features.crossings.length, 2 * query.collide(a, b).count);
    const set = new Contours(context).find(a, b);
    assert.equal(set.contourCount, 1);
    assert.equal(words.pliant_contour_end[set.contours.end[0]], "closed");
    assert.deepEqual([...set.regions.inside].sort(), [0, 0, 1, 1]);
    assert.equal(set.vertexRegions[0].length, a.shape.vertexCount);
    assert.deepEqual(set.gradients, [null, null]);
    const volume = new Volume(context);
    const measure = volume.intersect(a, b, { gradients: true });
    assert.ok(measure.least <= measure.volume && measure.volume <= measure.most && measure.volume > 0.3);
    assert.ok(measure.vertices[0].gradient.length === 3 * measure.vertexCount[0]);
    assert.deepEqual([...volume.locatePoints(a, [0, 0, 0, 3, 0, 0]).winding], [1, 0]);
    assert.ok(query.overlapBox(a, [0.9, -1, -1, 2, 1, 1]).length > 0);
    let seen = 0;
    query.visitBounds(a, () => ++seen < 3, true);
    assert.ok(seen >= 3);
});

test("settings that are none, wrong types and wrong lengths are refused by name", async () => {
    const context = await load();
    const mesh = ball(4);
    const shape = new Shape(context, mesh);
    const [a, b] = [new Body(shape), new Body(shape)];
    const query = new Query(context);
    assert.throws(() => query.collide(a, b, { neighbors: "skip" }), /no setting "neighbors"/);
    assert.throws(() => query.collide(a, b, { neighbours: "none" }), /neighbours is one of beyond-shared, all, skip/);
    assert.throws(() => query.collide(a, b, { segments: 1 }), /segments is true or false/);
    assert.throws(() => query.collide(a, b, { budgetNodes: -1 }), /budgetNodes/);
    assert.throws(() => query.collide(a, {}), /b is a Body/);
    assert.throws(() => query.collide(a, a), PliantError);
    assert.throws(() => a.setPositions(new Float32Array(5)), /5 numbers where/);
    assert.throws(() => a.setPositions(Float64Array.from(mesh.positions)), /Float64Array/);
    assert.throws(() => new Shape(context, { positions: mesh.positions, triangles: [0, 1, -1] }), /triangles\[2\] is -1/);
    assert.throws(() => new Shape(context, { positions: mesh.positions, triangles: [0, 1, 4000] }),
                  (error) => error instanceof PliantError && /vertex 4000 of/.test(error.message) &&
                             error.code.startsWith("PLIANT_ERROR"));
    assert.throws(() => new Shape(context, { ...mesh, groups: [1] }), /groups has 1 entries/);
    assert.throws(() => new Shape(context, { ...mesh, modeCount: 2, modes: new Float32Array(3) }), /modes has 3/);
    assert.throws(() => new Shape(context, { ...mesh, jointCount: 1, influenceOffsets: [0, 2] }), /influenceOffsets/);
    assert.throws(() => new Shape(context, null), TypeError);
    assert.throws(() => query.raycast(a, [0, 0, 0]), /multiple of 7/);
    assert.throws(() => query.raycast(a, [NaN, 0, 0, 1, 0, 0, 1]), PliantError);
    await assert.rejects(load({ threads: 2 }), /no setting "threads"/);
    const other = await load();
    assert.throws(() => new Query(other).collide(a, b), /another context/);
    const positions = mesh.positions.slice();
    positions[4] = NaN;
    assert.throws(() => a.setPositions(positions), /vertex 1/);
    assert.deepEqual(a.evaluate(), mesh.positions, "the state before stays");
});

test("a torn sheet: copies of vertices, arrays of the new length, answers about what is left", async () => {
    const context = await load();
    const query = new Query(context);
    const mesh = sheet(4, 0);
    const body = new Body(new Shape(context, mesh));
    body.positions.set(mesh.positions);
    body.positionsChanged();
    const ray = [-0.45, -0.49, 1, 0, 0, -1, Infinity];
    const [hit] = query.raycast(body, ray).triangle;
    assert.deepEqual(body.triangle(hit), body.shape.triangle(hit));
    body.tear({ removed: [hit] });
    assert.notEqual(query.raycast(body, ray).triangle[0], hit);
    const vertices = body.vertexCount;
    const corner = body.shape.triangle(hit === 0 ? 1 : 0)[0];
    body.tear({ split: [corner], corners: [hit === 0 ? 1 : 0, vertices] });
    assert.equal(body.vertexCount, vertices + 1);
    assert.equal(body.triangle(hit === 0 ? 1 : 0)[0], vertices);
    assert.equal(body.positions.length, 3 * vertices + 3);
    assert.deepEqual(body.evaluate([vertices]), body.evaluate([corner]));
    body.positions[3 * vertices + 2] = 0.5;
    body.positionsChanged();
    assert.equal(body.evaluate([vertices])[2], 0.5);
    assert.ok(body.quality.growth >= 1 && body.quality.rebuilds >= 0);
    assert.throws(() => body.tear({ removed: [hit] }), PliantError);
    assert.throws(() => body.tear({ cut: [1] }), /no setting "cut"/);
    assert.throws(() => body.setPositions(mesh.positions), /numbers where/);
    const scene = new Scene(context);
    assert.deepEqual([...scene.boxes([scene.add(body)])], [...body.bounds]);
});

test("blocks are the same bytes again, and a damaged one is refused", async () => {
    const context = await load();
    const shape = new Shape(context, ball(6));
    const block = shape.write();
    const again = new Shape(await load({ simd: false }), block);
    assert.deepEqual(again.write(), block);
    block[block.length >> 1] ^= 1;
    assert.throws(() => new Shape(context, block), PliantError);
});

test("ten thousand shapes, bodies and queries leave no memory behind", async () => {
    const context = await load();
    const mesh = ball(6);
    const moved = ball(6, 1, [1, 0, 0]).positions;
    const cycle = () => {
        const shape = new Shape(context, mesh);
        const [a, b] = [new Body(shape), new Body(shape)];
        const query = new Query(context);
        b.setPositions(moved);
        a.positions.fill(0);
        assert.ok(query.collide(a, b, { segments: true }).count > 0);
        query.dispose();
        a.dispose();
        b.dispose();
        shape.dispose();
        shape.dispose();
        assert.throws(() => query.collide(a, b), /was disposed of/);
    };
    for (let i = 0; i < 50; i++) {
        cycle();
    }
    const bytes = context.bytes;
    for (let i = 0; i < 10000; i++) {
        cycle();
    }
    assert.equal(context.bytes, bytes);
});

test("memory that grows leaves bodies and their arrays intact", async () => {
    const context = await load();
    const small = new Body(new Shape(context, ball(4)));
    small.positions.set(ball(4).positions);
    small.positionsChanged();
    const stale = small.positions;
    const large = new Shape(context, ball(150));
    assert.ok(large.triangleCount > 80000);
    assert.equal(stale.length, 0, "the old array went with the old memory");
    assert.deepEqual(new Float32Array(small.positions), ball(4).positions);
    const query = new Query(context);
    assert.ok(query.collide(small, new Body(large)).count > 0);
});

test("the module goes by what is asked for", async () => {
    assert.equal((await load({ isa: "plain" })).isa, "plain");
    assert.equal((await load({ isa: "baseline" })).isa, "baseline");
    assert.equal((await load({ simd: false, isa: "baseline" })).isa, "plain");
    assert.ok(pliant.hasSimd());
});

test("a compiled module may be given, and only what the package names is in it", async () => {
    const bytes = await readFile(new URL("../../../build/js/package/wasm/pliant-simd.wasm", import.meta.url));
    const module = await WebAssembly.compile(bytes);
    const context = await load({ module });
    assert.match(context.version, /baseline=simd128/);
    for (const { name, kind } of WebAssembly.Module.exports(module)) {
        assert.ok(kind !== "function" || name.startsWith("pliant_") || name === "_initialize", name);
    }
    const json = JSON.parse(await readFile(new URL("../package.json", import.meta.url)));
    assert.equal(json.dependencies, undefined);
});
