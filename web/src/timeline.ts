// Contacts over time: a curve of all pairs, and a strip for each pair of bodies.
import { heatColour, palettes } from './colours';
import type { Contacts } from './contacts';
import type { PageData } from './data';
import type { State } from './state';

const CURVE = 84;
const STRIP = 15;
const GAP = 4;
const MOST_STRIPS = 8;

export class Timeline {
  private readonly canvas = document.createElement('canvas');
  private readonly strips: number[];
  private left = 150;

  constructor(readonly host: HTMLElement, private readonly data: PageData,
    private readonly index: Contacts, private readonly state: State) {
    this.strips = index.order.slice(0, MOST_STRIPS);
    this.canvas.className = 'timeline';
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute('role', 'slider');
    this.canvas.setAttribute('aria-label', 'frame; the curve shows pairs of touching triangles');
    this.canvas.setAttribute('aria-valuemin', '0');
    this.canvas.setAttribute('aria-valuemax', String(data.frames.count - 1));
    host.append(this.canvas);
    const go = (event: PointerEvent) => this.state.set({ frame: this.frameAt(event.offsetX), playing: false });
    this.canvas.addEventListener('pointerdown', (event) => {
      const pass = this.passAt(event);
      if (pass >= 0) {
        this.state.set({ pass, frame: index.passes[pass].frame, playing: false, heat: false });
        return;
      }
      this.canvas.setPointerCapture(event.pointerId);
      go(event);
    });
    this.canvas.addEventListener('pointermove', (event) => {
      if (event.buttons & 1 && this.canvas.hasPointerCapture(event.pointerId)) go(event);
      this.explain(event);
    });
    state.listen(() => this.draw());
    new ResizeObserver(() => this.draw()).observe(host);
    this.draw();
  }

  // The row of what passes through, if anything does.
  private get passRow(): number { return this.index.passes.length > 0 ? STRIP + GAP : 0; }

  // Where the first strip begins.
  private get top(): number { return CURVE + 10 + this.passRow; }

  // What passes through there, in its row; -1: nothing.
  private passAt(event: PointerEvent): number {
    const [begin, end] = this.range;
    let nearest = -1, least = 8; // pixels
    if (event.offsetY < CURVE + 4 || event.offsetY >= this.top) return -1;
    this.index.passes.forEach(({ frame, share }, i) => {
      const away = Math.abs(this.x(frame + share) - event.offsetX);
      if (frame >= begin && frame < end && away < least) {
        nearest = i;
        least = away;
      }
    });
    return nearest;
  }

  private get width(): number { return this.host.clientWidth; }

  // The frames that are shown: all, or those of one clip.
  private get range(): [number, number] { return this.index.rangeOf(this.state.now.clip); }

  // The middle of a frame's column.
  x(frame: number): number {
    const room = this.width - this.left - 12;
    const [begin, end] = this.range;
    return this.left + (frame - begin + 0.5) / (end - begin) * room;
  }

  private frameAt(x: number): number {
    const room = this.width - this.left - 12;
    const [begin, end] = this.range;
    const frame = begin + Math.floor((x - this.left) / room * (end - begin));
    return Math.min(end - 1, Math.max(begin, frame));
  }

  private explain(event: PointerEvent): void {
    const pass = this.index.passes[this.passAt(event)];
    if (pass) {
      const { pair, count } = pass.contact;
      this.canvas.title = `${this.index.pairName(pair)}: ${count} pairs pass through after frame ${this.data.frames.number[pass.frame]}`;
      return;
    }
    const frame = this.frameAt(event.offsetX);
    const strip = Math.floor((event.offsetY - this.top) / (STRIP + GAP));
    const pair = this.strips[strip];
    const count = pair === undefined ? this.index.total[frame] : this.index.counts[pair][frame];
    const fresh = pair === undefined ? this.index.fresh[frame] : this.index.freshCounts[pair][frame];
    const name = pair === undefined ? 'all' : this.index.pairName(pair);
    this.canvas.title = `${name}: frame ${this.data.frames.number[frame]}, ${count} pairs, ${fresh} new`;
  }

  draw(): void {
    const width = this.width;
    if (width === 0) return;
    this.left = width < 560 ? 84 : 170;
    const height = CURVE + 14 + this.passRow + this.strips.length * (STRIP + GAP) + 16;
    const scale = Math.min(2, window.devicePixelRatio);
    this.canvas.width = width * scale;
    this.canvas.height = height * scale;
    this.canvas.style.height = `${height}px`;
    const pen = this.canvas.getContext('2d')!;
    pen.scale(scale, scale);
    pen.font = '12px system-ui, sans-serif';
    this.drawCurve(pen);
    this.drawPasses(pen);
    this.drawStrips(pen);
    this.drawClips(pen, height);
    this.drawCursor(pen, height);
    const { frame } = this.state.now;
    this.canvas.setAttribute('aria-valuenow', String(frame));
    this.canvas.setAttribute('aria-valuetext',
      `frame ${this.data.frames.number[frame]}, ${this.index.total[frame]} pairs`);
  }

  // The largest value of the frames behind each pixel column, so that no peak is lost.
  private columns(all: Uint32Array): { x: number; width: number; count: number }[] {
    const room = this.width - this.left - 12;
    const counts = all.subarray(...this.range);
    const frames = counts.length;
    const columns = Math.min(frames, Math.max(1, Math.floor(room)));
    const found = [];
    for (let i = 0; i < columns; i++) {
      let count = 0;
      const end = Math.ceil((i + 1) * frames / columns);
      for (let k = Math.floor(i * frames / columns); k < end; k++) count = Math.max(count, counts[k]);
      found.push({ x: this.left + i / columns * room, width: room / columns, count });
    }
    return found;
  }

