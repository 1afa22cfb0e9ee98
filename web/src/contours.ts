// The curves along which bodies cross, and the triangles inside the other body, frame by frame.
// tool/report/page.c writes them.
import { decodeFloats } from './data';
import type { PageData } from './data';

export interface Contour {
  pair: number;
  lines: Float32Array; // the two ends of each segment
  inside: [number[], number[]]; // triangles of both sides
}

export class Contours {
  private readonly bytes: Uint8Array;
  private readonly starts: Float64Array;
  private at = 0;

  constructor(data: PageData) {
    const { contourBytes, contours, count } = data.frames;
    this.bytes = contours ?? new Uint8Array(0);
    this.starts = new Float64Array(count + 1);
    for (let i = 0; i < count; i++) this.starts[i + 1] = this.starts[i] + (contourBytes?.[i] ?? 0);
  }

  get any(): boolean { return this.bytes.length > 0; }

  private varint(): number {
    let number = 0, scale = 1, byte;
    do {
      byte = this.bytes[this.at++];
      number += (byte & 127) * scale;
      scale *= 128;
    } while (byte & 128);
    return number;
  }

  // Floats as report_put_floats() stores them: all lowest bytes first, then the next ones.
  private floats(count: number): Float32Array {
    const values = decodeFloats(this.bytes.subarray(this.at, this.at + 4 * count), count);
    this.at += 4 * count;
    return values;
  }

  private side(): number[] {
    const triangles: number[] = [];
    let last = 0;
    for (let left = this.varint(); left > 0; left--) triangles.push(last += this.varint());
    return triangles;
  }

  inFrame(frame: number): Contour[] {
    const found: Contour[] = [];
    this.at = this.starts[frame];
    while (this.at < this.starts[frame + 1]) {
      const pair = this.varint();
      const lines = this.floats(6 * this.varint());
      found.push({ pair, lines, inside: [this.side(), this.side()] });
    }
    return found;
  }
}
