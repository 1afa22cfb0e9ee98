// Calls that contradict themselves: each is refused by the name of its argument, and nothing else changes.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Body, Contours, PliantError, Query, Scene, Shape, Volume, load } from "../../../build/js/package/index.js";
import { loadReaders } from "../../../build/js/package/asset.js";

const positions = Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1);
const triangles = Uint32Array.of(0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3);

async function makeWorld(options) {
    const context = await load(options);
    const shape = new Shape(context, { positions, triangles });
    const [a, b] = [new Body(shape), new Body(shape)];
    b.setPositions(positions.map((x, i) => (i % 3 === 0 ? x + 0.2 : x)));
    return { context, shape, a, b, query: new Query(context) };
}

/** Every case is refused with its message; the bodies touch as before. */
function refuses({ a, b, query }, cases) {
    const before = query.collide(a, b).pairs;
    for (const [call, message] of cases) {
        assert.throws(call, message, String(call));
        assert.deepEqual(query.collide(a, b).pairs, before, String(call));
    }
}

test("a request of 4 GiB or more is refused and erases nothing", async () => {
    const { context, shape, a, b, query } = await makeWorld({ simd: true });
    const hole = context.module.allocate(700e6); // stands for a large object that is gone when answers need room
    const others = Array.from({ length: 50 }, () => new Body(shape));
    context.module.release(hole);
    const before = query.collide(a, b).pairs;
    const count = Math.ceil(2 ** 32 / context.module.structs.size("pliant_signed_distance")) + 10;
    assert.throws(() => query.measureDistances(a, new Float32Array(3 * count)),
                  (error) => error instanceof PliantError && error.code === "PLIANT_ERROR_OUT_OF_MEMORY");
    assert.deepEqual(query.collide(a, b).pairs, before);
    for (const other of others) {
        assert.deepEqual(other.evaluate(), positions);
    }
});

test("sizes are numbers that are exact, in both modules", async () => {
    const { context } = await makeWorld();
    const readers = await loadReaders();
    for (const module of [context.module, readers]) {
        for (const [size, count] of [[2 ** 32, 1], [2 ** 16, 2 ** 16], [2 ** 32 - 63, 1], [2 ** 52, 2 ** 52], [-1, 1],
                                     [1.5, 1], [NaN, 1], [Infinity, 0]]) {
            const { byteLength } = module.memory.buffer;
            assert.throws(() => module.allocate(size, count), PliantError, `${size} * ${count}`);
            assert.equal(module.memory.buffer.byteLength, byteLength);
        }
        module.release(module.allocate(4, 16));
    }
});

test("interleaved arrays are read by their strides", async () => {
    const { context } = await makeWorld();
    const vertices = Float32Array.from({ length: 4 * 8 }, (_, i) => (i % 8 < 3 ? positions[3 * (i >> 3) + (i % 8)] : 77));
    const expected = new Body(new Shape(context, { positions, triangles })).evaluate();
    for (const [list, what] of [[vertices, "whole"], [vertices.subarray(0, 27), "without what follows the last"]]) {
        const shape = new Shape(context, { positions: list, positionStride: 32, triangles });
        assert.deepEqual(new Body(shape).evaluate(), expected, what);
    }
    const quads = Uint16Array.from({ length: 16 }, (_, i) => (i % 4 < 3 ? triangles[3 * (i >> 2) + (i % 4)] : 9));
    const shape = new Shape(context, {
        positions, triangles: quads, triangleStride: 8, groups: Uint16Array.of(5, 0, 6, 0, 7, 0, 8), groupStride: 4,
        vertexCount: 4, triangleCount: 4,
    });
    assert.deepEqual([0, 1, 2, 3].map((i) => [...shape.triangle(i)]).flat(), [...triangles]);
    assert.deepEqual([0, 1, 2, 3].map((i) => shape.group(i)), [5, 6, 7, 8]);

    // Two modes, vertex after vertex: x, y, z of one, then of the other.
    const modes = Float32Array.from({ length: 24 }, (_, i) => (i % 6 < 3 ? i : -i));
    const apart = Float32Array.from({ length: 24 }, (_, i) => modes[6 * ((i % 12) / 3 | 0) + (i % 3) + 3 * (i / 12 | 0)]);
    const moved = [{ modes: apart }, { modes, modeStride: 12, modeVertexStride: 24 }].map((settings) => {
        const body = new Body(new Shape(context, { positions, triangles, modeCount: 2, ...settings }));
        body.setCoordinates([0.5, 0.25]);
        return body.evaluate();
    });
    assert.deepEqual(moved[0], moved[1]);

    const rows = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 0, 1, 0, 0, 0, 0, 1, 0];
    const skinned = [
        { slotCount: 1, slotJoints: Uint8Array.of(0, 1, 0, 1), slotWeights: Uint8Array.of(255, 255, 255, 255) },
        { slotCount: 1, slotJoints: Uint8Array.of(0, 9, 9, 1, 9, 9, 0, 9, 9, 1), slotJointStride: 3,
          slotWeights: Float32Array.of(1, 9, 1, 9, 1, 9, 1, 9), slotWeightStride: 8 },
    ].map((settings) => {
        const body = new Body(new Shape(context, { positions, triangles, jointCount: 2, ...settings }));
        body.setTransforms(rows);
        return body.evaluate();
    });
    assert.deepEqual(skinned[0], skinned[1]);
    assert.equal(skinned[0][3], 3);
});

