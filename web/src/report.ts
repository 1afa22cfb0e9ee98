// The page of a demo or a check.
import { heatColour, palettes } from './colours';
import { Contacts } from './contacts';
import type { Pass, Row } from './contacts';
import type { PageData, Strategy } from './data';
import { button, make, number, percent, swatch } from './dom';
import { findingList, goTo } from './findings';
import { helpSection } from './help';
import { makePanel, treePanel } from './panel';
import { State } from './state';
import type { Choices, Theme } from './state';
import { sortableTable } from './table';
import type { Column } from './table';
import { Timeline } from './timeline';
import { View } from './view';

const FRAMES_PER_SECOND = 30;

export interface Report {
  data: PageData; index: Contacts; state: State; view: View | null; timeline: Timeline;
  end: () => void; // it is taken off the page
}

function frameName(data: PageData, frame: number): string {
  const { clip, number: numbers, time } = data.frames;
  if (data.kind === 'demo') return `step ${numbers[frame]}`;
  const within = data.clips.length > 1 ? `${data.clips[clip[frame]]}, ` : '';
  return `${within}frame ${numbers[frame]} (${time[frame].toFixed(2)} s)`;
}

function passName(data: PageData, index: Contacts, pass: Pass): string {
  const { clip, number: numbers } = data.frames;
  const within = data.clips.length > 1 ? `${data.clips[clip[pass.frame]]}, ` : '';
  return `${within}between frames ${numbers[pass.frame]} and ${numbers[pass.frame + 1]} (${index.passTime(pass).toFixed(3)} s)`;
}

// What is shown while something passes through; `clip` as in the choices.
function atPass(index: Contacts, pass: number, clip: number): Partial<Choices> {
  return { pass, frame: index.passes[pass].frame, clip, playing: false, heat: false };
}

// The next one that passes through in what is shown, the first one after the last.
function nextPass(index: Contacts, state: State): void {
  const { pass, frame, clip } = state.now;
  const [begin, end] = index.rangeOf(clip);
  const shown = [...index.passes.keys()].filter((i) => index.passes[i].frame >= begin && index.passes[i].frame < end);
  const next = shown.find((i) => (pass < 0 ? index.passes[i].frame >= frame : i > pass)) ?? shown[0];
  if (next !== undefined) state.set(atPass(index, next, clip));
}

function facts(data: PageData, index: Contacts, state: State): HTMLElement {
  const worst = index.worstFrame();
  const triangles = data.bodies.reduce((sum, body) => sum + data.meshes[body.mesh].faces, 0);
  const bodies = data.parts.length;
  const list = make('ul', { class: 'facts' });
  const add = (strong: string, rest: string, press?: () => void) => {
    const words = [make('strong', {}, strong), ` ${rest}`];
    const item = make('li');
    if (press) {
      const go = button('', `go to ${strong}`, press);
      go.className = 'link';
      go.append(...words);
      item.append(go);
    } else {
      item.append(...words);
    }
    list.append(item);
  };
  add(number(bodies), `${bodies === 1 ? 'body' : 'bodies'}, ${number(triangles)} triangles`);
  add(number(data.frames.count), data.kind === 'demo' ? 'steps' : 'frames');
  if (index.total[worst] > 0) {
    const fresh = data.kind === 'check' ? `, ${number(index.fresh[worst])} new` : '';
    add(frameName(data, index.firstFrame()), 'first contact', () => state.set({ clip: -1, frame: index.firstFrame(), playing: false }));
    add(frameName(data, worst), `worst: ${number(index.total[worst])} pairs of triangles${fresh}`,
      () => state.set({ clip: -1, frame: worst, playing: false }));
  } else {
    add('nothing', index.passes.length > 0 ? 'touches in any frame' : 'touches');
  }
  if (index.passes.length > 0) {
    add(passName(data, index, index.passes[0]), 'something passes through, unseen in both',
      () => state.set(atPass(index, 0, -1)));
  }
  return list;
}

