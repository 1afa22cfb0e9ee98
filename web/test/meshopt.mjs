// Writes a .glb once more with EXT_meshopt_compression, for tests of reading it.
//
//   node web/test/meshopt.mjs FROM.glb TO.glb
import { readFile, writeFile } from 'node:fs/promises';
import { MeshoptEncoder } from 'meshoptimizer';

const EXTENSION = 'EXT_meshopt_compression';
const SIZES = { 5120: 1, 5121: 1, 5122: 2, 5123: 2, 5125: 4, 5126: 4 };
const COMPONENTS = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4, MAT2: 4, MAT3: 9, MAT4: 16 };

function readGlb(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const length = view.getUint32(12, true);
  return {
    json: JSON.parse(bytes.subarray(20, 20 + length).toString()),
    bin: bytes.subarray(28 + length, 28 + length + view.getUint32(20 + length, true)),
  };
}

function writeGlb(json, bin) {
  const text = Buffer.from(JSON.stringify(json));
  const pad = (chunk, byte) => Buffer.concat([chunk, Buffer.alloc((4 - (chunk.length % 4)) % 4, byte)]);
  const head = (...numbers) => Buffer.from(Uint32Array.from(numbers).buffer);
  const chunks = [pad(text, 0x20), pad(bin, 0)];
  const size = 12 + 16 + chunks[0].length + chunks[1].length;
  return Buffer.concat([head(0x46546c67, 2, size), head(chunks[0].length, 0x4e4f534a), chunks[0],
    head(chunks[1].length, 0x004e4942), chunks[1]]);
}

// How a view of the buffer can be compressed, if it can: the size of an element, and the mode.
function findModes(json) {
  const triangles = new Set();
  const lists = new Set();
  for (const primitive of json.meshes.flatMap((mesh) => mesh.primitives)) {
    if (primitive.indices === undefined) continue;
    ((primitive.mode ?? 4) === 4 ? triangles : lists).add(primitive.indices);
  }
  const modes = new Map();
  json.accessors.forEach((accessor, i) => {
    const { bufferView } = accessor;
    if (bufferView === undefined) return;
    const packed = SIZES[accessor.componentType] * COMPONENTS[accessor.type];
    const size = json.bufferViews[bufferView].byteStride ?? packed;
    const indices = triangles.has(i) || lists.has(i);
    const mode = triangles.has(i) ? 'TRIANGLES' : indices ? 'INDICES' : 'ATTRIBUTES';
    const possible = indices ? size === 2 || size === 4 : size % 4 === 0 && size <= 256;
    const known = modes.get(bufferView);
    const same = known === undefined || (known?.size === size && known?.mode === mode && !indices);
    modes.set(bufferView, possible && same ? { size, mode } : null);
  });
  return modes;
}

function compress(json, bin) {
  const modes = findModes(json);
  const pieces = [];
  let at = 0;
  let compressed = 0;
  const append = (piece) => {
    const start = at;
    const padding = Buffer.alloc((4 - (piece.length % 4)) % 4);
    pieces.push(piece, padding);
    at += piece.length + padding.length;
    return start;
  };
  let fallback = 0;
  json.bufferViews = json.bufferViews.map((view, i) => {
    const source = bin.subarray(view.byteOffset ?? 0, (view.byteOffset ?? 0) + view.byteLength);
    const how = modes.get(i);
    if (!how || view.byteLength % how.size !== 0) return { ...view, byteOffset: append(source) };
    const count = view.byteLength / how.size;
    if (how.mode === 'TRIANGLES' && count % 3 !== 0) how.mode = 'INDICES';
    const encoded = MeshoptEncoder.encodeGltfBuffer(Uint8Array.from(source), count, how.size, how.mode);
    const made = { ...view, buffer: 1, byteOffset: fallback };
    made.extensions = { [EXTENSION]: { buffer: 0, byteOffset: append(Buffer.from(encoded)),
      byteLength: encoded.length, byteStride: how.size, mode: how.mode, count } };
    fallback += Math.ceil(view.byteLength / 4) * 4;
    compressed++;
    return made;
  });
  json.buffers = [{ byteLength: at },
    { byteLength: fallback, extensions: { [EXTENSION]: { fallback: true } } }];
  for (const list of ['extensionsUsed', 'extensionsRequired']) json[list] = [...(json[list] ?? []), EXTENSION];
  return { bin: Buffer.concat(pieces), compressed };
}

const [from, to] = process.argv.slice(2);
await MeshoptEncoder.ready;
const { json, bin } = readGlb(await readFile(from));
const made = compress(json, bin);
if (made.compressed === 0) throw new Error(`${from}: nothing in it can be compressed`);
await writeFile(to, writeGlb(json, made.bin));
