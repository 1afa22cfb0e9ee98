// Assets: what files hold, and moments of their clips, for the shapes and bodies of a context.
import { Body } from "./body.js";
import { Handle, listOf, moduleOf } from "./handle.js";
import { Readers } from "./readers.js";
import { Shape } from "./shape.js";
import { checkNumber, describe, settingsOf } from "./structs.js";

const MOTIONS = ["still", "rigid", "deforming", "frames"];
const REST = 0xffffffff;
/** Settings by the kind of their numbers. A scene may be a name instead. */
const SETTINGS = { clipPaths: undefined, scene: "u32", framesPerSecond: "f64", together: "bool", normaliseWeights: "bool",
                   repair: "bool" };

/** One path or several. */
function pathsOf(paths, label) {
    return typeof paths === "string" ? [paths] : listOf(paths, label);
}

/** Bytes as the readers take them; anything else is refused by the file's name. */
function bytesOf(value, path) {
    if (value === undefined || value === null) {
        return undefined;
    }
    if (value instanceof Uint8Array) {
        return value;
    }
    if (value instanceof ArrayBuffer || ArrayBuffer.isView(value)) {
        return new Uint8Array(value.buffer ?? value, value.byteOffset ?? 0, value.byteLength);
    }
    throw new TypeError(`${path} is given as an ArrayBuffer or a typed array, not as ${typeof value}`);
}

/** A function from a path to its bytes, from that or from an object or Map of bytes. */
function finderOf(files) {
    if (typeof files === "function") {
        return (path) => bytesOf(files(path), path);
    }
    if (typeof files !== "object" || files === null) {
        throw new TypeError(`files is a function, an object or a Map of bytes, not ${describe(files)}`);
    }
    const known = files instanceof Map ? files : new Map(Object.entries(files));
    return (path) => bytesOf(known.get(path), path);
}

/** What files hold: shapes, bodies and clips. It never changes. */
export class Asset extends Handle {
    #files;