function legend(data: PageData, index: Contacts, state: State): HTMLElement {
  const element = make('div', { class: 'legend' });
  const fill = () => {
    const palette = palettes[state.now.theme];
    if (state.now.heat) {
      const stops = [0, 0.2, 0.4, 0.6, 0.8, 1].map((share) => `rgb(${heatColour(share).join(',')})`);
      const ramp = make('span', { class: 'ramp' });
      ramp.style.background = `linear-gradient(to right, ${stops.join(',')})`;
      element.replaceChildren('touches in 1', ramp, `in ${number(index.heatMost)} of ${number(data.frames.count)} ${data.kind === 'demo' ? 'steps' : 'frames'}`);
    } else {
      element.replaceChildren(
        swatch(palette.known), state.now.pass < 0 ? 'touches ' : 'passes through ', swatch(palette.fresh, 'bright'),
        data.kind === 'demo' ? 'began to touch in this step' : 'new: not in the reference');
    }
  };
  fill();
  state.listen(fill);
  return element;
}

function transport(data: PageData, index: Contacts, state: State, view: () => View | null): HTMLElement {
  const step = (by: number) => stepBy(index, state, by);
  const play = button('▶', 'play or pause (space)', () => state.toggle('playing'));
  play.id = 'play';
  const readout = make('output', { id: 'readout' });
  const fill = () => {
    const { frame, pass, playing } = state.now;
    play.textContent = playing ? '❚❚' : '▶';
    play.setAttribute('aria-pressed', String(playing));
    if (pass < 0) {
      readout.replaceChildren(make('strong', {}, frameName(data, frame)),
        ` · ${number(index.total[frame])} pairs, ${number(index.fresh[frame])} new`);
    } else {
      const { contact } = index.passes[pass];
      readout.replaceChildren(make('strong', {}, passName(data, index, index.passes[pass])),
        ` · ${number(contact.count)} ${contact.count === 1 ? 'pair passes' : 'pairs pass'} through, ${number(contact.fresh)} new`);
    }
  };
  fill();
  state.listen(fill);
  const speed = make('select', { 'aria-label': 'speed' });
  for (const [value, label] of [['0.1', '⅒ speed'], ['0.25', '¼ speed'], ['1', 'full speed'], ['2', 'double speed']]) {
    speed.append(make('option', { value }, label));
  }
  speed.value = '1';
  speed.addEventListener('change', () => state.set({ speed: Number(speed.value) }));
  const clips = make('select', { 'aria-label': 'clip', id: 'clips' }, make('option', { value: '-1' }, `all ${data.clips.length} clips`));
  data.clips.forEach((name, i) => {
    if (data.frames.clip.includes(i)) clips.append(make('option', { value: String(i) }, name));
  });
  clips.hidden = data.clips.length < 2;
  clips.addEventListener('change', () => {
    const clip = Number(clips.value);
    state.set({ clip, frame: index.worstFrame(clip), playing: false });
  });
  state.listen(() => { clips.value = String(state.now.clip); });
  return make('div', { class: 'transport' },
    button('|◀', 'first frame (Home)', () => state.set({ frame: index.rangeOf(state.now.clip)[0] })),
    button('◀', 'one frame back (left arrow)', () => step(-1)), play,
    button('▶|', 'one frame on (right arrow)', () => step(1)),
    button('worst', 'the frame with most contacts (W)', () => state.set({ frame: index.worstFrame(state.now.clip), playing: false })),
    ...(index.passes.length > 0 ? [button('passing', 'what passes through next (P)', () => nextPass(index, state))] : []),
    button('close-up', 'move close to what touches (C)', () => view()?.closeUp()),
    button('whole view', 'see everything again (V)', () => view()?.home()),
    speed, clips, readout);
}

