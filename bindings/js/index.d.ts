// The types of the package. What settings and answers mean is said by the headers of the C library,
// whose names these are in camel case.
import type * as Settings from "./structs.js";
export type * from "./structs.js";

/** Three numbers per vertex, or whatever a method says. Float32Array is taken without a look. */
export type Numbers = Float32Array | readonly number[];
export type Indices = Uint32Array | readonly number[];

export interface LoadOptions {
    /** A compiled module; default: the package's own. */
    module?: WebAssembly.Module;
    /** Whether to take the package's module with SIMD; default: if the machine has it. */
    simd?: boolean;
    /** At most this instruction set; default "best". */
    isa?: "best" | "plain" | "baseline";
    /** Is told what no result says. */
    log?: (level: "info" | "warning", sentence: string) => void;
}

export function load(options?: LoadOptions): Promise<Context>;
export function hasSimd(): boolean;

/** A call that failed; nothing has changed. The message is the library's sentence. */
export class PliantError extends Error {
    readonly code: string;
}

interface Disposable {
    readonly isDisposed: boolean;
    dispose(): void;
}

export class Context implements Disposable {
    private constructor();
    readonly version: string;
    readonly isa: string;
    /** Bytes of memory that the module has. */
    readonly bytes: number;
    readonly isDisposed: boolean;
    dispose(): void;
}

export type ShapeInput = Omit<Settings.ShapeDef, "positions" | "triangles" | "triangles16" | "groups" | "modes" |
    "modeVertices" | "influenceJoints" | "influenceWeights" | "slotJoints" | "slotWeights" | "vertexCount" |
    "triangleCount" | "slotJointType" | "slotWeightType"> & {
    positions: Numbers;
    triangles: Indices | Uint16Array;
    groups?: Uint16Array | readonly number[];
    modes?: Numbers;
    modeOffsets?: Indices;
    modeVertices?: Indices;
    influenceOffsets?: Indices;
    influenceJoints?: Indices;
    influenceWeights?: Numbers;
    slotJoints?: Uint8Array | Uint16Array | Uint32Array;
    slotWeights?: Uint8Array | Uint16Array | Float32Array;
    /** Bytes from element to element of interleaved arrays; default: the elements lie side by side. */
    positionStride?: number;
    triangleStride?: number;
    groupStride?: number;
    modeVertexStride?: number;
    modeStride?: number;
    slotJointStride?: number;
    slotWeightStride?: number;
};

export class Shape implements Disposable {
    constructor(context: Context, def: ShapeInput | Uint8Array);
    readonly context: Context;
    readonly vertexCount: number;
    readonly triangleCount: number;
    readonly modeCount: number;
    readonly jointCount: number;
    readonly isClosed: boolean;
    readonly bytes: number;
    readonly quality: Settings.ShapeQuality;
    readonly vertexOrder: Uint32Array;
    readonly proxies: Uint32Array;
    triangle(index: number): Uint32Array;
    group(index: number): number;
    proxyTriangles(proxy: Indices): Uint32Array;
    proxyVertex(proxy: Indices): number;
    write(): Uint8Array;
    validate(): void;
    readonly isDisposed: boolean;
    dispose(): void;
}

export interface State {
    positions?: Numbers;
    coordinates?: Numbers;
    transforms?: Numbers;
    world?: Numbers;
}

/** Triangles to remove, vertices to copy, and corners as pairs of a triangle and the copy it gets. */
export interface Tear {
    removed?: Indices;
    split?: Indices;
    corners?: Indices;
    welded?: Indices;
}

export class Body implements Disposable {
    constructor(shape: Shape, def?: Settings.BodyDef);
    /** What the body was made of; tearing leaves it as it is. */
    readonly shape: Shape;
    readonly vertexCount: number;
    readonly triangleCount: number;
    triangle(index: number): Uint32Array;
    readonly positions: Float32Array;
    positionsChanged(): void;
    setPositions(positions: Numbers): void;
    setCoordinates(coordinates: Numbers): void;
    setTransforms(transforms: Numbers): void;
    setMatrices(matrices: Numbers): void;
    setWorld(rows: Numbers | null): void;
    setWorldMatrix(matrix: Numbers | null): void;
    setState(state: State): void;
    setUpdate(update: Settings.UpdateName, eagerLevels?: number, lazyLevels?: number): void;
    beginStep(): void;
    endStep(): void;
    readonly bounds: Float32Array;
    prepare(): void;
    evaluate(vertices?: Indices): Float32Array;
    readonly memory: { positions: number; bounds: number };
    tear(tear: Tear): void;
    readonly quality: Settings.BodyQuality;
    readonly isDisposed: boolean;
    dispose(): void;
}

/** Objects that find something about bodies: their calls are listed in structs.d.ts. */
export interface Query extends Settings.QueryCalls {}
export interface Contours extends Settings.ContoursCalls {}
export interface Scene extends Settings.SceneCalls {}
export interface Volume extends Settings.VolumeCalls {}

export class Query implements Disposable {
    constructor(context: Context);
    readonly context: Context;
    visitBounds(body: Body, visit: (bound: Settings.Bound) => boolean, refresh?: boolean): void;
    readonly stats: Settings.Stats;
    readonly isDisposed: boolean;
    dispose(): void;
}

export class Contours implements Disposable {
    constructor(context: Context);
    readonly context: Context;
    readonly stats: Settings.ContourStats;
    readonly isDisposed: boolean;
    dispose(): void;
}

export interface BodyId {
    index: number;
    generation: number;
}

export type Member = Omit<Settings.MemberDef, "looseBox" | "hasLooseBox"> & { looseBox?: Numbers };

export class Scene implements Disposable, Iterable<{ id: BodyId; body: Body | undefined }> {
    constructor(context: Context, def?: Settings.SceneDef);
    readonly context: Context;
    add(body: Body, member?: Member): BodyId;
    remove(id: BodyId): void;
    setMember(id: BodyId, member?: Member): void;
    bodyAt(index: number): Body | undefined;
    idOf(body: Body): BodyId | undefined;
    readonly bodyCount: number;
    boxes(ids: Iterable<BodyId>): Float32Array;
    [Symbol.iterator](): Iterator<{ id: BodyId; body: Body | undefined }>;
    setStates(states: { body: Body; state: State }[]): void;
    readonly events: { a: Uint32Array; b: Uint32Array; touch: Uint32Array };
    beginStep(): void;
    record(write: (bytes: Uint8Array) => boolean | void, options?: Settings.RecordingOptions): void;
    stopRecording(): void;
    readonly isRecording: boolean;
    readonly stats: Settings.SceneStats;
    readonly isDisposed: boolean;
    dispose(): void;
}

export class Volume implements Disposable {
    constructor(context: Context);
    readonly context: Context;
    readonly stats: Settings.VolumeStats;
    readonly bytes: number;
    readonly isDisposed: boolean;
    dispose(): void;
}

/** The words of enums by number, by the C name of the enum: words.pliant_touch[0] is "began". */
export const words: Readonly<Record<string, Readonly<Record<number, string>>>>;
