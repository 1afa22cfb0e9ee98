// Bodies of three.js meshes lie where three.js draws them, and picking finds what its own does.
import assert from "node:assert/strict";
import { test } from "node:test";

let THREE = null;
try {
    THREE = await import("../../../build/js/node_modules/three/build/three.module.js");
} catch {
    // three.js is not installed
}
const skip = THREE === null ? "three.js is not installed" : false;
const { load, Query } = await import("../../../build/js/package/index.js");
const glue = THREE && await import("../../../build/js/package/three.js");

/** A bent tube with two bones and two morph targets, somewhere in the world. */
function makeTube() {
    const geometry = new THREE.CylinderGeometry(0.5, 0.5, 4, 12, 16);
    const { position } = geometry.attributes;
    const joints = [];
    const weights = [];
    const targets = [[], []];
    for (let i = 0; i < position.count; i++) {
        const w = Math.min(1, Math.max(0, (position.getY(i) + 2) / 4));
        joints.push(0, 1, 0, 0);
        weights.push(1 - w, w, 0, 0);
        targets[0].push(0.3 * position.getX(i), 0, 0.3 * position.getZ(i));
        targets[1].push(0, 0, 0.2 * Math.sin(3 * position.getY(i)));
    }
    geometry.setAttribute("skinIndex", new THREE.Uint16BufferAttribute(joints, 4));
    geometry.setAttribute("skinWeight", new THREE.Float32BufferAttribute(weights, 4));
    geometry.morphTargetsRelative = true;
    geometry.morphAttributes.position = targets.map((t) => new THREE.Float32BufferAttribute(t, 3));
    const mesh = new THREE.SkinnedMesh(geometry, new THREE.MeshBasicMaterial({ side: THREE.DoubleSide }));
    const bones = [new THREE.Bone(), new THREE.Bone()];
    bones[0].position.y = -2;
    bones[0].add(bones[1]);
    bones[1].position.y = 2;
    mesh.add(bones[0]);
    mesh.bind(new THREE.Skeleton(bones));
    mesh.position.set(3, 1, -2);
    mesh.rotation.set(0.3, 0.5, 0.1);
    bones[1].rotation.set(0.2, 0, 0.9);
    mesh.morphTargetInfluences = [0.4, 0.8];
    mesh.updateMatrixWorld(true);
    mesh.skeleton.update();
    return mesh;
}

test("a skinned mesh with morph targets lies where three.js puts its vertices", { skip }, async () => {
    const mesh = makeTube();
    const body = new glue.MeshBody(await load(), mesh);
    const positions = body.evaluate();
    const vertex = new THREE.Vector3();
    for (let i = 0; i < positions.length / 3; i++) {
        mesh.getVertexPosition(i, vertex).applyMatrix4(mesh.matrixWorld);
        assert.ok(vertex.distanceTo(new THREE.Vector3().fromArray(positions, 3 * i)) < 1e-5, `vertex ${i}`);
    }
});

test("picking finds the triangle that three.js finds", { skip }, async () => {
    const mesh = makeTube();
    const body = new glue.MeshBody(await load(), mesh);
    const box = body.bounds;
    let found = 0;
    for (let i = 0; i < 200; i++) {
        const at = (k, t) => box[k] + (box[k + 3] - box[k]) * t;
        const target = new THREE.Vector3(at(0, (i * 0.618) % 1), at(1, (i * 0.414) % 1), at(2, (i * 0.732) % 1));
        const raycaster = new THREE.Raycaster(new THREE.Vector3(0, 8, 5), new THREE.Vector3(), 0, 100);
        raycaster.ray.lookAt(target);
        mesh.raycast = THREE.SkinnedMesh.prototype.raycast;
        mesh.computeBoundingSphere();
        mesh.computeBoundingBox();
        const expected = raycaster.intersectObject(mesh, false)[0];
        mesh.raycast = glue.acceleratedSkinnedRaycast;
        mesh.pliant = body;
        const [hit] = raycaster.intersectObject(mesh, false);
        assert.equal(hit === undefined, expected === undefined);
        if (hit !== undefined) {
            found++;
            assert.ok(Math.abs(hit.distance - expected.distance) < 1e-4);
            assert.ok(hit.uv.distanceTo(expected.uv) < 1e-3);
        }
    }
    assert.ok(found > 20);
});

test("contacts and contours become lines", { skip }, async () => {
    const context = await load();
    const first = new THREE.Mesh(new THREE.SphereGeometry(1, 24, 16));
    const second = new THREE.Mesh(new THREE.SphereGeometry(1, 20, 14));
    second.position.x = 1.2;
    second.updateMatrixWorld();
    const [a, b] = [new glue.MeshBody(context, first), new glue.MeshBody(context, second)];
    const contacts = new Query(context).collide(a, b, { segments: true });
    const lines = glue.contactLines(contacts);
    assert.equal(lines.attributes.position.count, 2 * contacts.count);
    for (let i = 0; i < lines.attributes.position.count; i++) {
        assert.ok(Math.abs(lines.attributes.position.getX(i) - 0.6) < 0.05, "on the plane between the balls");
    }
    const { Contours } = await import("../../../build/js/package/index.js");
    const set = new Contours(context).find(a, b);
    assert.ok(glue.contourLines(set).attributes.position.count >= 2 * set.segmentCount);
});
