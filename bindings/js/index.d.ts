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

export interface ShapeQuality {
    nodeCount: number;
    clusterCount: number;
    levels: number;
    componentCount: number;
    weldedVertexCount: number;
    unusedVertexCount: number;
    degenerateTriangleCount: number;
    duplicateTriangleCount: number;
    openEdgeCount: number;
    clusterFill: number;
    boundaryShare: number;
    areaRatio: number;
}

export class Shape implements Disposable {
    constructor(context: Context, def: ShapeInput | Uint8Array);
    readonly context: Context;
    readonly vertexCount: number;
    readonly triangleCount: number;
    readonly modeCount: number;
    readonly jointCount: number;
    readonly isClosed: boolean;
    readonly bytes: number;
    readonly quality: ShapeQuality;
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

export interface BodyQuality {
    nodes: number;
    growth: number;
    bodyGrowth: number;
    decay: number;
    rebuilds: number;
    sorts: number;
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
    readonly quality: BodyQuality;
    readonly isDisposed: boolean;
    dispose(): void;
}

export interface Segments {
    p: Float32Array;
    q: Float32Array;
    common: Uint32Array;
}

export interface Contacts {
    pairs: Uint32Array;
    segments: Segments | null;
    /** Per pair a normal and a depth. */
    separations: Float32Array | null;
    count: number;
    complete: boolean;
}

export interface SurfacePoints {
    point: Float64Array;
    feature: Uint32Array;
    index: Uint32Array;
}

export interface ProximityColumns {
    a: Uint32Array;
    b: Uint32Array;
    gap: { distance: Float64Array; a: SurfacePoints; b: SurfacePoints };
}

export interface Proximities {
    pairs: ProximityColumns;
    count: number;
}

export interface FeatureColumns {
    kind: Uint32Array;
    a: Uint32Array;
    b: Uint32Array;
    vertices: Uint32Array;
    weights: Float32Array;
    direction: Float32Array;
    distance: Float64Array;
}

export interface Features {
    pairs: FeatureColumns;
    count: number;
    crossings: Uint32Array;
    crossingCount: number;
}

export interface MeetingColumns {
    kind: Uint32Array;
    a: Uint32Array;
    b: Uint32Array;
    time: unknown;
}

export interface Meetings {
    pairs: Uint32Array;
    meetings: MeetingColumns;
    count: number;
    complete: boolean;
}

export interface FreeTime {
    time: number;
    touches: boolean;
    complete: boolean;
    pair: Uint32Array;
    meeting: { kind: Settings.MeetingKindName; a: number; b: number };
}

export interface RayHitColumns {
    t: Float64Array;
    point: Float32Array;
    triangle: Uint32Array;
    weights: Float64Array;
    normal: Float32Array;
    group: Uint16Array;
}

export interface ClosestColumns {
    found: Uint8Array;
    triangle: Uint32Array;
    distance: Float64Array;
    at: SurfacePoints;
    weights: Float64Array;
    normal: Float32Array;
    group: Uint16Array;
}

export interface SignedDistanceColumns {
    distance: Float64Array;
    side: Int32Array;
    winding: Int32Array;
    flags: Uint32Array;
    direction: Float32Array;
    closest: ClosestColumns;
}

export interface ProxyContactColumns {
    a: Uint32Array;
    b: Uint32Array;
    point: Float32Array;
    normal: Float32Array;
    depth: Float32Array;
    flags: Uint32Array;
}

export interface Bound {
    box: Float32Array;
    level: number;
    triangleCount: number;
    isCluster: boolean;
    refreshedBelow: boolean;
}

export type Stats = Record<string, number>;

export class Query implements Disposable {
    constructor(context: Context);
    readonly context: Context;
    collide(a: Body, b: Body, options?: Settings.CollideOptions): Contacts;
    collideSelf(body: Body, options?: Settings.CollideOptions): Contacts;
    findWithin(a: Body, b: Body, distance: number, options?: Settings.WithinOptions): Proximities;
    findWithinSelf(body: Body, distance: number, options?: Settings.WithinOptions): Proximities;
    findFeatures(a: Body, b: Body, distance: number, options?: Settings.FeatureOptions): Features;
    findFeaturesSelf(body: Body, distance: number, options?: Settings.FeatureOptions): Features;
    findMeetings(a: Body, b: Body, options?: Settings.MeetingOptions): Meetings;
    findMeetingsSelf(body: Body, options?: Settings.MeetingOptions): Meetings;
    findFreeTime(a: Body, b: Body, options?: Settings.MeetingOptions): FreeTime;
    findFreeTimeSelf(body: Body, options?: Settings.MeetingOptions): FreeTime;
    advance(bodies: Iterable<Body>, options?: Omit<Settings.AdvanceOptions, "groups"> &
        { groups?: Settings.GroupSet[] }): { time: number; a: number; b: number; path: FreeTime };
    collideProxies(a: Body, b: Body, options?: Settings.ProxyOptions):
        { contacts: ProxyContactColumns; count: number; complete: boolean };
    raycast(body: Body, rays: Numbers): RayHitColumns;
    raycastAll(body: Body, rays: Numbers): { starts: Float64Array; hits: RayHitColumns; count: number };
    findClosestPoints(body: Body, points: Numbers, maxDistance?: number): ClosestColumns;
    measureDistances(body: Body, points: Numbers, options?: Settings.DistanceOptions): SignedDistanceColumns;
    overlapBox(body: Body, box: Numbers): Uint32Array;
    visitBounds(body: Body, visit: (bound: Bound) => boolean, refresh?: boolean): void;
    readonly stats: Stats;
    readonly isDisposed: boolean;
    dispose(): void;
}

export interface ContourSet {
    contours: {
        firstPoint: Float64Array; firstSegment: Float64Array; pointCount: Float64Array;
        segmentCount: Float64Array; length: Float64Array; begin: Uint32Array; end: Uint32Array;
        generic: Uint8Array;
    };
    contourCount: number;
    points: { point: Float32Array; a: unknown; b: unknown };
    pointCount: number;
    segments: { a: Uint32Array; b: Uint32Array; pair: Float64Array };
    segmentCount: number;
    touches: { a: Uint32Array; b: Uint32Array; pair: Float64Array; common: Uint32Array };
    touchCount: number;
    pairCount: number;
    length: number;
    regions: {
        body: Uint32Array; vertexCount: Uint32Array; triangleCount: Uint32Array; pieceCount: Uint32Array;
        inside: Uint8Array; guess: Uint8Array; area: Float64Array; depth: Float64Array; deepest: Float32Array;
    };
    regionCount: number;
    vertexRegions: (Uint32Array | null)[];
    triangleRegions: (Uint32Array | null)[];
    pieces: {
        body: Uint32Array; triangle: Uint32Array; region: Uint32Array; cornerCount: Uint32Array;
        firstCorner: Float64Array; area: Float64Array;
    };
    pieceCount: number;
    corners: Float32Array;
    cornerCount: number;
    gradients: (Float32Array | null)[];
}

export class Contours implements Disposable {
    constructor(context: Context);
    readonly context: Context;
    find(a: Body, b: Body, options?: Settings.ContourOptions): ContourSet;
    findSelf(body: Body, options?: Settings.ContourOptions): ContourSet;
    readonly stats: Stats;
    readonly isDisposed: boolean;
    dispose(): void;
}

export interface BodyId {
    index: number;
    generation: number;
}

export interface ScenePairs {
    /** Index and generation of the first body of each pair, and of the second. */
    a: Uint32Array;
    b: Uint32Array;
    first: Float64Array;
    count: Float64Array;
    complete: Uint8Array;
}

export interface SceneContacts extends Contacts {
    bodies: ScenePairs;
    bodyPairCount: number;
    undecided: ScenePairs;
    undecidedCount: number;
}

export type SceneOptions = Omit<Settings.SceneOptions, "filter"> & { filter?: (a: BodyId, b: BodyId) => boolean };
export type SceneSelect = Omit<Settings.SceneSelect, "filter"> & { filter?: (body: BodyId) => boolean };
export type Member = Omit<Settings.MemberDef, "looseBox" | "hasLooseBox"> & { looseBox?: Numbers };

export interface SceneFreeTime {
    a: Uint32Array;
    b: Uint32Array;
    path: FreeTime;
}

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
    collide(options?: SceneOptions): SceneContacts;
    readonly events: { a: Uint32Array; b: Uint32Array; touch: Uint32Array };
    collideProxies(options?: SceneOptions): {
        bodies: ScenePairs; bodyPairCount: number; contacts: ProxyContactColumns; count: number;
        complete: boolean;
    };
    findWithin(distance: number, options?: SceneOptions): Proximities &
        { bodies: ScenePairs; bodyPairCount: number };
    findFeatures(distance: number, options?: SceneOptions): {
        bodies: ScenePairs; bodyPairCount: number; pairs: FeatureColumns; count: number;
        crossings: SceneContacts;
    };
    beginStep(): void;
    findMeetings(options?: SceneOptions): Meetings &
        { bodies: ScenePairs; bodyPairCount: number; undecided: ScenePairs; undecidedCount: number };
    findFreeTime(options?: SceneOptions): SceneFreeTime;
    advance(options?: SceneOptions): { time: number; path: SceneFreeTime };
    raycast(rays: Numbers, select?: SceneSelect): { body: Uint32Array; hit: RayHitColumns };
    raycastAny(rays: Numbers, select?: SceneSelect): Uint8Array;
    raycastAll(rays: Numbers, select?: SceneSelect):
        { starts: Float64Array; hits: { body: Uint32Array; hit: RayHitColumns }; count: number };
    findClosestPoints(points: Numbers, maxDistance?: number, select?: SceneSelect):
        { body: Uint32Array; closest: ClosestColumns };
    measureDistances(points: Numbers, options?: Settings.DistanceOptions, select?: SceneSelect):
        { body: Uint32Array; distance: SignedDistanceColumns };
    overlapBox(box: Numbers, select?: SceneSelect): {
        bodies: { body: Uint32Array; first: Float64Array; count: Float64Array }; bodyCount: number;
        triangles: Uint32Array; count: number;
    };
    record(write: (bytes: Uint8Array) => boolean | void, options?: Settings.RecordingOptions): void;
    stopRecording(): void;
    readonly isRecording: boolean;
    readonly stats: Record<string, number | Stats>;
    readonly isDisposed: boolean;
    dispose(): void;
}

