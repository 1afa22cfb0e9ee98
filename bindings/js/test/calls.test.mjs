// Every parameter of every method with values that it cannot take: each is an error that names the parameter, and the
// objects answer as before. Calls of the table are tried by the roles of their arguments; methods by hand have rows here.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { Asset, Pose, loadReaders } from "../../../build/js/package/asset.js";
import * as pliant from "../../../build/js/package/index.js";
import { calls, enums, structs } from "../../../build/js/package/src/layout.js";

const { Body, Context, Contours, Query, Scene, Shape, Volume, load } = pliant;
const positions = Float32Array.of(0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1);
const triangles = Uint32Array.of(0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3);
const rows = Float32Array.of(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0);
const matrix = Float32Array.of(1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1);
const fields = new Map(structs.map(([name, list]) => [name, list]));

async function makeWorld() {
    const context = await load({ simd: false });
    const foreign = await load({ simd: false });
    const shape = new Shape(context, { positions, triangles, proxyTriangles: 1 });
    const modal = new Shape(context, { positions, triangles, modeCount: 1, modes: new Float32Array(12).fill(0.1) });
    const skinned = new Shape(context, { positions, triangles, jointCount: 1, slotCount: 1,
                                         slotJoints: new Uint8Array(4), slotWeights: new Float32Array(4).fill(1) });
    const [a, b, gone, other, moved] = [shape, shape, shape, shape, modal].map((one) => new Body(one));
    moved.setCoordinates([0]);
    for (const body of [a, b]) {
        body.setPositions(positions);
        body.beginStep();
        body.setPositions(positions.map((x) => x + 0.1));
    }
    gone.dispose();
    const scene = new Scene(context);
    const id = scene.add(a, { self: true });
    scene.add(b);
    const inScene = new Body(modal);
    scene.add(inScene);
    const [query, contours, volume] = [new Query(context), new Contours(context), new Volume(context)];
    const foreignShape = new Shape(foreign, { positions, triangles });
    const lost = new Scene(context);
    lost.dispose();
    const lostShape = new Shape(context, { positions, triangles });
    lostShape.dispose();
    assert.equal(b.positions.length, 12);
    const objects = { shape, body: a, query, contours, scene, volume, context };
    return { ...objects, objects, a, b, other, moved, posed: new Body(skinned), inScene, gone, id, foreign, lost, lostShape,
             foreignBody: new Body(foreignShape), foreignScene: new Scene(foreign) };
}

function detached(Kind, count) {
    const list = new Kind(count);
    structuredClone(list.buffer, { transfer: [list.buffer] });
    return list;
}

const THINGS = [5, "1", true, {}, () => 1, Symbol("x")];

/** Values that are no list of `count` numbers, or of elements of `width` numbers. */
function badNumbers({ width = 1, count = width, Kind = Float32Array, isExact = false }) {
    const good = new Array(isExact ? count : width).fill(0);
    return [...THINGS, undefined, null, [...good.slice(1), "1"], [...good.slice(1), null], [...good.slice(1), undefined],
            [...good.slice(1), {}], { length: 2 ** 40 }, { length: NaN }, detached(Kind, good.length || 1),
            ...(Kind === Float32Array ? [new Float64Array(good), [...good.slice(1), NaN]]
                : [[...good.slice(1), NaN], [...good.slice(1), 0.5], [...good.slice(1), -1], [...good.slice(1), 2 ** 32]]),
            ...(isExact ? [[], good.slice(1), [...good, 0]] : []),
            ...(width > 1 ? [[...good, 0], good.slice(1)] : [])];
}

/** Values that a number of a kind cannot be. */
function badNumber(kind) {
    if (kind === "bool") {
        return [0, 1, "true", null, NaN, {}];
    }
    const whole = { u8: [256], u16: [65536], u32: [2 ** 32], i32: [2 ** 31], u64: [2 ** 53, 1n << 64n, -1n] }[kind];
    return ["1", null, [1], {}, true, NaN, ...(whole ? [0.5, -1, Infinity, ...whole] : [1n])];
}

