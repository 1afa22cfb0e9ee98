// Pliant for three.js: shapes and bodies of its meshes, answers as its geometries, exact picking.
//
// A SkinnedMesh is never evaluated: its bones and morph influences are all that a body is given, and
// the library computes the vertices of triangles that may touch.
import { BackSide, BufferAttribute, BufferGeometry, DoubleSide, Matrix4, Vector2, Vector3 } from "three";
import { Body } from "./src/body.js";
import { Query } from "./src/query.js";
import { Shape } from "./src/shape.js";

/** The numbers of an attribute, three per vertex, whatever its layout and type. */
function positionsOf(attribute) {
    if (attribute.array instanceof Float32Array && attribute.itemSize === 3 && !attribute.isInterleavedBufferAttribute) {
        return attribute.array;
    }
    const numbers = new Float32Array(3 * attribute.count);
    for (let i = 0; i < attribute.count; i++) {
        numbers.set([attribute.getX(i), attribute.getY(i), attribute.getZ(i)], 3 * i);
    }
    return numbers;
}

/** The triangles that a geometry draws: its index, or its vertices three by three. */
function trianglesOf(geometry) {
    const { index } = geometry;
    if (index === null) {
        const count = geometry.attributes.position.count;
        return Uint32Array.from({ length: count - (count % 3) }, (_, i) => i);
    }
    const { array } = index;
    return array instanceof Uint16Array || array instanceof Uint32Array ? array : Uint32Array.from(array);
}

/** A group per triangle from the geometry's groups: the number of the material. */
function groupsOf(geometry, triangleCount) {
    if (geometry.groups.length === 0) {
        return undefined;
    }
    const groups = new Uint16Array(triangleCount);
    for (const { start, count, materialIndex = 0 } of geometry.groups) {
        groups.fill(materialIndex, Math.floor(start / 3), Math.min(triangleCount, Math.floor((start + count) / 3)));
    }
    return groups;
}

/** Morph targets as displacements, one field after the other. */
function modesOf(geometry, positions) {
    const targets = geometry.morphAttributes.position ?? [];
    const length = positions.length;
    const modes = new Float32Array(length * targets.length);
    targets.forEach((target, m) => {
        const numbers = positionsOf(target);
        for (let i = 0; i < length; i++) {
            modes[m * length + i] = geometry.morphTargetsRelative ? numbers[i] : numbers[i] - positions[i];
        }
    });
    return { modeCount: targets.length, modes: targets.length > 0 ? modes : undefined,
             modeStride: targets.length > 0 ? 4 * length : undefined };
}

/** The table of four joints and weights of each vertex of a skinned geometry. */
function slotsOf(geometry, jointCount) {
    const { skinIndex, skinWeight } = geometry.attributes;
    const count = skinIndex.count;
    const slotJoints = new Uint16Array(4 * count);
    const slotWeights = new Float32Array(4 * count);
    for (let i = 0; i < count; i++) {
        for (let k = 0; k < 4; k++) {
            slotJoints[4 * i + k] = skinIndex.getComponent(i, k);
            slotWeights[4 * i + k] = skinWeight.getComponent(i, k);
        }
    }
    return { jointCount, slotCount: 4, slotJoints, slotWeights, normaliseWeights: false };
}

/**
 * A shape of a BufferGeometry: its triangles, morph targets and, with `jointCount`, its skin. One
 * without either is moved by positions.
 */
export function shapeFromGeometry(context, geometry, { jointCount = 0, ...settings } = {}) {
    const positions = positionsOf(geometry.attributes.position);
    const triangles = trianglesOf(geometry);
    const skin = jointCount > 0 ? slotsOf(geometry, jointCount) : {};
    return new Shape(context, {
        positions, triangles, groups: groupsOf(geometry, triangles.length / 3),
        ...modesOf(geometry, positions), ...skin, ...settings,
    });
}

/**
 * A body that follows a Mesh or SkinnedMesh. Call update() after three.js has updated the world's
 * matrices; it sets bones, morph influences and the world transform, nothing else.
 */
export class MeshBody extends Body {
    /**
     * @param {import("./src/context.js").Context} context
     * @param {import("three").Mesh} mesh
     * @param {{ shape?: Shape, body?: object, settings?: object }} [options] a shape that meshes of
     * the same geometry share; settings of the body; settings of a shape that is made
     */
    constructor(context, mesh, { shape, body, settings } = {}) {
        const jointCount = mesh.isSkinnedMesh ? mesh.skeleton.bones.length : 0;
        super(shape ?? shapeFromGeometry(context, mesh.geometry, { jointCount, ...settings }), body);
        this.mesh = mesh;
        this.update();
    }

    update() {
        const { mesh } = this;
        const state = {};
        if (this.shape.modeCount > 0) {
            state.coordinates = Float32Array.from(mesh.morphTargetInfluences);
        }
        if (mesh.isSkinnedMesh) {
            state.transforms = this.#boneRows();
        }
        state.world = rowsOf(mesh.matrixWorld, new Float32Array(12), 0);
        this.setState(state);
    }