test("definitions that contradict themselves are refused", async () => {
    const world = await makeWorld();
    const { context } = world;
    const make = (settings) => () => new Shape(context, { positions, triangles, ...settings });
    const slots = { slotCount: 1, jointCount: 2, slotJoints: Uint8Array.of(0, 1, 0, 1),
                    slotWeights: Float32Array.of(1, 1, 1, 1) };
    refuses(world, [
        [make({ positionStride: 4096 }), /vertex 2 of 1/],
        [make({ positionStride: 4 }), /positionStride is 4/],
        [make({ positionStride: 14 }), /positionStride is 14/],
        [make({ positionStride: 20 }), /positions ends within an element/],
        [make({ positionStride: -12 }), /positionStride is a whole number/],
        [make({ positionStride: 2 ** 32 }), /positionStride is a whole number/],
        [make({ positionStride: 0x20000000 }), /vertex 2 of 1/],
        [make({ positions: positions.subarray(0, 10) }), /positions has 10 numbers, which is no multiple of 3/],
        [make({ triangleStride: 8 }), /triangleStride is 8/],
        [make({ triangleStride: 20 }), /triangles ends within/],
        [make({ triangles: triangles.subarray(0, 5) }), /triangles has 5 numbers/],
        [make({ vertexCount: 4000 }), /vertexCount is 4000, but positions has 4/],
        [make({ vertexCount: 3 }), /vertexCount is 3/],
        [make({ triangleCount: 20 }), /triangleCount is 20, but triangles has 4/],
        [make({ groups: Uint16Array.of(1, 2, 3, 4), groupStride: 64 }), /groups has 1 elements, 64 bytes apart/],
        [make({ groups: Uint16Array.of(1, 2, 3) }), /groups has 3 entries where 4/],
        [make({ groups: new Uint16Array(5) }), /groups has 5 entries where 4/],
        [make({ modes: new Float32Array(12) }), /modes has 12 entries where 0/],
        [make({ modeCount: 1 }), /modes is missing/],
        [make({ modeCount: 2, modes: new Float32Array(12) }), /modes has 12 entries where 24/],
        [make({ modeCount: 2, modes: new Float32Array(24), modeStride: 4000 }), /modes has 24 entries where 1012/],
        [make({ modeCount: 2, modes: new Float32Array(24), modeVertexStride: 24 }), /modes has 24 entries where 45/],
        [make({ modeCount: 2 ** 16, modes: new Float32Array(24), modeStride: 2 ** 32 - 4 }), /modes has 24 entries/],
        [make({ modeCount: 1.5, modes: new Float32Array(18) }), /modeCount is a whole number/],
        [make({ modeCount: "1", modes: new Float32Array(12) }), /modeCount is a number/],
        [make({ modeCount: 1, modeOffsets: [0, 2], modes: new Float32Array(6) }), /modeVertices is missing/],
        [make({ modeCount: 1, modeOffsets: [0, 2], modeVertices: [0, 1], modes: [1, 2, 3] }), /modes has 3 entries where 6/],
        [make({ modeCount: 1, modeOffsets: [0, 2], modeVertices: [0], modes: new Float32Array(6) }), /modeVertices has 1/],
        [make({ modeCount: 2, modeOffsets: [0, 900000, 1], modeVertices: [0], modes: [1, 2, 3] }), /modeOffsets\[2\] is 1/],
        [make({ modeCount: 1, modes: new Float32Array(12), modeVertices: [0] }), /modeVertices has 1 entries where 0/],
        [make({ jointCount: 1, influenceJoints: [0] }), /influenceJoints has 1 entries where 0/],
        [make({ jointCount: 1, influenceOffsets: [0, 1] }), /influenceOffsets has 2 entries where 5/],
        [make({ ...slots, slotJointType: "uint32" }), /slotJointType is "uint32", but slotJoints is a Uint8Array/],
        [make({ ...slots, slotWeightType: "uint8" }), /slotWeightType is "uint8"/],
        [make({ ...slots, slotJointStride: 1000 }), /slotJoints has 1 elements, 1000 bytes apart/],
        [make({ ...slots, slotWeightStride: 4000 }), /slotWeights has 1 elements/],
        [make({ ...slots, slotJoints: [0, 1, 0, 1] }), /slotJoints is a typed array/],
        [make({ ...slots, slotCount: 0 }), /slotJoints has 4 entries where 0/],
        [make({ ...slots, slotCount: 2 }), /slotJoints has 4 entries where 8/],
    ]);
});