    /**
     * @param {Readers} readers
     * @param {string | Iterable<string>} paths
     * @param {Record<string, Uint8Array> | Map<string, Uint8Array> | ((path: string) => Uint8Array | undefined)} files
     * @param {object} [settings]
     */
    constructor(readers, paths, files, settings = {}) {
        if (!(readers instanceof Readers)) {
            throw new TypeError(`readers is what loadReaders() gives, not ${describe(readers)}`);
        }
        const find = finderOf(files);
        super(readers, "pliant_asset_destroy", withFiles(readers, find, () => load(readers, paths, settings)));
        this.#files = find;
        const [shapes, bodies, clips, notes] = this.#numbers("counts", [], 4);
        const each = (count, make) => Array.from({ length: count }, (_, i) => make.call(this, i));
        this.shapeCount = shapes;
        this.bodies = each(bodies, this.#readBody);
        this.clips = each(clips, this.#readClip);
        this.notes = each(notes, (i) => readers.sentence(readers.exports.pliant_asset_get_note(this.pointer, i)));
    }

    /**
     * Reads files of which some are still to be fetched: `resolve` is asked for each path that the
     * readers ask for and that it has not given yet, and may return a promise.
     */
    static async load(readers, paths, resolve, settings) {
        const known = new Map();
        for (;;) {
            let missing = null;
            const find = (path) => {
                if (!known.has(path)) {
                    missing ??= path;
                }
                return known.get(path);
            };
            try {
                return new Asset(readers, paths, find, settings);
            } catch (error) {
                if (missing === null) {
                    throw error;
                }
                known.set(missing, bytesOf(await resolve(missing), missing));
            }
        }
    }

    /** A shape's mesh and how it deforms, as arrays of the page's own. */
    mesh(shape) {
        this.#check(shape, this.shapeCount, "shape");
        const readers = this.module;
        return readers.session(() => {
            const at = readers.room(64);
            const error = readers.room(4);
            readers.exports.pliant_js_asset_get_mesh(this.pointer, shape, at, error);
            const [vertexCount, triangleCount, groupCount, modeCount, jointCount, influences, name, positions,
                   triangles, groups, groupNames, modes, modeNames, offsets, joints, weights] =
                readers.copyOut(Uint32Array, at, 16);
            return {
                name: readers.sentence(name), vertexCount, triangleCount, modeCount, jointCount,
                positions: readers.readArray(Float32Array, positions, 3 * vertexCount),
                triangles: readers.readArray(Uint32Array, triangles, 3 * triangleCount),
                groups: readers.readArray(Uint16Array, groups, triangleCount),
                groupNames: readers.readTexts(groupNames, groupCount),
                modes: readers.readArray(Float32Array, modes, 3 * vertexCount * modeCount),
                modeNames: readers.readTexts(modeNames, modeCount),
                influenceOffsets: readers.readArray(Uint32Array, offsets, vertexCount + 1),
                influenceJoints: readers.readArray(Uint32Array, joints, influences),
                influenceWeights: readers.readArray(Float32Array, weights, influences),
                error: readers.view.getFloat32(error, true),
            };
        });
    }

    /** A shape of a context from one of the asset. */
    createShape(context, shape, settings) {
        const { name, groupNames, modeNames, vertexCount, triangleCount, ...mesh } = this.mesh(shape);
        if (triangleCount === 0) {
            throw new TypeError(`'${name}' has no triangles: it is a cache without its mesh`);
        }
        const def = Object.fromEntries(Object.entries(mesh).filter(([, value]) => value !== null));
        if (def.modeCount === 0) {
            delete def.modes;
        }
        return new Shape(context, { ...def, normaliseWeights: false, ...settings });
    }

    /** A moment of the asset, at rest. */
    createPose() {
        return new Pose(this);
    }

    /** What poses read frames from. @internal */
    get files() {
        return this.#files;
    }

    #check(index, count, label) {
        if (!(Number.isInteger(index) && index >= 0 && index < count)) {
            throw new RangeError(`there is no ${label} ${String(index)}; there are ${count}`);
        }
    }

    #numbers(what, values, count) {
        const readers = this.module;
        return readers.session(() => {
            const at = readers.room(4, count);
            readers.exports[`pliant_js_asset_get_${what}`](this.pointer, ...values, at);
            return readers.copyOut(Uint32Array, at, count);
        });
    }

    #readBody(i) {
        const readers = this.module;
        const [shape, motion, jointCount, name, jointNames] = this.#numbers("body", [i], 5);
        return { name: readers.sentence(name), shape, motion: MOTIONS[motion], jointCount,
                 jointNames: readers.readTexts(jointNames, jointCount) };
    }

    #readClip(i) {
        const readers = this.module;
        return readers.session(() => {
            const [numbers, values] = [readers.room(16), readers.room(24)];
            readers.exports.pliant_js_asset_get_clip(this.pointer, i, numbers, values);
            const [frameCount, keyCount, name] = readers.copyOut(Uint32Array, numbers, 3);
            const [duration, keyStep] = readers.copyOut(Float64Array, values, 2);
            return { name: readers.sentence(name), duration, frameCount, keyCount, keyStep };
        });
    }

    /** The number of a clip: its own, its place by name, or that of the rest pose. @internal */
    clipNumber(clip) {
        if (clip === null) {
            return REST;
        }
        const index = typeof clip === "string" ? this.clips.findIndex(({ name }) => name === clip) : clip;
        if (!Number.isInteger(index) || this.clips[index] === undefined) {
            throw new RangeError(`there is no clip ${String(clip)}; there are ` +
                                 `${this.clips.map(({ name }) => `'${name}'`).join(", ") || "none"}`);
        }
        return index;
    }
}

