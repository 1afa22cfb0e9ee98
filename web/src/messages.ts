// What the page and its worker tell each other.
export interface CheckSettings {
  clips: string; // as --clip; empty: all
  self: boolean;
  clearance: number;
  between: boolean; // also what passes through between frames
}

export interface NamedFile { name: string; bytes: Uint8Array<ArrayBuffer> }

// A built-in scene to be checked as a file.
export interface SceneRequest { scene: string; triangles: number; steps: number; bodies: number }

export type Vector = [number, number, number];

export type Order =
  | { do: 'start'; module: WebAssembly.Module }
  | { do: 'make'; request: SceneRequest } // answered by 'made'
  | { do: 'list'; files: NamedFile[]; inputs: string[] } // answered by 'listed'
  | { do: 'check'; files: NamedFile[]; inputs: string[]; settings: CheckSettings } // by 'progress' and 'checked'
  | { do: 'live'; number: number; triangles: number } // by 'begun'
  | { do: 'run'; on: boolean } // the world goes on by itself; by 'stepped', again and again
  | { do: 'taken' } // a frame has been drawn, and another one is welcome
  | { do: 'press'; body: number; vertex: number; point: Vector; along: Vector }
  | { do: 'drag'; to: Vector }
  | { do: 'release' };

export interface LiveMesh { vertices: number; triangles: Uint32Array<ArrayBuffer> }

// What is told of a step, in the order of live_counts in web/wasm/live.h.
export interface LiveCounts { steps: number; seconds: number; touching: number; held: number; slowed: number; late: number }

export interface LiveFrame {
  positions: Float32Array<ArrayBuffer>[]; // per body
  marks: Uint8Array<ArrayBuffer>[]; // per body and triangle: 0 nothing, 1 held off, 2 touching
  counts: LiveCounts;
  at: number; // milliseconds, by the worker's clock
}

export type Answer =
  | { told: 'started' }
  | { told: 'made'; bytes: Uint8Array<ArrayBuffer> }
  | { told: 'listed'; bodies: number; clips: string[] }
  | { told: 'progress'; done: number; count: number }
  | { told: 'checked'; block: Uint8Array<ArrayBuffer>; milliseconds: number }
  | { told: 'begun'; meshes: LiveMesh[]; frame: LiveFrame }
  | { told: 'stepped'; frame: LiveFrame }
  | { told: 'failed'; sentence: string };