export interface VolumeMeasure {
    overlap: boolean;
    volume: number;
    error: number;
    least: number;
    most: number;
    centroid: Float64Array;
    box: Float32Array;
    openRays: number;
    spans: { column: Uint32Array; row: Uint32Array; lower: Float32Array; upper: Float32Array };
    spanCount: number;
    vertices: { vertex: Uint32Array; depth: Float32Array; area: Float32Array; gradient: Float32Array }[];
    vertexCount: Uint32Array;
}

export class Volume implements Disposable {
    constructor(context: Context);
    readonly context: Context;
    intersect(a: Body, b: Body, options?: Settings.VolumeOptions): VolumeMeasure;
    intersectSelf(body: Body, options?: Settings.VolumeOptions): VolumeMeasure;
    measure(body: Body, options?: Settings.VolumeOptions): VolumeMeasure;
    locatePoints(body: Body, points: Numbers, options?: Settings.VolumeOptions):
        { winding: Int32Array; depth: Float32Array; sampling: Record<string, unknown> };
    intersectScene(scene: Scene, sceneOptions?: SceneOptions, options?: Settings.VolumeOptions):
        { a: Uint32Array; b: Uint32Array; measure: Record<string, unknown> };
    readonly stats: Record<string, unknown>;
    readonly bytes: number;
    readonly isDisposed: boolean;
    dispose(): void;
}

/** The words of enums by number, by the C name of the enum: words.pliant_touch[0] is "began". */
export const words: Readonly<Record<string, Readonly<Record<number, string>>>>;