test("arrays are read once, and what a getter gives later counts for nothing", async () => {
    const { context, shape, a } = await makeWorld();
    let reads = 0;
    const once = (first, later) => (reads++ === 0 ? first : later);
    new Shape(context, { positions, triangles, get groups() { return once(new Uint16Array(4), new Uint16Array(0)); } });
    assert.equal(reads, 1);
    reads = 0;
    const many = Uint32Array.from({ length: 3000 }, (_, i) => i % 3);
    const made = new Shape(context, { groups: new Uint16Array(4), positions, get triangles() { return once(triangles, many); } });
    assert.equal(made.triangleCount, 4);
    class Vector extends Float32Array {
        constructor() { super(12); }
    }
    const vector = new Vector();
    vector.set(positions);
    assert.deepEqual(new Body(new Shape(context, { positions: vector, triangles })).evaluate(), positions);
    assert.deepEqual(new Body(shape).evaluate(), positions);
    const rays = new Array(700).fill(0.1);
    rays[Symbol.iterator] = function* () { yield* [0.1, 0.1, -5, 0, 0, 1, 100]; };
    assert.equal(new Query(context).raycast(a, rays).t.length, 1);
});

test("groups are as many as a page likes", async () => {
    const { a, b, query } = await makeWorld();
    assert.ok(query.collide(a, b, { groupsA: new Array(200_000).fill(0) }).count > 0);
});

test("a log that throws ends the call, and every object of it", async () => {
    const thrown = new Error("mine");
    const { context, a, b, query } = await makeWorld({ log: () => { throw thrown; } });
    const before = query.collide(a, b).pairs;
    const odd = { positions, triangles: [...triangles, 0, 0, 0] }; // the library logs a degenerate triangle
    const make = () => assert.throws(() => new Shape(context, odd), (error) => error === thrown);
    make();
    const { bytes } = context;
    for (let i = 0; i < 5000; i++) {
        make();
    }
    assert.equal(context.bytes, bytes);
    assert.deepEqual(query.collide(a, b).pairs, before);
});

test("positions of one body are copied to another, also if the memory grows", async () => {
    const { context, shape, b, a } = await makeWorld();
    const { module } = context;
    const { allocate } = module;
    module.allocate = (...sizes) => {
        module.memory.grow(1); // every array that lies in it is gone
        return allocate.apply(module, sizes);
    };
    const expected = b.evaluate();
    b.positions.set(expected);
    a.setPositions(b.positions);
    assert.deepEqual(a.evaluate(), expected);
    a.setPositions(positions);
    a.setState({ positions: b.positions });
    assert.deepEqual(a.evaluate(), expected);
    const scene = new Scene(context);
    scene.add(a);
    a.setPositions(positions);
    scene.setStates([{ body: a, state: { positions: b.positions } }]);
    assert.deepEqual(a.evaluate(), expected);
    assert.deepEqual(new Body(new Shape(context, { triangles, positions: b.positions })).evaluate(), expected);
    const query = new Query(context);
    assert.deepEqual(query.measureDistances(a, b.positions).distance, query.measureDistances(a, expected).distance);
    assert.deepEqual(new Volume(context).locatePoints(a, b.positions).winding,
                     new Volume(context).locatePoints(a, expected).winding);
    assert.equal(shape.vertexCount, 4);
});

test("contours of torn bodies, and of shapes that are disposed of", async () => {
    const { context, shape, a, b } = await makeWorld();
    a.tear({ split: [0], corners: [0, 4] });
    shape.dispose();
    const set = new Contours(context).find(a, b, { regions: true, gradients: true });
    assert.equal(set.vertexRegions[0].length, 5);
    assert.equal(set.vertexRegions[1].length, 4);
    assert.equal(set.triangleRegions[0].length, 4);
});