// The frame some frames on; after the last one of what is shown comes the first.
function around(index: Contacts, state: State, by: number): number {
  const [begin, end] = index.rangeOf(state.now.clip);
  const count = end - begin;
  return begin + ((state.now.frame - begin + by) % count + count) % count;
}

function stepBy(index: Contacts, state: State, by: number): void {
  state.set({ frame: around(index, state, by), playing: false });
}

function rowTable(data: PageData, index: Contacts, state: State): HTMLElement {
  const pick = (row: Row) => {
    const clip = state.now.clip < 0 ? -1 : row.clip;
    state.set({ clip, frame: row.worst, playing: false });
    document.querySelector('.stage')?.scrollIntoView({ block: 'nearest' });
  };
  const columns: Column<Row>[] = [{ head: 'bodies', value: (row) => index.pairName(row.pair) }];
  if (data.clips.length > 1) columns.push({ head: 'clip', value: (row) => data.clips[row.clip] });
  const when = data.kind === 'demo' ? 'step' : 'frame';
  const at = (frame: number) => data.frames.number[frame];
  columns.push(
    { head: `${when}s touching`, value: (row) => row.frames },
    { head: 'first', value: (row) => at(row.first) },
    { head: 'worst', value: (row) => at(row.worst) },
    { head: 'last', value: (row) => at(row.last) },
    { head: 'pairs at worst', value: (row) => row.worstCount },
    { head: 'new at worst', value: (row) => row.worstFresh },
  );
  if (index.rows.some((row) => row.depth > 0)) {
    columns.push({ head: 'depth', value: (row) => row.depth, text: (row) => row.depth.toPrecision(3), hint: 'the shortest move that parts the deepest pair of triangles' });
  }
  return sortableTable(index.rows, columns, {
    caption: 'Press a name to go to its worst frame, a heading to sort.', pick,
    sortBy: columns.findIndex((column) => column.head === (data.kind === 'check' ? 'new at worst' : 'pairs at worst')),
    descending: true,
  });
}

function passTable(data: PageData, index: Contacts, state: State): HTMLElement {
  const { clip, number: numbers } = data.frames;
  const columns: Column<number>[] = [{ head: 'bodies', value: (i) => index.pairName(index.passes[i].contact.pair) }];
  if (data.clips.length > 1) columns.push({ head: 'clip', value: (i) => data.clips[clip[index.passes[i].frame]] });
  columns.push(
    { head: 'after frame', value: (i) => numbers[index.passes[i].frame] },
    { head: 'seconds', value: (i) => index.passTime(index.passes[i]), text: (i) => index.passTime(index.passes[i]).toFixed(4), hint: 'when the first two triangles meet' },
    { head: 'pairs', value: (i) => index.passes[i].contact.count },
    { head: 'new', value: (i) => index.passes[i].contact.fresh },
  );
  return sortableTable([...index.passes.keys()], columns, {
    caption: 'Triangles that meet on the way from one frame to the next and touch nothing of the other body in either. Press a name to go there.',
    pick: (i) => {
      state.set(atPass(index, i, state.now.clip < 0 ? -1 : clip[index.passes[i].frame]));
      document.querySelector('.stage')?.scrollIntoView({ block: 'nearest' });
    },
    sortBy: columns.findIndex((column) => column.head === 'new'), descending: true,
  });
}

function strategyTable(strategies: Strategy[]): HTMLElement {
  const share = (count: number, part: number) => `${number(count)} (${percent(part, 1)})`;
  return sortableTable(strategies, [
    { head: 'update', value: (s) => s.name },
    { head: 'milliseconds', value: (s) => s.ms, text: (s) => s.ms.toFixed(1) },
    { head: 'nodes refreshed', value: (s) => s.nodes, text: (s) => share(s.nodes, s.nodeShare) },
    { head: 'clusters refreshed', value: (s) => s.clusters, text: (s) => share(s.clusters, s.clusterShare) },
    { head: 'vertices read', value: (s) => s.vertices, text: (s) => share(s.vertices, s.vertexShare) },
  ], { caption: 'All steps; per cent of what refreshing everything in every step takes. All strategies found the same pairs.' });
}

