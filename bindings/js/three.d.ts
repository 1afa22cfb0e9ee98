import type { BufferGeometry, Intersection, Mesh, Object3D, Raycaster, SkinnedMesh } from "three";
import type { Body, BodyDef, Contacts, Context, ContourSet, Shape, ShapeInput } from "./index.js";

type ShapeSettings = Partial<Omit<ShapeInput, "positions" | "triangles">>;

/** A shape of a geometry: its triangles, morph targets and, with `jointCount`, its skin. */
export function shapeFromGeometry(context: Context, geometry: BufferGeometry,
                                  settings?: ShapeSettings & { jointCount?: number }): Shape;

/** A body that follows a mesh. Call update() after the world's matrices were updated. */
export class MeshBody extends Body {
    constructor(context: Context, mesh: Mesh | SkinnedMesh,
                options?: { shape?: Shape; body?: BodyDef; settings?: ShapeSettings });
    readonly mesh: Mesh | SkinnedMesh;
    update(): void;
}

/** The segments of contacts as lines for LineSegments. */
export function contactLines(contacts: Contacts, geometry?: BufferGeometry): BufferGeometry;

/** Contours as lines for LineSegments. */
export function contourLines(set: ContourSet, geometry?: BufferGeometry): BufferGeometry;

/** In place of a mesh's raycast(); `mesh.pliant` is its MeshBody. */
export function acceleratedSkinnedRaycast(this: Object3D & { pliant?: MeshBody }, raycaster: Raycaster,
                                          intersects: Intersection[]): void;
