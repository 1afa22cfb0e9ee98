// What the page has to show before anybody brings a file.
import type { SceneRequest } from './messages';

interface Named { key: string; name: string; what: string }

// A scene that is made in the page and checked like a file.
export interface FileExample extends Named { kind: 'file'; file: string; request: SceneRequest; self: boolean }

// A world that goes on.
export interface LiveExample extends Named { kind: 'live'; number: number; triangles: number; hint: string; verb: string }

export type Example = FileExample | LiveExample;

export const examples: Example[] = [
  {
    kind: 'file', key: 'spheres', name: 'Two spheres', what: 'two bumpy balls move into each other', file: 'two-spheres.glb', self: false,
    request: { scene: 'spheres', triangles: 2000, steps: 45, bodies: 2 },
  },
  {
    kind: 'file', key: 'figure', name: 'The figure', what: 'bones and morph targets; checked against itself', file: 'figure.glb', self: true,
    request: { scene: 'figure', triangles: 6000, steps: 100, bodies: 1 },
  },
  {
    kind: 'file', key: 'dressed', name: 'The figure in a coat', what: 'its knees come through when it squats', file: 'figure-in-a-coat.glb', self: false,
    request: { scene: 'figure', triangles: 6000, steps: 100, bodies: 2 },
  },
  {
    kind: 'live', key: 'cape', name: 'A cape, live', what: 'cloth on a walking figure: pull at it', number: 0, triangles: 2500,
    verb: 'pull at the cape', hint: 'Pull at the cape. Every step is proved: nothing passes through the figure or the cloth.',
  },
  {
    kind: 'live', key: 'chairs', name: 'Chairs, live', what: 'soft plastic that vibrates: strike it', number: 1, triangles: 1500,
    verb: 'strike a chair', hint: 'Strike a chair: it flies, turns and vibrates. Triangles that touch are red.',
  },
];