// For people who study the method: how a step was computed, and by which strategy.
function methodSection(data: PageData, state: State): HTMLElement | null {
  const tree = treePanel(data, state);
  const { strategies } = data.extra;
  if (!tree && !strategies) return null;
  const table = strategies ? [make('h3', {}, 'What each update strategy did'), strategyTable(strategies)] : [];
  return make('details', { id: 'method' }, make('summary', {}, 'For people who study the method: trees and update strategies'),
    ...(tree ? [tree] : []), ...table);
}

function keys(report: Report, signal: AbortSignal): void {
  const { index, state } = report;
  const actions: Record<string, () => void> = {
    ' ': () => state.toggle('playing'),
    ArrowLeft: () => stepBy(index, state, -1),
    ArrowRight: () => stepBy(index, state, 1),
    PageUp: () => state.set({ frame: Math.max(index.rangeOf(state.now.clip)[0], state.now.frame - 10), playing: false }),
    PageDown: () => state.set({ frame: Math.min(index.rangeOf(state.now.clip)[1] - 1, state.now.frame + 10), playing: false }),
    Home: () => state.set({ frame: index.rangeOf(state.now.clip)[0], playing: false }),
    End: () => state.set({ frame: index.rangeOf(state.now.clip)[1] - 1, playing: false }),
    w: () => state.set({ frame: index.worstFrame(state.now.clip), playing: false }),
    f: () => state.set({ clip: -1, frame: index.firstFrame(), playing: false }),
    p: () => nextPass(index, state),
    c: () => { report.view?.closeUp(); },
    v: () => report.view?.home(),
    t: () => state.toggle('translucent'),
    x: () => state.toggle('xray'),
    o: () => state.toggle('edges'),
    n: () => state.toggle('onlyNew'),
    k: () => state.toggle('contours'),
    i: () => state.toggle('regions'),
    h: () => state.toggle('heat'),
    d: () => state.set({ theme: state.now.theme === 'dark' ? 'light' : 'dark' }),
  };
  const turns: Record<string, () => void> = {
    ArrowLeft: () => report.view?.turn(-0.12, 0),
    ArrowRight: () => report.view?.turn(0.12, 0),
    ArrowUp: () => report.view?.turn(0, -0.12),
    ArrowDown: () => report.view?.turn(0, 0.12),
    '+': () => report.view?.zoom(0.85),
    '-': () => report.view?.zoom(1.18),
  };
  document.addEventListener('keydown', (event) => {
    const target = event.target as HTMLElement;
    if (event.ctrlKey || event.metaKey || event.altKey || target.tagName === 'SELECT') return;
    if (event.key === ' ' && ['BUTTON', 'INPUT'].includes(target.tagName)) return;
    const turning = target.id === 'view' ? turns[event.key] : undefined;
    const action = turning ?? actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }, { signal });
}

// Shows frame after frame, as fast as the clip is, dropping frames that cannot be drawn in time.
function player(index: Contacts, state: State): void {
  let last = 0, owed = 0;
  const tick = (now: number) => {
    if (!state.now.playing) return;
    owed += (now - last) / 1000 * FRAMES_PER_SECOND * state.now.speed;
    last = now;
    if (owed >= 1) {
      state.set({ frame: around(index, state, Math.min(Math.floor(owed), 8)) });
      owed %= 1;
    }
    requestAnimationFrame(tick);
  };
  state.listen((changed) => {
    if (!changed.has('playing') || !state.now.playing) return;
    last = performance.now();
    owed = 0;
    requestAnimationFrame(tick);
  });
}

export function wantedTheme(): Theme {
  return window.matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
}

export function showTheme(theme: Theme): void {
  document.documentElement.dataset.theme = theme;
}

