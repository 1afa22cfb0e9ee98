// The curves along which bodies cross, and the triangles inside the other body, frame by frame.
// tool/report/page.c writes them.
import type { PageData } from './data';

export interface Contour {
  pair: number;
  lines: Float32Array; // the two ends of each segment
  inside: [number[], number[]]; // triangles of both sides
}

export class Contours {
  private readonly bytes: Uint8Array;
  private readonly starts: Float64Array;
  private readonly step: number;
  private at = 0;

  constructor(data: PageData) {
    const { contourBytes, contours, count } = data.frames;
    this.bytes = contours ?? new Uint8Array(0);
    this.step = data.frames.contourStep ?? 1;
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

  // Curves, each a number of segments and one point more, as steps on a grid from point to point.
  private lines(): Float32Array {
    const count = this.varint();
    const lines = new Float32Array(6 * count);
    const place = [0, 0, 0];
    const next = () => {
      for (let k = 0; k < 3; k++) {
        const folded = this.varint();
        place[k] += folded % 2 === 0 ? folded / 2 : -(folded + 1) / 2;
      }
    };
    for (let done = 0; done < count;) {
      const length = this.varint();
      next();
      for (let i = 0; i < length; i++, done++) {
        for (let k = 0; k < 3; k++) lines[6 * done + k] = place[k] * this.step;
        next();
        for (let k = 0; k < 3; k++) lines[6 * done + 3 + k] = place[k] * this.step;
      }
    }
    return lines;
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
      const lines = this.lines();
      found.push({ pair, lines, inside: [this.side(), this.side()] });
    }
    return found;
  }
}