const badEnum = [0, 1, null, "", "no-such-word", "toString", "__proto__", {}, ["all"]];
const badGroups = [5, null, "ab", {}, [-1], [0.5], [NaN], [65536], ["1"], [null]];

/** Settings with one field that it cannot have; the error names the field. */
function badSettings(name) {
    const cases = [5, true, "x", [], () => 1, new Map(), Symbol("x")].map((value) => [value]);
    cases.push([{ noSuchSetting: 1 }, "noSuchSetting"], [{ tag: 1 }, "tag"]);
    for (const [label, kind, count, target] of fields.get(name)) {
        const values = kind === "callback" ? [5, null, {}, "x"]
            : target === "pliant_groups" ? (kind === "struct" ? badGroups : [5, null, {}, [], [[0]], [5, 5, 5]])
            : kind === "pointer" ? [5, null, [0]]
            : kind === "enum" ? badEnum
            : kind === "struct" || count > 1 ? [5, null, {}, [1], ["1", 1, 1, 1, 1, 1]]
            : badNumber(kind);
        cases.push(...values.map((value) => [{ [label]: value }, label]));
    }
    return cases;
}

const badIds = ({ id, lost }) => [undefined, null, 5, "x", {}, lost, { index: id.index }, { ...id, index: 0.5 },
                                  { ...id, index: "0" }, { ...id, generation: -1 }, { ...id, generation: NaN },
                                  { ...id, index: 2 ** 32 }, { ...id, generation: id.generation + 7 }, { ...id, index: 99 }];

