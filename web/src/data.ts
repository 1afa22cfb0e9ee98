// Unpacks what the tool put into the page. tool/report/data.c writes it: a JSON text that says where
// in the block of bytes behind it each array is, and how it is coded.

interface Stored { code: 'words' | 'floats' | 'bytes'; at: number; count: number }
interface StoredSeries { width: number; frames: number; steps: Stored; coded: Stored }

export interface Mesh {
  vertices: number;
  faces: number;
  modeCount: number;
  jointCount: number;
  positions: Float32Array;
  triangles: Uint32Array;
  modes?: Float32Array;
  offsets?: Uint32Array;
  joints?: Uint32Array;
  weights?: Float32Array;
}

// Arrays of `width` numbers, frame after frame.
export interface Series { width: number; frames: number; values: Float32Array }

export interface Tree {
  count: number;
  levels: Uint32Array;
  faces: Uint32Array;
  clusters: Uint32Array;
  boxes: Series;
  states: Uint8Array; // per frame and bound: 0 never computed, 1 bound known, 2 opened
}

export interface Body {
  name: string;
  mesh: number;
  closed: boolean;
  free: boolean; // the state is its positions
  state: Series;
  stateOf?: number; // the body that has the same states
  parts?: Uint32Array;
  tree?: Tree;
}

export interface Part { name: string; body: number }

export interface Cost { nodes: number; clusters: number; vertices: number }

export interface Strategy {
  name: string; ms: number;
  nodes: number; clusters: number; vertices: number;
  nodeShare: number; clusterShare: number; vertexShare: number;
}

// A place at which two parts do something over frames of a clip.
export interface Finding {
  clip: number;
  pair: [number, number]; // parts
  fails: boolean;
  what: string;
  kind: 'contact' | 'containment' | 'pass' | 'clearance';
  verdict: 'known' | 'new' | 'worse' | 'shallow';
  place: string;
  depth: number; percent: number; area: number; length: number; gap: number;
  frames: number; first: number; deepest: number; last: number; // numbers within the clip
  frame: number; // the deepest, counted over all clips
  position: [number, number, number];
}

export interface BatchFile {
  name: string; line: string;
  status: number; // 0: nothing fails, 1: something does, above: it was not checked
  failing: number; known: number; frames: number; depth: number; percent: number;
  block: number; // its report; -1: none
}

export interface BatchData { kind: 'batch'; title: string; description: string; pliant: string; files: BatchFile[] }

export interface PageData {
  kind: 'demo' | 'check' | 'bench';
  up?: 'y' | 'z';
  findings?: Finding[];
  title: string;
  description: string;
  pliant: string;
  clips: string[];
  notes: string[];
  meshes: Mesh[];
  bodies: Body[];
  parts: Part[];
  pairs: [number, number][];
  whole?: Cost;
  frames: {
    count: number;
    clip: Uint32Array;
    number: Uint32Array;
    time: Float32Array;
    contactBytes: Uint32Array;
    nodes?: Uint32Array;
    clusters?: Uint32Array;
    verticesRead?: Uint32Array;
    contacts: Uint8Array;
    passes?: Uint8Array; // what passes through between frames
    contourBytes?: Uint32Array;
    contourStep?: number; // of the grid that the points of contours are on
    contours?: Uint8Array;
  };
  extra: { strategies?: Strategy[]; work?: string };
}

function decodeWords(planes: Uint8Array, count: number): Uint32Array {
  const words = new Uint32Array(count);
  let last = 0;
  for (let i = 0; i < count; i++) {
    const folded = planes[i] | planes[count + i] << 8 | planes[2 * count + i] << 16
      | planes[3 * count + i] << 24;
    last = (last + ((folded >>> 1) ^ -(folded & 1))) | 0;
    words[i] = last;
  }
  return words;
}

export function decodeFloats(planes: Uint8Array, count: number): Float32Array {
  const words = new Uint32Array(count);
  for (let i = 0; i < count; i++) {
    words[i] = planes[i] | planes[count + i] << 8 | planes[2 * count + i] << 16
      | planes[3 * count + i] << 24;
  }
  return new Float32Array(words.buffer);
}

// See report_series_add(): each frame is what is left after a prediction, or plain numbers.
function decodeSeries(width: number, frames: number, steps: Float32Array, coded: Uint8Array): Series {
  const values = new Float32Array(width * frames);
  let last = new Int32Array(width);
  let before = new Int32Array(width);
  let at = 0;
  for (let frame = 0; frame < frames; frame++) {
    const how = coded[at];
    const planes = coded[at + 1];
    at += 2;
    const out = frame * width;
    if (how === 2) {
      values.set(decodeFloats(coded.subarray(at, at + 4 * width), width), out);
      last.fill(0);
      before.fill(0);
    } else {
      const now = before; // its numbers are read once, just before they are overwritten
      for (let i = 0; i < width; i++) {
        let folded = planes > 0 ? coded[at + i] : 0;
        for (let plane = 1; plane < planes; plane++) {
          folded |= coded[at + plane * width + i] << (8 * plane);
        }
        const rest = (folded >>> 1) ^ -(folded & 1);
        now[i] = (how === 1 ? 2 * last[i] - before[i] : last[i]) + rest;
        values[out + i] = now[i] * steps[i];
      }
      before = last;
      last = now;
    }
    at += planes * width;
  }
  return { width, frames, values };
}

function isStored(value: unknown): value is Stored {
  return typeof value === 'object' && value !== null && 'code' in value && 'at' in value;
}

// Replaces descriptions of arrays by the arrays, all the way down.
function fillIn(value: unknown, block: Uint8Array): unknown {
  if (isStored(value)) {
    const { code, at, count } = value;
    if (code === 'bytes') return block.subarray(at, at + count);
    const planes = block.subarray(at, at + 4 * count);
    return code === 'words' ? decodeWords(planes, count) : decodeFloats(planes, count);
  }
  if (Array.isArray(value)) return value.map((item) => fillIn(item, block));
  if (typeof value !== 'object' || value === null) return value;
  const filled: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) filled[key] = fillIn(item, block);
  if ('coded' in filled && 'steps' in filled) {
    const stored = value as StoredSeries;
    return decodeSeries(stored.width, stored.frames, filled.steps as Float32Array,
      filled.coded as Uint8Array);
  }
  return filled;
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

async function inflate(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// Unpacks the data of a report, as tool/report packs it.
export async function unpack(packed: Uint8Array<ArrayBuffer>, extra: PageData['extra'] = {}): Promise<PageData> {
  const bytes = await inflate(packed);
  const length = bytes[0] | bytes[1] << 8 | bytes[2] << 16 | bytes[3] << 24;
  const json = JSON.parse(new TextDecoder().decode(bytes.subarray(4, 4 + length)));
  const data = fillIn(json, bytes.subarray(4 + length)) as PageData;
  for (const body of data.bodies ?? []) {
    if (body.stateOf !== undefined) body.state = data.bodies[body.stateOf].state;
  }
  data.extra = extra;
  return data;
}

// Unpacks one block of the page; `keep` leaves it there to be unpacked again.
export async function loadBlock(id: string, keep = false): Promise<PageData> {
  const holder = document.getElementById(id)!;
  const packed = fromBase64(holder.textContent!.trim());
  if (!keep) holder.remove();
  return unpack(packed, JSON.parse(document.getElementById('pliant-extra')!.textContent!));
}

export function loadData(): Promise<PageData | BatchData> {
  return loadBlock('pliant-data') as Promise<PageData | BatchData>;
}
