// Triangles of several bodies, with colours, on top of the bodies. Capacity grows as needed.
import * as THREE from 'three';

export class Patch {
  readonly geometry = new THREE.BufferGeometry();
  private positions = new Float32Array(0);
  private colours = new Float32Array(0);
  private count = 0;

  begin(triangles: number): void {
    if (9 * triangles > this.positions.length) {
      const size = Math.max(9 * 64, 9 * Math.ceil(1.5 * triangles));
      this.positions = new Float32Array(size);
      this.colours = new Float32Array(size);
      this.geometry.setAttribute('position', new THREE.BufferAttribute(this.positions, 3));
      this.geometry.setAttribute('color', new THREE.BufferAttribute(this.colours, 3));
    }
    this.count = 0;
  }

  add(corners: Uint32Array, triangle: number, positions: Float32Array, colour: THREE.Color): void {
    for (let k = 0; k < 3; k++) {
      const from = 3 * corners[3 * triangle + k];
      const to = 9 * this.count + 3 * k;
      this.positions[to] = positions[from];
      this.positions[to + 1] = positions[from + 1];
      this.positions[to + 2] = positions[from + 2];
      this.colours[to] = colour.r;
      this.colours[to + 1] = colour.g;
      this.colours[to + 2] = colour.b;
    }
    this.count++;
  }

  end(): void {
    this.geometry.setDrawRange(0, 3 * this.count);
    for (const name of ['position', 'color']) {
      const attribute = this.geometry.getAttribute(name);
      if (attribute) attribute.needsUpdate = true;
    }
  }

  get size(): number { return this.count; }
}
