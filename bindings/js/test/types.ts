// Compiled with tsc --strict, never run: the package as a program in TypeScript uses it.
import { load, Body, Contours, PliantError, Query, Scene, Shape, Volume, words } from "pliant";
import { Asset, loadReaders } from "pliant/asset";
import { MeshBody, acceleratedSkinnedRaycast, contactLines } from "pliant/three";
import { SkinnedMesh } from "three";

export async function main(mesh: SkinnedMesh, positions: Float32Array, triangles: Uint32Array) {
    const context = await load({ isa: "baseline", log: (level, sentence) => console.log(level, sentence) });
    const shape = new Shape(context, { positions, triangles, weld: true, partition: "balanced" });
    const [a, b] = [new Body(shape, { update: "hybrid", eagerLevels: 2 }), new MeshBody(context, mesh)];
    a.positions[0] = 1;
    a.positionsChanged();
    const query = new Query(context);
    const contacts = query.collide(a, b, { segments: true, neighbours: "skip", groupsA: [1, 2] });
    const first: number | undefined = contacts.pairs[0];
    contactLines(contacts);
    const scene = new Scene(context, { broad: "tree" });
    const id = scene.add(a, { category: 2n, mask: 3, looseBox: [0, 0, 0, 1, 1, 1] });
    scene.collide({ filter: (x, y) => x.index !== y.index, events: true });
    const touch: string | undefined = words.pliant_touch?.[scene.events.touch[0] ?? 0];
    for (const { body } of scene) {
        body?.prepare();
    }
    new Contours(context).find(a, b, { regions: false });
    const least: number = new Volume(context).intersect(a, b, { resolution: 64 }).least;
    mesh.raycast = acceleratedSkinnedRaycast;
    const asset = await Asset.load(await loadReaders(), ["a.gltf"], async (path) => (await fetch(path)).arrayBuffer(),
                                   { scene: 0, together: true });
    const pose = asset.createPose();
    pose.sample(asset.clips[0]?.name ?? null, 0.5);
    pose.apply(0, new Body(asset.createShape(context, asset.bodies[0]?.shape ?? 0)));
    a.tear({ removed: [0], split: [1], corners: [2, a.vertexCount] });
    // @ts-expect-error there is no such word
    query.collide(a, b, { neighbours: "none" });
    // @ts-expect-error there is no such setting
    query.collide(a, b, { neighbors: "skip" });
    return { first, id, touch, least, isOurs: (error: unknown) => error instanceof PliantError };
}