/** A value that a role takes, and [value, name in the error] of those that it does not take. */
const ROLES = {
    body: (world, [label]) => [label === "a" ? world.a : world.b, [...THINGS, undefined, null, world.shape, world.query,
        world.gone, world.foreignBody, Object.create(Body.prototype)]],
    outside: (world) => [world.other, [...ROLES.body(world, ["body"])[1], world.a]],
    bodies: ({ a, b, gone, foreignBody, shape }) => [[a, b], [...THINGS.filter((x) => typeof x !== "string"), undefined, null, "ab",
        [a, 5], [a, null], [a, shape], [a, gone], [a, foreignBody], [a, a]]],
    scene: ({ a, scene, lost, foreignScene }) => [scene, [...THINGS, undefined, null, a, lost, foreignScene]],
    shape: ({ shape, foreign, lostShape }) => [shape, [...THINGS, undefined, null, foreign, lostShape]],
    context: ({ context, lost, shape }) => [context, [...THINGS, undefined, null, shape, lost]],
    number: (world, [label, , kind, , , initial]) => [initial === undefined ? 0.5 : undefined,
        [...badNumber(kind), ...(kind === "f32" ? [-1] : []), ...(initial === undefined && kind === "f32" ? [Infinity] : []),
         ...(initial === undefined ? [undefined] : [])]],
    value: () => [[-1, -1, -1, 2, 2, 2], [...badNumbers({ count: 6, isExact: true }), [1, 1, 1, 0, 0, 0]]],
    array: (world, [, , type, width]) => (type === "pliant_ray"
        ? [[0.2, 0.2, -1, 0, 0, 1, 5], [...badNumbers({ width: 7 }), [0, 0, 0, 0, 0, 1, -1]]] : [[0.1, 0.1, 0.1], badNumbers({ width })]),
    settings: (world, [, , type]) => [undefined, badSettings(type)],
    index: () => [0, [...badNumber("u32"), undefined, 99]],
    count: () => [1, badNumber("u32")],
    bool: () => [true, badNumber("bool")],
    enum: () => ["hybrid", [...badEnum, undefined]],
    function: () => [() => true, [5, "x", {}, null, undefined]],
    id: (world) => [world.id, badIds(world)],
    ids: (world) => [[world.id], [5, null, undefined, {}, ...badIds(world).map((id) => [world.id, id])]],
    positions: () => [positions, badNumbers({ count: 12, isExact: true })],
    coordinates: () => [[0.5], [...badNumbers({}), [], [1, 2]]],
    transforms: () => [rows, [...badNumbers({ width: 12 }), [], [...rows, ...rows]]],
    matrices: () => [matrix, [...badNumbers({ width: 16 }), [], [...matrix, ...matrix]]],
    world: () => [rows, badNumbers({ count: 12, isExact: true }).filter((value) => value !== null)],
    worldMatrix: () => [matrix, badNumbers({ count: 16, isExact: true }).filter((value) => value !== null)],
    vertices: () => [[0, 3], [...badNumbers({ Kind: Uint32Array }).filter((value) => value !== undefined), [99]]],
    proxy: ({ shape }) => [shape.proxies.slice(0, 2), [...badNumbers({ count: 2, isExact: true, Kind: Uint32Array }), [99, 1]]],
    state: (world, [, , which]) => [{ coordinates: [0.25] }, [...[5, "x", [], () => 1].map((value) => [value]),
        [{ noSuch: 1 }, "noSuch"], ...["positions", "coordinates", "world"].flatMap((label) =>
            ROLES[label](world, [])[1].filter((value) => value !== undefined && value !== null)
                .map((value) => [which === "list" ? [{ body: world.inScene, state: { [label]: value } }] : { [label]: value }, label]))]],
    states: (world) => {
        const { inScene, gone, foreignBody, other } = world;
        return [[{ body: inScene, state: { coordinates: [0.25] } }],
                [[5, "states"], [null, "states"], [undefined, "states"], [[5], "states"], [[{}], "states"],
                 ...[5, null, gone, foreignBody, other].map((body) => [[{ body, state: {} }], "states"]),
                 ...ROLES.state(world, [, , "list"])[1].slice(5)]];
    },
    tear: () => [{}, [[5], ["x"], [{ noSuch: [] }, "noSuch"], ...["removed", "split", "corners", "welded"].flatMap((label) =>
        [5, "x", null, {}, ["1"], [0.5], [-1], [2 ** 32], [NaN], [null], [0, 0, 99], detached(Uint32Array, 2)]
            .map((value) => [{ [label]: value }, label]))]],
    definition: () => [{ positions, triangles }, [undefined, null, 5, "x", [], {}].map((value) => [value, "def|positions"])
        .concat([[{ positions, triangles, noSuch: 1 }, "noSuch"]])
        .concat(["positions", "triangles", "groups", "modes", "modeOffsets", "modeVertices", "influenceOffsets",
                 "influenceJoints", "influenceWeights", "slotJoints", "slotWeights"].flatMap((label) =>
            [...THINGS, null, ["1", 0, 0], [0, 0, null], [NaN, -1, 0.5], detached(Uint8Array, 3), new BigInt64Array(3), [1]].map((value) =>
                [{ positions, triangles, [label]: value }, label])))
        .concat(fields.get("pliant_shape_def").flatMap(([label, kind]) => (kind === "pointer" || kind === "struct" || label === "tag" ? []
            : (kind === "enum" ? badEnum : badNumber(kind)).map((value) => [{ positions, triangles, [label]: value }, label]))))],
};

