// Colours that stay apart for colour-blind readers: bodies are bluish, greenish and sandy and all of
// similar lightness; contacts are red, darker or brighter than any body, and outlined.
import type { Theme } from './state';

const bodyColours = ['#7ba3cc', '#d8cdb4', '#84b8a8', '#b0a3cf', '#a4afba', '#c9b984', '#6d93b3', '#b4c6a4'];

export interface Palette {
  background: string;
  known: string;
  fresh: string;
  outlineKnown: string;
  outlineFresh: string;
  contour: string;
  inside: string;
  opened: string;
  computed: string;
  untouched: string;
  text: string;
  grid: string;
  area: string;
  accent: string;
}

export const palettes: Record<Theme, Palette> = {
  light: {
    background: '#f4f5f7', known: '#a61b1b', fresh: '#ff3b20', outlineKnown: '#4a0b0b',
    outlineFresh: '#ffd54a', contour: '#0b2bd0', inside: '#a64ac9', opened: '#d55e00', computed: '#0072b2', untouched: '#9aa3ad',
    text: '#1c2430', grid: '#d6dbe1', area: '#c9ced6', accent: '#0a5fa5',
  },
  dark: {
    background: '#14181d', known: '#b3261e', fresh: '#ff4a2b', outlineKnown: '#3d0606',
    outlineFresh: '#ffe27a', contour: '#7df9ff', inside: '#c77dff', opened: '#ff9a3c', computed: '#56b4e9', untouched: '#59636f',
    text: '#e8ecf1', grid: '#2c343d', area: '#3d4752', accent: '#6db8f2',
  },
};

export function bodyColour(index: number): string {
  return bodyColours[index % bodyColours.length];
}

// From rarely (dark blue) over violet and orange to always (pale yellow); lightness grows all along.
const heatStops = [[32, 18, 92], [110, 24, 128], [186, 54, 104], [238, 106, 62], [251, 178, 62], [252, 250, 170]];

export function heatColour(share: number): [number, number, number] {
  const place = Math.min(1, Math.max(0, share)) * (heatStops.length - 1);
  const low = Math.min(heatStops.length - 2, Math.floor(place));
  const rest = place - low;
  return [0, 1, 2].map((k) =>
    Math.round(heatStops[low][k] * (1 - rest) + heatStops[low + 1][k] * rest)) as [number, number, number];
}
