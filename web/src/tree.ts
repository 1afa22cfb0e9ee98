// The trees over the bodies: what each step computed of them.
import { Color } from 'three';
import type { Palette } from './colours';
import type { Body, PageData } from './data';
import type { Choices } from './state';

export interface TreeCounts { opened: number; computed: number; all: number }

// How many bounds of a body's tree the step opened and computed, at one level or (-1) at all.
export function countTree(body: Body, frame: number, level = -1): TreeCounts {
  const counts = { opened: 0, computed: 0, all: 0 };
  const { tree } = body;
  for (let i = 0; tree && i < tree.count; i++) {
    if (level >= 0 && tree.levels[i] !== level) continue;
    const state = tree.states[frame * tree.count + i];
    counts.all++;
    if (state >= 1) counts.computed++;
    if (state === 2) counts.opened++;
  }
  return counts;
}

export function deepestLevel(data: PageData): number {
  let deepest = -1;
  for (const { tree } of data.bodies) {
    for (const level of tree?.levels ?? []) deepest = Math.max(deepest, level);
  }
  return deepest;
}

const edges = [0, 1, 1, 3, 3, 2, 2, 0, 4, 5, 5, 7, 7, 6, 6, 4, 0, 4, 1, 5, 2, 6, 3, 7];

// The edges of all boxes at the level that is shown.
export function boxLines(data: PageData, now: Choices, palette: Palette):
  { lines: Float32Array; colours: Float32Array } {
  const by = [palette.untouched, palette.computed, palette.opened].map((text) => new Color(text));
  const lines: number[] = [], colours: number[] = [];
  data.bodies.forEach((body, index) => {
    const { tree } = body;
    const part = data.parts.findIndex((candidate) => candidate.body === index);
    if (!tree || (!body.parts && now.hiddenParts.has(part))) return;
    const boxes = tree.boxes.values.subarray(now.frame * 6 * tree.count);
    for (let i = 0; i < tree.count; i++) {
      const state = tree.states[now.frame * tree.count + i];
      if (tree.levels[i] !== now.level || (state === 0 && !now.untouched)) continue;
      for (const corner of edges) {
        for (let axis = 0; axis < 3; axis++) {
          lines.push(boxes[6 * i + (corner >> axis & 1 ? 3 : 0) + axis]);
        }
        colours.push(by[state].r, by[state].g, by[state].b);
      }
    }
  });
  return { lines: new Float32Array(lines), colours: new Float32Array(colours) };
}