/** Arguments of the methods that are written by hand: label, role, type. The label is the name in the error. */
const triangle = [["triangle", "index"]];
const BY_HAND = {
    shape: { triangle, group: triangle, proxyTriangles: [["proxy", "proxy"]], proxyVertex: [["proxy", "proxy"]], write: [], validate: [] },
    body: {
        triangle, tear: [["tear", "tear"]], positionsChanged: [], setPositions: [["positions", "positions"]],
        setCoordinates: [["coordinates", "coordinates"]], setTransforms: [["transforms", "transforms"]],
        setMatrices: [["matrices", "matrices"]], setWorld: [["world", "world"]], setWorldMatrix: [["world", "worldMatrix"]],
        setState: [["state", "state"]], tookState: [], stepBegan: [], beginStep: [], endStep: [], prepare: [],
        setUpdate: [["update", "enum"], ["eagerLevels", "count"], ["lazyLevels", "count"]], evaluate: [["vertices", "vertices"]],
    },
    query: { visitBounds: [["body", "body"], ["visit", "function"], ["refresh", "bool"]] },
    contours: {}, volume: {}, context: {},
    scene: {
        add: [["body", "outside"], ["member", "settings", "pliant_member_def"]], remove: [["id", "id"]],
        setMember: [["id", "id"], ["member", "settings", "pliant_member_def"]], bodyAt: [], idOf: [["body", "body"]],
        boxes: [["ids", "ids"]], setStates: [["states", "states"]], beginStep: [],
        record: [["write", "function"], ["options", "settings", "pliant_recording_options"]], stopRecording: [],
    },
};
const MAKERS = [
    [Shape, [["context", "context"], ["def", "definition"]]], [Body, [["shape", "shape"], ["def", "settings", "pliant_body_def"]]],
    [Scene, [["context", "context"], ["def", "settings", "pliant_scene_def"]]],
    ...[Query, Contours, Volume].map((Class) => [Class, [["context", "context"]]]),
];
const CLASSES = { shape: Shape, body: Body, query: Query, contours: Contours, scene: Scene, volume: Volume, context: Context };
const INPUTS = ([, list]) => list.filter(([, role]) => role in ROLES);

const declarations = readFileSync(new URL("../../../build/js/package/structs.d.ts", import.meta.url), "utf8");

/** The type of a field, argument or result, as structs.d.ts has it, agrees with a value. */
function checkType(type, value, name) {
    const parts = type.split(" & ");
    const list = /^\((.*)\)\[\]$/.exec(type);
    const fieldsOf = new RegExp(`^export type ${type} = \\{\n(.*?)\n\\};`, "ms").exec(declarations);
    if (type.endsWith(" | null")) {
        return value === null || checkType(type.slice(0, -7), value, name);
    }
    if (parts.length > 1) {
        const [, label, inner] = /\{ (\w+): (\w+) \}/.exec(parts[1]);
        const { [label]: more, ...rest } = value;
        checkType(inner, more, `${name}.${label}`);
        return checkType(parts[0], rest, name);
    }
    if (list) {
        assert.ok(Array.isArray(value), name);
        return value.forEach((one, i) => checkType(list[1], one, `${name}[${i}]`));
    }
    if (fieldsOf) {
        const known = [...fieldsOf[1].matchAll(/^ {4}(\w+): (.*);$/gm)];
        assert.deepEqual(Object.keys(value).filter((label) => label !== "reserved").sort(), known.map(([, label]) => label).sort(), name);
        return known.forEach(([, label, inner]) => checkType(inner, value[label], `${name}.${label}`));
    }
    if (type.endsWith("Name")) {
        const [words] = Object.entries(enums).filter(([c]) => `${c.replace(/^pliant|_(.)/g, (_, x) => x?.toUpperCase() ?? "")}Name` === type);
        return assert.ok(Object.hasOwn(words[1], value), `${name} is ${value}`);
    }
    assert.equal(typeof value === "object" ? value?.constructor.name : typeof value, type, name);
}

/** Tries all wrong values of each argument of a call, the others being right. */
function refuse(world, name, list, call) {
    const { query, a, b } = world;
    const before = query.collide(a, b);
    const right = list.map((one) => ROLES[one[1]](world, one)[0]);
    const silent = [];
    list.forEach((one, i) => {
        for (const wrong of ROLES[one[1]](world, one)[1]) {
            const [value, label] = Array.isArray(wrong) && ["settings", "state", "states", "tear", "definition", "loading"].includes(one[1])
                ? wrong : [wrong];
            const shown = `${name}(${one[0]} = ${describe(value)})`;
            try {
                call(right.with(i, value));
                silent.push(`${shown}: no error`);
            } catch (error) {
                const names = new RegExp(`\\b(${label === undefined ? one[0] : label}|${SENTENCES[label ?? one[0]] ?? "(?!)"})`);
                if (!["TypeError", "RangeError", "PliantError"].includes(error.name) || !names.test(error.message)) {
                    silent.push(`${shown}: ${error.stack.split("\n").slice(0, 2).join(" ")}`);
                }
            }
            assert.deepEqual(query.collide(a, b), before, shown);
        }
    });
    return silent;
}

