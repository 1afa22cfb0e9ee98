import type { Body, Context, Shape, ShapeInput, State } from "./index.js";

/** The readers, loaded: make one for all files. */
export class Readers {
    private constructor();
    readonly version: string;
}

export function loadReaders(options?: { module?: WebAssembly.Module }): Promise<Readers>;

type Bytes = ArrayBuffer | ArrayBufferView;

/** Where files come from: by path, as the file that names them spells it beside its own folder. */
export type AssetFiles = Record<string, Bytes> | Map<string, Bytes> | ((path: string) => Bytes | undefined);

export interface AssetSettings {
    /** glTF files of which only the clips are read. */
    clipPaths?: string | Iterable<string>;
    /** Of glTF files with several scenes, the name or number of the one to read. */
    scene?: string | number;
    /** Of caches, which have no time; default 30. */
    framesPerSecond?: number;
    together?: boolean;
    normaliseWeights?: boolean;
    repair?: boolean;
}

export interface AssetMesh {
    name: string;
    vertexCount: number;
    triangleCount: number;
    modeCount: number;
    jointCount: number;
    positions: Float32Array;
    triangles: Uint32Array | null;
    groups: Uint16Array | null;
    groupNames: string[];
    modes: Float32Array | null;
    modeNames: string[];
    influenceOffsets: Uint32Array | null;
    influenceJoints: Uint32Array | null;
    influenceWeights: Float32Array | null;
    error: number;
}

export interface AssetBody {
    name: string;
    shape: number;
    motion: "still" | "rigid" | "deforming" | "frames";
    jointCount: number;
    jointNames: string[];
}

export interface AssetClip {
    name: string;
    duration: number;
    frameCount: number;
    keyCount: number;
    keyStep: number;
}

export class Asset {
    constructor(readers: Readers, paths: string | Iterable<string>, files: AssetFiles, settings?: AssetSettings);
    /** Asks `resolve` for each file that is needed; it may return a promise. */
    static load(readers: Readers, paths: string | Iterable<string>,
                resolve: (path: string) => Bytes | undefined | Promise<Bytes | undefined>,
                settings?: AssetSettings): Promise<Asset>;
    readonly shapeCount: number;
    readonly bodies: readonly AssetBody[];
    readonly clips: readonly AssetClip[];
    readonly notes: readonly string[];
    mesh(shape: number): AssetMesh;
    createShape(context: Context, shape: number, settings?: Partial<ShapeInput>): Shape;
    createPose(): Pose;
    readonly isDisposed: boolean;
    dispose(): void;
}

export class Pose {
    private constructor();
    readonly asset: Asset;
    /** By a clip's number or name, in seconds; null is the rest pose. */
    sample(clip: number | string | null, time?: number): void;
    state(body: number): { state: State; hidden: boolean };
    apply(body: number, target: Body): void;
    evaluate(body: number): Float32Array;
    readonly isDisposed: boolean;
    dispose(): void;
}
