// The vertices of a body from its state: x = sum w_j T_j (p + sum q_m U_m), as the library has it.
import type { Body, Mesh } from './data';

function addModes(mesh: Mesh, coordinates: Float32Array, out: Float32Array): void {
  const count = 3 * mesh.vertices;
  const modes = mesh.modes!;
  for (let m = 0; m < mesh.modeCount; m++) {
    const q = coordinates[m];
    if (q === 0) continue;
    for (let i = 0, at = m * count; i < count; i++, at++) out[i] += q * modes[at];
  }
}

function moveRigidly(mesh: Mesh, t: Float32Array, out: Float32Array): void {
  for (let i = 0; i < 3 * mesh.vertices; i += 3) {
    const x = out[i], y = out[i + 1], z = out[i + 2];
    out[i] = t[0] * x + t[1] * y + t[2] * z + t[3];
    out[i + 1] = t[4] * x + t[5] * y + t[6] * z + t[7];
    out[i + 2] = t[8] * x + t[9] * y + t[10] * z + t[11];
  }
}

function blend(mesh: Mesh, t: Float32Array, out: Float32Array): void {
  const offsets = mesh.offsets!, joints = mesh.joints!, weights = mesh.weights!;
  for (let v = 0, i = 0; v < mesh.vertices; v++, i += 3) {
    const x = out[i], y = out[i + 1], z = out[i + 2];
    let sumX = 0, sumY = 0, sumZ = 0;
    for (let k = offsets[v]; k < offsets[v + 1]; k++) {
      const w = weights[k], at = 12 * joints[k];
      sumX += w * (t[at] * x + t[at + 1] * y + t[at + 2] * z + t[at + 3]);
      sumY += w * (t[at + 4] * x + t[at + 5] * y + t[at + 6] * z + t[at + 7]);
      sumZ += w * (t[at + 8] * x + t[at + 9] * y + t[at + 10] * z + t[at + 11]);
    }
    out[i] = sumX;
    out[i + 1] = sumY;
    out[i + 2] = sumZ;
  }
}

export function evaluate(mesh: Mesh, body: Body, frame: number, out: Float32Array): void {
  const { width, values } = body.state;
  const state = values.subarray(frame * width, (frame + 1) * width);
  if (body.free) {
    out.set(state);
    return;
  }
  out.set(mesh.positions);
  if (mesh.modeCount > 0) addModes(mesh, state, out);
  if (mesh.jointCount === 0) return;
  const transforms = state.subarray(mesh.modeCount);
  if (mesh.offsets) blend(mesh, transforms, out);
  else moveRigidly(mesh, transforms, out);
}

// Normals of vertices: the sum of their triangles' normals, weighted by area.
export function findNormals(mesh: Pick<Mesh, 'triangles'>, positions: Float32Array, normals: Float32Array): void {
  const t = mesh.triangles, p = positions;
  normals.fill(0);
  for (let i = 0; i < t.length; i += 3) {
    const a = 3 * t[i], b = 3 * t[i + 1], c = 3 * t[i + 2];
    const ux = p[b] - p[a], uy = p[b + 1] - p[a + 1], uz = p[b + 2] - p[a + 2];
    const vx = p[c] - p[a], vy = p[c + 1] - p[a + 1], vz = p[c + 2] - p[a + 2];
    const nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
    normals[a] += nx; normals[a + 1] += ny; normals[a + 2] += nz;
    normals[b] += nx; normals[b + 1] += ny; normals[b + 2] += nz;
    normals[c] += nx; normals[c + 1] += ny; normals[c + 2] += nz;
  }
  for (let i = 0; i < normals.length; i += 3) {
    const length = Math.hypot(normals[i], normals[i + 1], normals[i + 2]) || 1;
    normals[i] /= length;
    normals[i + 1] /= length;
    normals[i + 2] /= length;
  }
}

// Whether a mesh is better drawn facet by facet: where many of its edges are sharp.
export function isFaceted(mesh: Pick<Mesh, 'positions' | 'triangles'>): boolean {
  const p = mesh.positions, t = mesh.triangles;
  const normals = new Float32Array(p.length);
  findNormals(mesh, p, normals);
  let sharp = 0;
  for (let i = 0; i < t.length; i += 3) {
    const a = 3 * t[i], b = 3 * t[i + 1], c = 3 * t[i + 2];
    const ux = p[b] - p[a], uy = p[b + 1] - p[a + 1], uz = p[b + 2] - p[a + 2];
    const vx = p[c] - p[a], vy = p[c + 1] - p[a + 1], vz = p[c + 2] - p[a + 2];
    const nx = uy * vz - uz * vy, ny = uz * vx - ux * vz, nz = ux * vy - uy * vx;
    const length = Math.hypot(nx, ny, nz) || 1;
    for (const corner of [a, b, c]) {
      const dot = nx * normals[corner] + ny * normals[corner + 1] + nz * normals[corner + 2];
      if (dot < 0.75 * length) sharp++;
    }
  }
  return sharp > 0.06 * t.length;
}