  private drawCurve(pen: CanvasRenderingContext2D): void {
    const palette = palettes[this.state.now.theme];
    const most = Math.max(1, ...this.columns(this.index.total).map((column) => column.count));
    const y = (count: number) => CURVE - (CURVE - 20) * count / most;
    pen.strokeStyle = palette.grid;
    pen.fillStyle = palette.text;
    pen.textAlign = 'right';
    for (const count of most > 3 ? [0, most / 2, most] : [0, most]) {
      pen.beginPath();
      pen.moveTo(this.left, y(count) + 0.5);
      pen.lineTo(this.width - 12, y(count) + 0.5);
      pen.stroke();
      pen.fillText(Math.round(count).toLocaleString('en'), this.left - 8, y(count) + 4);
    }
    for (const [counts, colour] of [[this.index.total, palette.known], [this.index.fresh, palette.fresh]] as const) {
      pen.fillStyle = colour;
      for (const column of this.columns(counts)) {
        if (column.count === 0) continue;
        const top = Math.min(y(column.count), CURVE - 1.5);
        pen.fillRect(column.x, top, Math.max(column.width - (column.width > 4 ? 1 : 0), 0.8), CURVE - top);
      }
    }
  }

  // A mark where something passes through, between the two frames that do not show it.
  private drawPasses(pen: CanvasRenderingContext2D): void {
    if (this.passRow === 0) return;
    const palette = palettes[this.state.now.theme];
    const middle = CURVE + 10 + STRIP / 2;
    const [begin, end] = this.range;
    pen.fillStyle = palette.text;
    pen.textAlign = 'right';
    pen.fillText(fitText(pen, 'passes through', this.left - 14), this.left - 8, middle + 4);
    pen.fillStyle = palette.grid;
    pen.fillRect(this.left, middle - 0.5, this.width - this.left - 12, 1);
    this.index.passes.forEach(({ frame, share, contact }) => {
      if (frame < begin || frame >= end) return;
      const x = this.x(frame + share);
      pen.fillStyle = contact.fresh > 0 ? palette.fresh : palette.known;
      pen.beginPath();
      for (const [right, down] of [[-5, 0], [0, -6], [5, 0], [0, 6]]) pen.lineTo(x + right, middle + down);
      pen.fill();
    });
  }

  private drawStrips(pen: CanvasRenderingContext2D): void {
    const palette = palettes[this.state.now.theme];
    this.strips.forEach((pair, i) => {
      const top = this.top + i * (STRIP + GAP);
      const hidden = this.state.now.hiddenPairs.has(pair);
      pen.globalAlpha = hidden ? 0.3 : 1;
      pen.fillStyle = palette.text;
      pen.textAlign = 'right';
      pen.fillText(fitText(pen, this.index.pairName(pair), this.left - 14), this.left - 8, top + 12);
      pen.fillStyle = palette.grid;
      pen.fillRect(this.left, top, this.width - this.left - 12, STRIP);
      const columns = this.columns(this.index.counts[pair]);
      const most = Math.max(1, ...columns.map((column) => column.count));
      for (const column of columns) {
        if (column.count === 0) continue;
        const [r, g, b] = heatColour(0.2 + 0.8 * column.count / most);
        pen.fillStyle = `rgb(${r},${g},${b})`;
        pen.fillRect(column.x, top, Math.max(column.width, 1), STRIP);
      }
      pen.globalAlpha = 1;
    });
    if (this.index.order.length > this.strips.length) {
      pen.fillStyle = palette.text;
      pen.textAlign = 'left';
      const top = this.top + this.strips.length * (STRIP + GAP);
      pen.fillText(`and ${this.index.order.length - this.strips.length} more pairs of bodies in the table`,
        this.left, top + 11);
    }
  }

  // A line where one clip ends and the next begins.
  private drawClips(pen: CanvasRenderingContext2D, height: number): void {
    const { clip } = this.data.frames;
    const palette = palettes[this.state.now.theme];
    pen.textAlign = 'left';
    const [begin, end] = this.range;
    let free = 0; // where the next name has room
    for (let frame = begin; this.data.clips.length > 1 && frame < end; frame++) {
      if (frame > begin && clip[frame] === clip[frame - 1]) continue;
      const x = (this.x(frame) + this.x(frame - 1)) / 2;
      pen.strokeStyle = palette.untouched;
      pen.beginPath();
      pen.moveTo(x, 0);
      pen.lineTo(x, height - 14);
      pen.stroke();
      pen.fillStyle = palette.text;
      const name = fitText(pen, this.data.clips[clip[frame]], 110);
      if (x < free) continue;
      pen.fillText(name, x + 3, 11);
      free = x + pen.measureText(name).width + 8;
    }
  }

  private drawCursor(pen: CanvasRenderingContext2D, height: number): void {
    const palette = palettes[this.state.now.theme];
    const { frame, pass } = this.state.now;
    const x = this.x(frame + (pass < 0 ? 0 : this.index.passes[pass].share));
    pen.fillStyle = palette.accent;
    pen.fillRect(x - 1, 0, 2, height - 14);
    pen.beginPath();
    pen.moveTo(x - 6, 0);
    pen.lineTo(x + 6, 0);
    pen.lineTo(x, 8);
    pen.fill();
  }
}

function fitText(pen: CanvasRenderingContext2D, text: string, room: number): string {
  if (pen.measureText(text).width <= room) return text;
  let kept = text;
  while (kept.length > 1 && pen.measureText(`${kept}…`).width > room) kept = kept.slice(0, -1);
  return `${kept}…`;
}