/** Words of the library's own sentences about a parameter. */
const SENTENCES = {
    coordinates: "coordinate \\d", matrices: "matrix \\d|transforms given", transforms: "transform \\d|transforms given", id: "no body \\d",
    ids: "no body \\d", vertices: "vertex \\d", triangle: "triangle \\d", maxDistance: "max_distance", world: "matrix \\d|world|transform",
    rays: "ray \\d", points: "point \\d", bodies: "body \\d", states: "state \\d", positions: "vertex \\d", proxy: "proxy|node",
    framesPerSecond: "frames_per_second", files: "a.obj", clip: "clip|length", target: "target",
    removed: "triangle \\d", split: "vertex \\d", corners: "corner \\d",
};

function describe(value) {
    try {
        return typeof value === "object" && value?.module ? value.constructor.name : JSON.stringify(value) ?? String(value);
    } catch {
        return String(value);
    }
}

/** The object whose method is tried: calls of some methods need a body that moves in their way. */
function objectOf(world, owner, name) {
    return /^set(Transforms|Matrices)$/.test(name) ? world.posed : /^set(Coordinates|State)$/.test(name) ? world.moved
        : name === "tear" ? world.other : name === "positionsChanged" ? world.b : world.objects[owner];
}

test("every method of every class has a row", () => {
    for (const [owner, Class] of Object.entries(CLASSES)) {
        const methods = Object.entries(Object.getOwnPropertyDescriptors(Class.prototype))
            .filter(([name, { value }]) => typeof value === "function" && name !== "constructor").map(([name]) => name);
        const known = new Set([...Object.keys(calls[owner] ?? {}), ...Object.keys(BY_HAND[owner])]);
        assert.deepEqual(methods.filter((name) => !known.has(name)), [], owner);
        assert.deepEqual([...known].filter((name) => !methods.includes(name)), [], owner);
    }
    assert.deepEqual(Object.values(pliant).filter((value) => value.prototype && value !== pliant.PliantError && value !== load &&
        value !== pliant.hasSimd && !Object.values(CLASSES).includes(value)), []);
});

for (const owner of Object.keys(CLASSES)) {
    test(`${owner}: wrong arguments are refused by name, and the objects answer as before`, async () => {
        const world = await makeWorld();
        const silent = [];
        for (const [name, call] of Object.entries(calls[owner] ?? {})) {
            silent.push(...refuse(world, `${owner}.${name}`, INPUTS(call), (values) => world.objects[owner][name](...values)));
        }
        for (const [name, list] of Object.entries(BY_HAND[owner])) {
            const object = objectOf(world, owner, name);
            silent.push(...refuse(world, `${owner}.${name}`, list, (values) => object[name](...values)));
        }
        assert.deepEqual(silent, []);
    });
}

test("right arguments are taken, and results have the types that are declared", async () => {
    const world = await makeWorld();
    for (const [owner, methods] of Object.entries(calls)) {
        for (const [name, call] of Object.entries(methods)) {
            const found = world.objects[owner][name](...INPUTS(call).map((one) => ROLES[one[1]](world, one)[0]));
            const [, text] = new RegExp(`interface ${CLASSES[owner].name}Calls .*?^ {4}${name}\\(.*?\\): ([^\n]*);$`, "ms").exec(declarations);
            checkType(text, found, `${owner}.${name}`);
        }
    }
    for (const [owner, methods] of Object.entries(BY_HAND)) {
        for (const [name, list] of Object.entries(methods).sort(([x], [y]) => (x === "remove") - (y === "remove"))) {
            objectOf(world, owner, name)[name](...list.map((one) => ROLES[one[1]](world, one)[0]));
        }
    }
    const { query, contours, scene, volume, shape, a } = world;
    for (const [type, value] of [["Stats", query.stats], ["ContourStats", contours.stats], ["SceneStats", scene.stats],
                                 ["VolumeStats", volume.stats], ["ShapeQuality", shape.quality], ["BodyQuality", a.quality]]) {
        checkType(type, value, type);
    }
    query.visitBounds(a, (bound) => checkType("Bound", bound, "Bound"));
    checkType("Contacts", query.collide(a, world.b, { segments: true, separations: true }), "Contacts");
    checkType("ContourSet", contours.find(a, world.b, { regions: true, gradients: true }), "ContourSet");
});