    /** Rows of what each bone does to a vertex in the mesh's own frame. */
    #boneRows() {
        const { bones, boneInverses } = this.mesh.skeleton;
        const rows = new Float32Array(12 * bones.length);
        const matrix = new Matrix4();
        bones.forEach((bone, j) => {
            matrix.multiplyMatrices(bone.matrixWorld, boneInverses[j]);
            matrix.multiply(this.mesh.bindMatrix).premultiply(this.mesh.bindMatrixInverse);
            rowsOf(matrix, rows, 12 * j);
        });
        return rows;
    }
}

function rowsOf(matrix, rows, at) {
    const e = matrix.elements;
    for (let i = 0; i < 3; i++) {
        for (let k = 0; k < 4; k++) {
            rows[at + 4 * i + k] = e[4 * k + i];
        }
    }
    return rows;
}

/** The segments of contacts (options.segments) as lines for LineSegments. */
export function contactLines(contacts, geometry = new BufferGeometry()) {
    const { p, q } = contacts.segments;
    const lines = new Float32Array(2 * p.length);
    for (let i = 0; i < p.length; i += 3) {
        lines.set(p.subarray(i, i + 3), 2 * i);
        lines.set(q.subarray(i, i + 3), 2 * i + 3);
    }
    return geometry.setAttribute("position", new BufferAttribute(lines, 3));
}

/** Contours as lines for LineSegments, closed ones closed. */
export function contourLines(set, geometry = new BufferGeometry()) {
    const { firstPoint, pointCount, segmentCount } = set.contours;
    const { point } = set.points;
    const lines = [];
    for (let c = 0; c < set.contourCount; c++) {
        for (let k = 0; k < segmentCount[c]; k++) {
            for (const end of [k, (k + 1) % pointCount[c]]) {
                const at = 3 * (firstPoint[c] + end);
                lines.push(point[at], point[at + 1], point[at + 2]);
            }
        }
    }
    return geometry.setAttribute("position", new BufferAttribute(Float32Array.from(lines), 3));
}

/** The ray of a Raycaster as the library has it. */
function rayOf({ ray, far }) {
    return Float32Array.of(...ray.origin.toArray(), ...ray.direction.toArray(), far);
}

const queries = new WeakMap();

function queryOf(body) {
    const { context } = body.shape;
    if (!queries.has(context)) {
        queries.set(context, new Query(context));
    }
    return queries.get(context);
}

/** Whether a material shows the side of a triangle that a ray meets. */
function isShown(material, normal, direction) {
    const towards = normal[0] * direction.x + normal[1] * direction.y + normal[2] * direction.z;
    return material.side === DoubleSide || (material.side === BackSide ? towards >= 0 : towards <= 0);
}

/** The first hit that the raycaster and the materials let through, as an element of `hits`, or -1. */
function findShown(hits, mesh, raycaster) {
    return hits.t.findIndex((t, i) => {
        const material = Array.isArray(mesh.material) ? mesh.material[hits.group[i]] : mesh.material;
        return t !== Infinity && t >= raycaster.near && material !== undefined &&
            isShown(material, hits.normal.subarray(3 * i, 3 * i + 3), raycaster.ray.direction);
    });
}

/**
 * In place of a mesh's raycast(): `mesh.raycast = acceleratedSkinnedRaycast`, and `mesh.pliant` is
 * its MeshBody, updated. Only the nearest hit is reported, exactly; other hits along the ray are
 * looked for where the nearest is too near, or shows a side that the material does not.
 */
export function acceleratedSkinnedRaycast(raycaster, intersects) {
    const body = this.pliant;
    if (body === undefined) {
        throw new TypeError("mesh.pliant is the MeshBody that rays are cast at");
    }
    const ray = rayOf(raycaster);
    let hits = queryOf(body).raycast(body, ray);
    let nearest = findShown(hits, this, raycaster);
    if (nearest < 0 && hits.t[0] !== Infinity) {
        ({ hits } = queryOf(body).raycastAll(body, ray));
        nearest = findShown(hits, this, raycaster);
    }
    if (nearest >= 0) {
        intersects.push(intersectionOf(this, body, hits, nearest));
    }
}

/** A hit as three.js tells it. The normal is the triangle's, in the world. */
function intersectionOf(mesh, body, hits, i) {
    const three = (numbers) => numbers.subarray(3 * i, 3 * i + 3);
    const [a, b, c] = body.shape.triangle(hits.triangle[i]);
    const face = { a, b, c, normal: new Vector3().fromArray(three(hits.normal)), materialIndex: hits.group[i] };
    const answer = { distance: hits.t[i], point: new Vector3().fromArray(three(hits.point)), object: mesh,
                     faceIndex: hits.triangle[i], face };
    const { uv } = mesh.geometry.attributes;
    if (uv) {
        answer.uv = new Vector2();
        [a, b, c].forEach((vertex, k) => {
            answer.uv.x += three(hits.weights)[k] * uv.getX(vertex);
            answer.uv.y += three(hits.weights)[k] * uv.getY(vertex);
        });
    }
    return answer;
}
