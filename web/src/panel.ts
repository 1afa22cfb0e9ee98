// What is beside the picture: switches, the tree, bodies and pairs of bodies.
import { bodyColour, palettes } from './colours';
import type { Contacts } from './contacts';
import type { PageData } from './data';
import { button, checkbox, make, number, swatch } from './dom';
import type { State } from './state';
import { countTree, deepestLevel } from './tree';
import type { TreeCounts } from './tree';

type Switch = 'translucent' | 'heat' | 'xray' | 'edges' | 'onlyNew' | 'contours' | 'regions';

function switches(data: PageData, state: State): HTMLElement {
  const fresh = data.kind === 'demo' ? 'only what began to touch in this step' : 'only new contacts';
  const list: [Switch, string, string][] = [
    ['translucent', 'translucent bodies', 'T'],
    ['xray', 'contacts shine through', 'X'],
    ['edges', 'outline touching triangles', 'O'],
    ['onlyNew', fresh, 'N'],
    ['heat', 'heat map: how often each triangle touches', 'H'],
  ];
  if (data.frames.contours) {
    list.push(['contours', 'contours: where surfaces cross', 'K'], ['regions', 'what lies inside the other body', 'I']);
  }
  const boxes = list.map(([key, label, letter]) => {
    const made = checkbox(label, state.now[key], () => state.toggle(key), `key ${letter}`);
    made.input.id = `show-${key}`;
    state.listen(() => { made.input.checked = state.now[key]; });
    return made.element;
  });
  const up = checkbox('z is up', state.now.up === 'z', () =>
    state.set({ up: state.now.up === 'z' ? 'y' : 'z' }));
  state.listen(() => { up.input.checked = state.now.up === 'z'; });
  return make('fieldset', {}, make('legend', {}, 'Show'), ...boxes, up.element);
}

function bar(counts: TreeCounts, state: State): HTMLElement {
  const palette = palettes[state.now.theme];
  const element = make('span', { class: 'bar', role: 'img' });
  const parts: [number, string][] = [
    [counts.opened, palette.opened], [counts.computed - counts.opened, palette.computed],
  ];
  for (const [count, colour] of parts) {
    const piece = make('span');
    piece.style.width = `${100 * count / Math.max(1, counts.all)}%`;
    piece.style.background = colour;
    element.append(piece);
  }
  return element;
}

export function treePanel(data: PageData, state: State): HTMLElement | null {
  const deepest = deepestLevel(data);
  if (deepest < 0) return null;
  const sum = (level: number) => data.bodies.reduce((total, body) => {
    const counts = countTree(body, state.now.frame, level);
    return {
      opened: total.opened + counts.opened, computed: total.computed + counts.computed,
      all: total.all + counts.all,
    };
  }, { opened: 0, computed: 0, all: 0 });
  const said = make('p', { class: 'said' });
  const levels = make('div', { class: 'levels', role: 'radiogroup', 'aria-label': 'level of the tree that is drawn' });
  const untouched = checkbox('boxes that were never computed, too', state.now.untouched,
    () => state.toggle('untouched'));
  const row = (level: number, name: string) => {
    const counts = level < 0 ? null : sum(level);
    const element = button('', level < 0 ? 'draw no boxes' : `draw the boxes of level ${level}`,
      () => state.set({ level }));
    element.setAttribute('role', 'radio');
    element.setAttribute('aria-checked', String(state.now.level === level));
    element.append(make('span', { class: 'name' }, name));
    if (counts) {
      element.append(bar(counts, state), make('span', { class: 'count' }, `${number(counts.opened)} of ${number(counts.all)}`));
    }
    return element;
  };
  const fill = () => {
    const all = sum(-1);
    const { frames, whole } = data;
    const { frame } = state.now;
    const palette = palettes[state.now.theme];
    said.replaceChildren(`This step opened ${number(all.opened)} of ${number(all.all)} nodes. `,
      frames.verticesRead && whole && whole.vertices > 0
        ? `It read ${number(frames.verticesRead[frame])} vertices; refreshing everything once reads ${number(whole.vertices)}. ` : '',
      swatch(palette.opened), 'opened ', swatch(palette.computed), 'bounded, not opened ',
      swatch(palette.untouched), 'never touched');
    const focused = levels.contains(document.activeElement) ? [...levels.children].indexOf(document.activeElement!) : -1;
    levels.replaceChildren(row(-1, 'no boxes'));
    for (let level = 0; level <= deepest; level++) levels.append(row(level, `level ${level}`));
    if (focused >= 0) (levels.children[focused] as HTMLElement).focus();
  };
  fill();
  state.listen((changed) => {
    if (changed.has('frame') || changed.has('level') || changed.has('theme')) fill();
    untouched.input.checked = state.now.untouched;
  });
  return make('fieldset', { id: 'tree' }, make('legend', {}, 'What the step computed'), said, levels, untouched.element);
}

function bodyPanel(data: PageData, state: State): HTMLElement {
  const items = data.parts.map((part, i) => {
    const label = make('span', {}, swatch(bodyColour(part.body)), part.name);
    const made = checkbox(label, true, () => state.togglePart(i));
    made.input.dataset.part = String(i);
    state.listen(() => { made.input.checked = !state.now.hiddenParts.has(i); });
    return made.element;
  });
  const all = button('all', 'show all bodies', () => state.set({ hiddenParts: new Set() }));
  const none = button('none', 'hide all bodies', () => state.set({ hiddenParts: new Set(data.parts.keys()) }));
  return make('fieldset', {}, make('legend', {}, 'Bodies'),
    ...(items.length > 2 ? [make('div', { class: 'row' }, all, none)] : []),
    make('div', { class: 'list' }, ...items));
}

function pairPanel(data: PageData, index: Contacts, state: State): HTMLElement | null {
  if (index.order.length < 2) return null;
  const items = index.order.map((pair) => {
    const count = make('span', { class: 'count' });
    const made = checkbox(make('span', {}, index.pairName(pair)), true, () => state.togglePair(pair));
    made.input.dataset.pair = String(pair);
    made.element.append(count);
    const fill = () => {
      made.input.checked = !state.now.hiddenPairs.has(pair);
      const now = index.counts[pair][state.now.frame];
      count.textContent = now > 0 ? number(now) : '';
    };
    fill();
    state.listen(fill);
    return made.element;
  });
  const all = button('all', 'show all pairs of bodies', () => state.set({ hiddenPairs: new Set() }));
  const none = button('none', 'hide all pairs of bodies', () => state.set({ hiddenPairs: new Set(data.pairs.keys()) }));
  return make('fieldset', {}, make('legend', {}, 'Pairs of bodies that touch'),
    make('div', { class: 'row' }, all, none), make('div', { class: 'list' }, ...items));
}

export function makePanel(data: PageData, index: Contacts, state: State, findings: HTMLElement | null): HTMLElement {
  const panel = make('aside', { class: 'panel', 'aria-label': 'what is shown' });
  for (const piece of [findings, switches(data, state), bodyPanel(data, state), pairPanel(data, index, state)]) {
    if (piece) panel.append(piece);
  }
  return panel;
}