test("assets: wrong arguments are refused by name", async () => {
    const world = await makeWorld();
    const readers = await loadReaders();
    const bytes = new TextEncoder().encode("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    const asset = new Asset(readers, "a.obj", { "a.obj": bytes });
    const [pose, lost, lostAsset] = [asset.createPose(), asset.createPose(), new Asset(readers, "a.obj", { "a.obj": bytes })];
    lost.dispose();
    lostAsset.dispose();
    const target = new Body(asset.createShape(world.context, 0));
    const things = [...THINGS, undefined, null];
    const indices = [...badNumber("u32"), undefined, 1, "length"];
    Object.assign(ROLES, {
        readers: () => [readers, [...things, world.context]],
        paths: () => ["a.obj", [5, {}, null, undefined, [], [5], [null], "a\0b", ["a.obj", 5]]],
        files: () => [{ "a.obj": bytes }, [5, "x", true, null, undefined, { "a.obj": "text" }, { "a.obj": 5 }]],
        loading: () => [{}, [[5, "settings"], ["x", "settings"], [{ noSuch: 1 }, "noSuch"],
            ...[[1], {}, "a\0b", -1].map((value) => [{ scene: value }, "scene"]),
            ...["1", null, NaN, 0, -1].map((value) => [{ framesPerSecond: value }, "framesPerSecond"]),
            ...["together", "normaliseWeights", "repair"].flatMap((label) => [1, "yes", null].map((value) => [{ [label]: value }, label])),
            ...[5, [5], "a\0b", {}].map((value) => [{ clipPaths: value }, "clipPaths"])]],
        shapeOf: () => [0, indices],
        bodyOf: () => [0, indices],
        clip: () => [null, [...indices.filter((value) => value !== null), "walk"]],
        time: () => [0, ["1", null, NaN, {}, true]],
        target: () => [target, [...things, world.gone, world.shape]],
        pose: () => [asset, [...things, lostAsset, world.shape]],
    });
    const silent = [
        ...refuse(world, "new Asset", [["readers", "readers"], ["paths", "paths"], ["files", "files"], ["settings", "loading"]],
                  (values) => new Asset(...values)),
        ...refuse(world, "new Pose", [["asset", "pose"]], (values) => new Pose(...values)),
        ...refuse(world, "asset.mesh", [["shape", "shapeOf"]], (values) => asset.mesh(...values)),
        ...refuse(world, "asset.createShape", [["context", "context"], ["shape", "shapeOf"]], (values) => asset.createShape(...values)),
        ...refuse(world, "pose.sample", [["clip", "clip"], ["time", "time"]], (values) => pose.sample(...values)),
        ...refuse(world, "pose.state", [["body", "bodyOf"]], (values) => pose.state(...values)),
        ...refuse(world, "pose.evaluate", [["body", "bodyOf"]], (values) => pose.evaluate(...values)),
        ...refuse(world, "pose.apply", [["body", "bodyOf"], ["target", "target"]], (values) => pose.apply(...values)),
    ];
    assert.throws(() => lost.sample(null), /pose was disposed of/);
    assert.deepEqual(silent, []);
    assert.deepEqual(pose.evaluate(0), target.evaluate());
});

test("wrong arguments of constructors are refused by name", async () => {
    const world = await makeWorld();
    const silent = MAKERS.flatMap(([Class, list]) => refuse(world, `new ${Class.name}`, list, (values) => new Class(...values)));
    assert.deepEqual(silent, []);
});