/** One moment of an asset: the state of each of its bodies. */
export class Pose extends Handle {
    /** @param {Asset} asset */
    constructor(asset) {
        const readers = moduleOf(asset, Asset, "asset");
        super(readers, "pliant_asset_pose_destroy", withFiles(readers, asset.files, () =>
            readers.create("pliant_asset_pose_create", asset.pointer)));
        this.asset = asset;
    }

    /** Makes it a moment of a clip, by its number or name, in seconds; null is the rest pose. */
    sample(clip, time = 0) {
        withFiles(this.module, this.asset.files, () =>
            this.module.call("pliant_asset_pose_sample", this.pointer, this.asset.clipNumber(clip),
                             checkNumber("f64", "time", time)));
    }

    /** A body's state, as Body.setState() takes it, and whether the file hides the body. */
    state(body) {
        this.#check(body);
        const readers = this.module;
        return readers.session(() => {
            const at = readers.room(28);
            readers.exports.pliant_js_asset_get_state(this.pointer, body, at);
            const [coordinates, transforms, positions, q, t, p, hidden] = readers.copyOut(Uint32Array, at, 7);
            const state = {};
            if (positions > 0) {
                state.positions = readers.copyOut(Float32Array, p, 3 * positions);
            }
            if (coordinates > 0) {
                state.coordinates = readers.copyOut(Float32Array, q, coordinates);
            }
            if (transforms > 0) {
                state.transforms = readers.copyOut(Float32Array, t, 12 * transforms);
            }
            return { state, hidden: hidden !== 0 };
        });
    }

    /** Sets the state of a Body that was made of the shape of the asset's body. */
    apply(body, target) {
        moduleOf(target, Body, "target");
        const { state, hidden } = this.state(body);
        if (hidden) {
            throw new RangeError(`body '${this.asset.bodies[body].name}' is hidden: every transform of it is singular`);
        }
        target.setState(state);
    }

    /** All vertices of a body. */
    evaluate(body) {
        this.#check(body);
        const readers = this.module;
        const count = this.asset.mesh(this.asset.bodies[body].shape).vertexCount;
        return readers.session(() => {
            const at = readers.room(12, count);
            readers.call("pliant_asset_pose_evaluate", this.pointer, body, at);
            return readers.copyOut(Float32Array, at, 3 * count);
        });
    }

    #check(body) {
        if (!Number.isInteger(body) || this.asset.bodies[body] === undefined) {
            throw new RangeError(`there is no body ${String(body)}; there are ${this.asset.bodies.length}`);
        }
    }
}

/** Runs what may read files, and throws what a function that gives them threw. */
function withFiles(readers, files, work) {
    const outer = readers.files;
    readers.files = files;
    try {
        return readers.session(work);
    } finally {
        readers.files = outer;
    }
}

function load(readers, paths, settings) {
    for (const [label, value] of Object.entries(settingsOf(settings, "settings"))) {
        if (!Object.hasOwn(SETTINGS, label)) {
            throw new TypeError(`there is no setting "${label}" here`);
        }
        if (value !== undefined && SETTINGS[label] !== undefined && !(label === "scene" && typeof value === "string")) {
            checkNumber(SETTINGS[label], label, value);
        }
    }
    const { scene, framesPerSecond = 30, together = false, normaliseWeights = true, repair = false } = settings;
    const lendList = (list, label) =>
        readers.lend(Uint32Array.from(list, (path, i) => readers.lendText(path, `${label}[${i}]`)));
    const own = pathsOf(paths, "paths");
    if (own.length === 0) {
        throw new TypeError("paths has no path of a file to read");
    }
    const clips = pathsOf(settings.clipPaths ?? [], "clipPaths");
    return readers.create("pliant_js_asset_load", lendList(own, "paths"), own.length,
                          lendList(clips, "clipPaths"), clips.length,
                          scene === undefined ? 0 : readers.lendText(String(scene), "scene"),
                          framesPerSecond, (together ? 1 : 0) | (normaliseWeights ? 2 : 0) | (repair ? 4 : 0));
}
