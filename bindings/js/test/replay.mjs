// Plays what test/native.c wrote with the package; in Node and in a browser alike.

/** FNV-1a over words of 32 bits, as in native.c. */
export function hashWords(hash, words) {
    for (let i = 0; i < words.length; i++) {
        hash = Math.imul(hash ^ words[i], 0x01000193);
    }
    return hash >>> 0;
}

/** The determinism test's hash (tests/library/test_determinism.c): 64 bits. */
function hashPairs(hash, pairs) {
    const mix = (word) => {
        hash = BigInt.asUintN(64, (hash ^ BigInt(word)) * 0x100000001b3n);
    };
    pairs.forEach(mix);
    mix(pairs.length / 2);
    return hash;
}

class Reader {
    #buffer;
    #at = 0;

    constructor(bytes) {
        this.#buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
    }

    take(Kind, count) {
        this.#at += 4 * count;
        return new Kind(this.#buffer, this.#at - 4 * count, count);
    }

    number() {
        return this.take(Uint32Array, 1)[0];
    }
}

function readBody(reader) {
    const [vertices, triangles, moved, modeCount, jointCount, blended, influences] = reader.take(Uint32Array, 7);
    const def = { positions: reader.take(Float32Array, 3 * vertices), triangles: reader.take(Uint32Array, 3 * triangles) };
    const modes = reader.take(Float32Array, 3 * vertices * modeCount);
    const offsets = reader.take(Uint32Array, blended ? vertices + 1 : 0);
    const joints = reader.take(Uint32Array, influences);
    const weights = reader.take(Float32Array, influences);
    Object.assign(def, { modeCount, jointCount, normaliseWeights: false });
    if (modeCount > 0) {
        def.modes = modes;
    }
    if (blended) {
        Object.assign(def, { influenceOffsets: offsets, influenceJoints: joints, influenceWeights: weights });
    }
    return { def, moved, vertices, modeCount, jointCount };
}

function readState(reader, { moved, vertices, modeCount, jointCount }) {
    if (!moved) {
        return { positions: reader.take(Float32Array, 3 * vertices) };
    }
    const coordinates = reader.take(Float32Array, modeCount);
    const transforms = reader.take(Float32Array, 12 * jointCount);
    return { ...(modeCount > 0 && { coordinates }), ...(jointCount > 0 && { transforms }) };
}

/**
 * Plays a scene: the steps whose pairs differ from the machine's own, how many pairs there were, and
 * the determinism test's hash where there are two bodies.
 */
export function playScene({ Body, Query, Scene, Shape }, context, bytes) {
    const reader = new Reader(bytes);
    const [bodyCount, steps, self] = reader.take(Uint32Array, 3);
    const scene = new Scene(context);
    const query = new Query(context);
    const bodies = Array.from({ length: bodyCount }, () => {
        const read = readBody(reader);
        const body = new Body(new Shape(context, read.def));
        scene.add(body, { self: self !== 0 });
        return { ...read, body };
    });
    const different = [];
    let pairCount = 0;
    let golden = 0xcbf29ce484222325n;
    for (let step = 0; step <= steps; step++) {
        for (const read of bodies) {
            read.body.setState(readState(reader, read));
        }
        const { bodies: touching, bodyPairCount, pairs, count } = scene.collide();
        let hash = 0x811c9dc5;
        for (let i = 0; i < bodyPairCount; i++) {
            hash = hashWords(hash, [touching.a[2 * i], touching.b[2 * i], touching.count[i]]);
        }
        if (count !== reader.number() || hashWords(hash, pairs) !== reader.number()) {
            different.push(step);
        }
        pairCount += count;
        if (bodyCount === 2) {
            golden = hashPairs(golden, query.collide(bodies[0].body, bodies[1].body).pairs);
        }
    }
    for (const object of [scene, query, ...bodies.flatMap(({ body }) => [body, body.shape])]) {
        object.dispose();
    }
    return { different, pairCount, steps, golden: `0x${golden.toString(16)}` };
}

/** What readers find in a file, in the words of native.c. */
export function describeAsset({ Asset }, readers, path, files, name = path) {
    const lines = [`file ${name}`];
    const words = (numbers) => new Uint32Array(numbers.buffer, numbers.byteOffset, numbers.length);
    const hash = (...arrays) => arrays.filter((a) => a).reduce((h, a) => hashWords(h, words(a)), 0x811c9dc5)
        .toString(16).padStart(8, "0");
    let asset;
    try {
        asset = new Asset(readers, path, files);
    } catch (error) {
        return [...lines, `  ${error.message}`];
    }
    const meshes = Array.from({ length: asset.shapeCount }, (_, i) => asset.mesh(i));
    for (const m of meshes) {
        lines.push(`  shape ${m.name}: ${m.vertexCount} vertices, ${m.triangleCount} triangles, ${m.modeCount} modes, ` +
            `${m.jointCount} joints, ` +
            hash(m.positions, m.triangles, m.modes, m.influenceOffsets, m.influenceJoints, m.influenceWeights) +
            m.groupNames.map((group) => ` [${group}]`).join(""));
    }
    lines.push(...asset.notes.map((note) => `  note ${note}`));
    const pose = asset.createPose();
    const describe = (clip, time) => {
        try {
            pose.sample(clip, time);
        } catch (error) {
            lines.push(`  ${error.message}`);
            return;
        }
        asset.bodies.forEach((body, b) => {
            const { state, hidden } = pose.state(b);
            lines.push(`  body ${body.name}: shape ${body.shape}, ${body.motion}, ${body.jointCount} joints, ` +
                (hidden ? "hidden " : "") + hash(state.coordinates, state.transforms, pose.evaluate(b)));
        });
    };
    describe(null, 0);
    asset.clips.forEach((clip, c) => {
        lines.push(`  clip ${clip.name}: ${clip.frameCount} frames, ${clip.keyCount} keys`);
        describe(c, 0.375 * clip.duration);
    });
    pose.dispose();
    asset.dispose();
    return lines;
}