// What a page that has more on it than one report wants to be different.
export interface Embedding {
  about: string; // the last sentence of all
  keep?: Partial<Choices>; // what the reader had chosen in an earlier report of the same file
}

export function showReport(page: HTMLElement, data: PageData, embedding?: Embedding): Report {
  const index = new Contacts(data);
  const state = new State({
    frame: index.openingFrame(), pass: -1, clip: -1, finding: -1, playing: false, speed: 1, translucent: false, heat: false, xray: true,
    edges: true, onlyNew: false, contours: true, regions: data.findings !== undefined, level: -1, untouched: true, up: data.up ?? 'y',
    theme: (document.documentElement.dataset.theme as Theme | undefined) ?? wantedTheme(), hiddenParts: new Set(), hiddenPairs: new Set(),
    ...embedding?.keep,
  });
  if (index.rows.length === 0 && index.passes.length > 0 && !embedding?.keep) state.set(atPass(index, 0, -1));
  showTheme(state.now.theme);
  state.listen(() => showTheme(state.now.theme));
  const canvas = make('canvas', {
    id: 'view', tabindex: '0', role: 'img',
    'aria-label': 'the bodies; touching triangles are red; drag or use arrow keys to turn, plus and minus to zoom',
  });
  const stage = make('div', { class: 'stage' }, canvas, legend(data, index, state));
  const host = make('div', { class: 'times' });
  let view: View | null = null;
  const theme = button('◐', 'dark or light (D)', () => state.set({ theme: state.now.theme === 'dark' ? 'light' : 'dark' }));
  const title = make(embedding ? 'h2' : 'h1', { class: 'title' }, data.title);
  const sections = [
    make('header', {}, make('div', {}, title, make('p', { class: 'what' }, sentence(data.description))), ...(embedding ? [] : [make('div', { class: 'row' }, make('a', { href: '#help' }, 'How to read this page'), theme)])),
    facts(data, index, state),
    ...(data.extra.work ? [make('p', { id: 'saved' }, data.extra.work)] : []),
    make('div', { class: 'work' },
      make('div', { class: 'left' }, stage, transport(data, index, state, () => view), host),
      makePanel(data, index, state, findingList(data, index, state, () => view))),
  ];
  if (data.notes.length > 0) {
    sections.push(make('ul', { class: 'notes' }, ...data.notes.map((note) => make('li', {}, sentence(note)))));
  }
  if (index.rows.length > 0) sections.push(make('section', {}, make('h2', {}, 'Which bodies touch'), rowTable(data, index, state)));
  if (index.passes.length > 0) {
    sections.push(make('section', { id: 'passes' }, make('h2', {}, 'What passes through between frames'), passTable(data, index, state)));
  }
  const method = methodSection(data, state);
  if (method) sections.push(method);
  sections.push(helpSection());
  sections.push(make('footer', {},
    make('p', {}, `Which triangles touch was decided exactly. ${embedding?.about ?? `Made by pliant ${data.kind}, version ${data.pliant}; everything is inside this file.`}`)));
  page.replaceChildren(...sections);
  try {
    view = new View(canvas, data, index, state);
  } catch (error) {
    stage.prepend(make('p', { class: 'missing' }, `There is no 3D picture here: ${(error as Error).message}`));
  }
  const timeline = new Timeline(host, data, index, state);
  const life = new AbortController();
  const end = () => {
    state.set({ playing: false });
    life.abort();
    view?.end();
  };
  const report = { data, index, state, view, timeline, end };
  keys(report, life.signal);
  player(index, state);
  if (data.findings?.[0]?.fails && !embedding?.keep) {
    goTo(data, index, state, view, 0);
    view?.home(); // first of all everything
  }
  view?.render();
  return report;
}

function sentence(text: string): string {
  const full = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?)]$/.test(full) ? full : `${full}.`;
}
