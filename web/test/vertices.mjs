// Evaluates glTF files with three.js and compares every vertex with what the library evaluates.
//
//   node web/test/vertices.mjs [--spoil] DUMP-VERTICES FILE...
//
// Files are loaded by three's GLTFLoader, and its mixer moves the nodes. From the nodes' places and
// the morph influences each corner of each triangle is computed here in double precision, and may
// lie at most 1e-6 of its body's diameter from the same corner as dump_vertices writes it
// (tests/libs/asset).
// With --spoil the last joint of every skin is 1e-4 beside its place, which must be noticed.
import { spawnSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { AnimationMixer, LoopOnce, Matrix4, MeshBasicMaterial } from 'three';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import { MeshoptDecoder } from 'three/addons/libs/meshopt_decoder.module.js';

const TOLERANCE = 1e-6; // of the body's diameter
// Shares of a clip: its ends, beyond them, and moments that fall between keys.
const SHARES = [0, 0.1180339887, 0.3819660113, 0.6180339887, 0.8541019662, 1, 1.5];
const FEW_SHARES = [0, 0.3819660113, 1]; // of each of many clips
const MANY_CLIPS = 20;

async function readBytes(path) {
  const bytes = await readFile(path);
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
}

// A buffer of a .gltf: beside it, or in it.
async function readBuffer(uri, folder) {
  const inline = /^data:[^,]*;base64,/.exec(uri);
  return inline
    ? Uint8Array.from(Buffer.from(uri.slice(inline[0].length), 'base64')).buffer
    : readBytes(join(folder, decodeURIComponent(uri)));
}

// Buffers come from the folder of the file, and materials, which only serve pictures, are left out.
function withoutBrowser(parser, folder) {
  const inside = parser.loadBuffer.bind(parser); // those of a .glb
  parser.loadBuffer = (index) => {
    const { uri } = parser.json.buffers[index];
    return uri === undefined ? inside(index) : readBuffer(uri, folder);
  };
  return { name: 'without-browser', loadMaterial: () => Promise.resolve(new MeshBasicMaterial()) };
}

async function load(path) {
  const loader = new GLTFLoader();
  loader.setMeshoptDecoder(MeshoptDecoder);
  loader.register((parser) => withoutBrowser(parser, dirname(path)));
  return loader.parseAsync(await readBytes(path), '');
}

// The primitives with triangles, as bodies: a list of meshes for each node, by the nodes' order.
function findBodies(gltf) {
  const { associations } = gltf.parser;
  const bodies = new Map();
  gltf.scene.traverse((object) => {
    if (!object.isMesh) return;
    let node = object;
    while (associations.get(node)?.nodes === undefined) node = node.parent;
    const index = associations.get(node).nodes;
    if (!bodies.has(index)) bodies.set(index, []);
    bodies.get(index).push({ object, primitive: associations.get(object).primitives });
  });
  const indices = [...bodies.keys()].sort((a, b) => a - b);
  return indices.map((index) =>
    bodies.get(index).sort((a, b) => a.primitive - b.primitive).map((entry) => readMesh(entry.object)),
  );
}

// A matrix that a file gives need not be a product of a translation, a rotation and a scale.
function keepMatrices(gltf) {
  gltf.scene.traverse((object) => {
    const index = gltf.parser.associations.get(object)?.nodes;
    const matrix = index === undefined ? undefined : gltf.parser.json.nodes[index].matrix;
    if (matrix !== undefined) {
      object.matrixAutoUpdate = false;
      object.matrix.fromArray(matrix);
    }
  });
}

// Rotations between keys go along the arc of unit quaternions, and three takes keys as they are;
// some files give three digits. Tangents of cubic tracks are no rotations and stay.
function repairRotations(gltf) {
  for (const track of gltf.animations.flatMap((animation) => animation.tracks)) {
    if (track.ValueTypeName !== 'quaternion' || track.values.length !== 4 * track.times.length) continue;
    track.values = Float64Array.from(track.values);
    for (let i = 0; i < track.values.length; i += 4) {
      const length = Math.hypot(...track.values.subarray(i, i + 4));
      for (let k = 0; k < 4 && length > 0; k++) track.values[i + k] /= length;
    }
  }
}

function readVectors(attribute) {
  const numbers = new Float64Array(3 * attribute.count);
  for (let i = 0; i < attribute.count; i++) {
    numbers[3 * i] = attribute.getX(i);
    numbers[3 * i + 1] = attribute.getY(i);
    numbers[3 * i + 2] = attribute.getZ(i);
  }
  return numbers;
}

// The influences of all vertices, four by four; three itself keeps to the first four.
function readInfluences(object) {
  const { attributes } = object.geometry;
  const sets = [[attributes.skinIndex, attributes.skinWeight]];
  for (let set = 1; attributes[`joints_${set}`] !== undefined; set++) {
    sets.push([attributes[`joints_${set}`], attributes[`weights_${set}`]]);
  }
  const width = 4 * sets.length;
  const count = attributes.position.count;
  const joints = new Uint32Array(width * count);
  const weights = new Float64Array(width * count);
  for (let i = 0; i < count; i++) {
    let sum = 0;
    for (let k = 0; k < width; k++) {
      const [indices, shares] = sets[k >> 2];
      joints[width * i + k] = indices.getComponent(i, k & 3);
      weights[width * i + k] = shares.getComponent(i, k & 3);
      sum += weights[width * i + k];
    }
    for (let k = 0; k < width; k++) weights[width * i + k] /= sum;
  }
  return { width, joints, weights };
}

function readMesh(object) {
  const { geometry } = object;
  const { index } = geometry;
  const count = geometry.attributes.position.count;
  return {
    object,
    corners: index !== null ? Uint32Array.from(index.array) : Uint32Array.from({ length: count }, (_, i) => i),
    positions: readVectors(geometry.attributes.position),
    modes: (geometry.morphAttributes.position ?? []).map(readVectors),
    influences: object.isSkinnedMesh ? readInfluences(object) : null,
  };
}

// The first three rows of a matrix, by rows.
function rows(matrix) {
  const e = matrix.elements;
  return [e[0], e[4], e[8], e[12], e[1], e[5], e[9], e[13], e[2], e[6], e[10], e[14]];
}

function jointTransforms(skeleton) {
  const transforms = skeleton.bones.map((bone, i) =>
    rows(new Matrix4().multiplyMatrices(bone.matrixWorld, skeleton.boneInverses[i])),
  );
  if (spoil) transforms[transforms.length - 1][3] += 1e-4;
  return transforms;
}

function evaluate(mesh) {
  const y = Float64Array.from(mesh.positions);
  mesh.modes.forEach((mode, m) => {
    const share = mesh.object.morphTargetInfluences[m];
    for (let i = 0; share !== 0 && i < y.length; i++) y[i] += share * mode[i];
  });
  const { influences } = mesh;
  const transforms = influences ? jointTransforms(mesh.object.skeleton) : [rows(mesh.object.matrixWorld)];
  const x = new Float64Array(y.length);
  const width = influences ? influences.width : 1;
  for (let v = 0; 3 * v < y.length; v++) {
    for (let k = 0; k < width; k++) {
      const weight = influences ? influences.weights[width * v + k] : 1;
      if (weight === 0) continue;
      const t = transforms[influences ? influences.joints[width * v + k] : 0];
      for (let row = 0; row < 3; row++) {
        x[3 * v + row] += weight * (t[4 * row] * y[3 * v] + t[4 * row + 1] * y[3 * v + 1] +
          t[4 * row + 2] * y[3 * v + 2] + t[4 * row + 3]);
      }
    }
  }
  return x;
}

// Moments to look at: the rest pose, then of every clip its shares and one of its keys.
function chooseMoments(gltf) {
  const moments = [{ clip: -1, time: 0 }];
  const shares = gltf.animations.length < MANY_CLIPS ? SHARES : FEW_SHARES;
  gltf.animations.forEach((animation, clip) => {
    for (const share of shares) moments.push({ clip, time: share * animation.duration });
    const { times } = animation.tracks[0] ?? { times: [0] };
    moments.push({ clip, time: times[times.length >> 1] });
  });
  return moments;
}

function goTo(gltf, mixer, moment) {
  mixer.stopAllAction();
  if (moment.clip >= 0) {
    const action = mixer.clipAction(gltf.animations[moment.clip]);
    action.setLoop(LoopOnce);
    action.clampWhenFinished = true;
    action.reset().play();
    mixer.setTime(moment.time);
  }
  gltf.scene.traverse((object) => object.quaternion.normalize());
  gltf.scene.updateMatrixWorld(true);
}

// What tests/libs/asset/dump_vertices.c writes, as a reader of numbers.
function dump(program, path, moments) {
  const input = moments.map(({ clip, time }) => `${clip} ${time}\n`).join('');
  const run = spawnSync(program, [path], { input, maxBuffer: 2 ** 31 });
  if (run.status !== 0) throw new Error(`${program} ${path}: ${run.stderr}`);
  const bytes = run.stdout.buffer.slice(run.stdout.byteOffset, run.stdout.byteOffset + run.stdout.length);
  let at = 0;
  const take = (Kind, count) => {
    const numbers = new Kind(bytes, at, count);
    at += 4 * count;
    return numbers;
  };
  const bodies = Array.from({ length: take(Uint32Array, 1)[0] }, () => {
    const [vertices, triangles, groups] = take(Uint32Array, 3);
    return {
      vertices,
      groups,
      triangles: take(Uint32Array, 3 * triangles),
      groupOf: take(Uint32Array, triangles),
    };
  });
  return { bodies, next: (vertices) => take(Float32Array, 3 * vertices), left: () => bytes.byteLength - at };
}

function diameter(parts) {
  const low = [Infinity, Infinity, Infinity];
  const high = [-Infinity, -Infinity, -Infinity];
  for (const { mesh, x } of parts) {
    for (const vertex of mesh.corners) {
      for (let k = 0; k < 3; k++) {
        low[k] = Math.min(low[k], x[3 * vertex + k]);
        high[k] = Math.max(high[k], x[3 * vertex + k]);
      }
    }
  }
  return Math.hypot(high[0] - low[0], high[1] - low[1], high[2] - low[2]);
}

// The largest distance of corners of two triangles, whichever corner either begins with.
function triangleDistance(ours, a, theirs, b) {
  let best = Infinity;
  for (let turn = 0; turn < 3; turn++) {
    let worst = 0;
    for (let corner = 0; corner < 3; corner++) {
      const p = 3 * a[corner];
      const q = 3 * b[(corner + turn) % 3];
      const apart = Math.hypot(ours[p] - theirs[q], ours[p + 1] - theirs[q + 1], ours[p + 2] - theirs[q + 2]);
      worst = apart <= worst ? worst : apart; // a NaN counts as worst
    }
    best = worst < best ? worst : best;
  }
  return best;
}

// The largest distance of any corner of a body.
function bodyDistance(body, ours, parts) {
  let worst = 0;
  const next = parts.map(() => 0);
  for (let t = 0; t < body.groupOf.length; t++) {
    const group = body.groupOf[t];
    const { mesh, x } = parts[group];
    const first = 3 * next[group]++;
    const theirs = mesh.corners.subarray(first, first + 3);
    worst = Math.max(worst, triangleDistance(ours, body.triangles.subarray(3 * t, 3 * t + 3), x, theirs));
  }
  parts.forEach(({ mesh }, i) => {
    if (3 * next[i] !== mesh.corners.length) throw new Error(`primitive ${i}: the triangles differ in number`);
  });
  return worst;
}

async function compare(program, path) {
  const gltf = await load(path);
  keepMatrices(gltf);
  repairRotations(gltf);
  const bodies = findBodies(gltf);
  const mixer = new AnimationMixer(gltf.scene);
  const moments = chooseMoments(gltf);
  const output = dump(program, path, moments);
  if (output.bodies.length !== bodies.length) {
    throw new Error(`${output.bodies.length} bodies, and three.js finds ${bodies.length}`);
  }
  output.bodies.forEach((body, i) => {
    if (body.groups !== bodies[i].length) throw new Error(`body ${i}: the primitives differ in number`);
  });
  const sizes = []; // at rest
  let worst = { share: 0, corners: 0 };
  for (const moment of moments) {
    goTo(gltf, mixer, moment);
    bodies.forEach((meshes, i) => {
      const body = output.bodies[i];
      const parts = meshes.map((mesh) => ({ mesh, x: evaluate(mesh) }));
      sizes[i] ??= diameter(parts);
      const share = bodyDistance(body, output.next(body.vertices), parts) / sizes[i];
      worst.corners += body.triangles.length;
      if (!(share <= worst.share)) worst = { ...worst, share, body: i, moment };
    });
  }
  if (output.left() !== 0) throw new Error('more numbers than were asked for');
  return { ...worst, moments: moments.length, bodies: bodies.length };
}

// A file of points and lines has no bodies, here and there; any other has corners to compare.
function isClose(found) {
  return found.share <= TOLERANCE && (found.corners > 0 || found.bodies === 0);
}

const spoil = process.argv[2] === '--spoil';
const [program, ...paths] = process.argv.slice(spoil ? 3 : 2);
let failures = 0;
for (const path of paths) {
  try {
    const found = await compare(program, path);
    const where = found.moment ? ` (body ${found.body}, clip ${found.moment.clip}, ${found.moment.time} s)` : '';
    const line = `${path}: ${found.moments} moments, ${found.corners} corners, ` +
      `at most ${found.share.toExponential(2)} of the diameter apart${where}`;
    if (isClose(found)) {
      console.log(line);
    } else {
      failures++;
      console.error(`FAILED: ${line}`);
    }
  } catch (error) {
    failures++;
    console.error(`FAILED: ${path}: ${error.message}`);
  }
}
process.exit(failures > 0 ? 1 : 0);
