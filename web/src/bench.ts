// The page of pliant bench: the papers' figures beside ours.
import type { PageData } from './data';
import { button, make } from './dom';
import { barPlot, linePlot, short } from './plots';
import type { Line } from './plots';
import { showTheme } from './report';
import { sortableTable } from './table';

type Row = Record<string, string | number>;

interface Experiment {
  name: string;
  seconds: number;
  error?: string;
  rows: Row[];
  series: Record<string, number[]>;
  ratios: Record<string, number>;
  paper: Record<string, number>;
  notes: string[];
}

export interface BenchData {
  length: string;
  machine: Record<string, string | number | string[]>;
  experiments: Experiment[];
}

export interface BenchWords { name: string; description: string; paper: string }

const spoken = (key: string) => key.replaceAll('_', ' ');
const isOurs = (name: string) => /^ours\b/.test(name);

function times(experiment: Experiment): HTMLElement[] {
  const rows = experiment.rows.filter((row) => typeof row.total_ms === 'number');
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const key = [row.triangles ? `${short(Number(row.triangles))} triangles` : '', row.first_only ? 'first contact only' : ''].filter(Boolean).join(', ');
    groups.set(key, [...groups.get(key) ?? [], row]);
  }
  return [...groups].filter(([, group]) => group.length > 1).map(([key, group]) => {
    const parted = group.every((row) => typeof row.update_ms === 'number');
    return barPlot(group.map((row) => ({
      name: String(row.method), ours: isOurs(String(row.method)),
      parts: parted ? [Number(row.update_ms), Number(row.query_ms)] : [Number(row.total_ms)],
    })), `Milliseconds${key ? `, ${key}` : ''}; shorter is better.`, parted ? ['update', 'query'] : []);
  });
}

// Columns that the paper has too, over the number of triangles.
function beside(experiment: Experiment): HTMLElement[] {
  const first = experiment.rows[0] ?? {};
  const keys = Object.keys(first).filter((key) => key.startsWith('paper_') && key.endsWith('_ms'));
  if (!('triangles' in first) || experiment.rows.length < 3) return [];
  // A method is what its rows are called, without the number of triangles.
  const groups = new Map<string, Row[]>();
  for (const row of experiment.rows) {
    const method = String(row.method).replace(/, \d+ triangles$/, '');
    groups.set(method, [...groups.get(method) ?? [], row]);
  }
  return keys.map((key) => {
    const name = key.slice('paper_'.length);
    const column = (rows: Row[], of: string, as: string): Line => ({
      name: as, x: rows.map((row) => Number(row.triangles)), y: rows.map((row) => Number(row[of])),
    });
    const lines = [...groups].map(([method, rows]) => column(rows, name, method));
    const [ours] = groups.values();
    if (ours) lines.push(column(ours, key, 'the paper, on its machine'));
    if (ours && `rival_${name}` in first) lines.push(column(ours, `rival_${name}`, 'scalar binary bottom-up, here'));
    return linePlot(lines, spoken(name.slice(0, -3)), { x: 'triangles', y: 'ms', logX: true, logY: true });
  });
}

function overTime(experiment: Experiment): HTMLElement[] {
  const { step, ...series } = experiment.series;
  if (!Array.isArray(step)) return [];
  const timed = Object.entries(series).filter(([key, values]) => /\bms$/.test(key) && values.length === step.length);
  const line = ([key, values]: [string, number[]]): Line => ({ name: key.replace(/, ms$/, ''), x: step, y: values });
  const plots: HTMLElement[] = [];
  for (let i = 0; i < timed.length; i += 6) {
    plots.push(linePlot(timed.slice(i, i + 6).map(line), 'Each step', { x: 'step', y: 'ms', logY: true }));
  }
  if (series.pairs?.length === step.length) {
    plots.push(linePlot([line(['pairs', series.pairs])], 'Touching triangles in each step', { x: 'step', y: 'pairs' }));
  }
  return plots;
}

function ratios(experiment: Experiment): HTMLElement | null {
  const entries = Object.entries(experiment.ratios).filter(([, value]) => Number.isFinite(value));
  if (entries.length === 0) return null;
  const rows = entries.map(([key, value]) => ({ key, value, paper: experiment.paper[key] as number | undefined }));
  const compared = rows.filter((row) => row.paper !== undefined);
  const box = make('div');
  if (compared.length > 0) {
    box.append(barPlot(compared.map((row) => ({ name: spoken(row.key), parts: [row.value], ours: true, paper: row.paper })),
      'Ours beside the paper.', []));
  }
  box.append(sortableTable(rows, [
    { head: 'ratio', value: (row) => spoken(row.key) },
    { head: 'here', value: (row) => row.value, text: (row) => short(row.value) },
    { head: 'paper', value: (row) => row.paper ?? 0, text: (row) => (row.paper === undefined ? '' : short(row.paper)) },
  ], { caption: 'Rival over ours, above 1 we are faster, unless the name says otherwise.' }));
  return box;
}

function rowsTable(experiment: Experiment): HTMLElement {
  const heads = [...new Set(experiment.rows.flatMap((row) => Object.keys(row)))];
  const table = sortableTable(experiment.rows, heads.map((head) => ({
    head: spoken(head), value: (row: Row) => row[head] ?? '',
    text: (row: Row) => (typeof row[head] === 'number' ? short(row[head] as number) : String(row[head] ?? '')),
  })), { caption: 'Everything that was measured.' });
  return make('details', {}, make('summary', {}, 'All rows'), table);
}

export function showBench(page: HTMLElement, data: PageData & { bench: BenchData; words: BenchWords[] }): void {
  let dark = window.matchMedia('(prefers-color-scheme: dark)').matches;
  showTheme(dark ? 'dark' : 'light');
  const { bench, words } = data;
  const machine = ['cpu', 'cores', 'system', 'compiler', 'isa'].map((key) => String(bench.machine[key] ?? '')).filter(Boolean);
  const threads = Number(bench.machine['threads'] ?? 1);
  if (threads > 1) machine.push(`${threads} threads for our methods, all by the clock on the wall`);
  const sections = bench.experiments.map((experiment) => {
    const said = words.find((word) => word.name === experiment.name);
    const section = make('section', { id: experiment.name, class: 'experiment' }, make('h2', {}, experiment.name));
    if (said?.description) section.append(make('p', { class: 'what' }, said.description));
    if (said?.paper) section.append(make('p', { class: 'quoted' }, said.paper));
    if (experiment.error) {
      section.append(make('p', { class: 'failed', role: 'alert' }, `Failed: ${experiment.error}`));
      return section;
    }
    const plots = [...times(experiment), ...beside(experiment), ...overTime(experiment)];
    if (plots.length > 0) section.append(make('div', { class: 'plots' }, ...plots));
    const compared = ratios(experiment);
    if (compared) section.append(compared);
    section.append(rowsTable(experiment));
    if (experiment.notes.length > 0) section.append(make('ul', { class: 'notes' }, ...experiment.notes.map((note) => make('li', {}, note))));
    return section;
  });
  const theme = button('◐', 'dark or light', () => {
    dark = !dark;
    showTheme(dark ? 'dark' : 'light');
  });
  page.replaceChildren(
    make('header', {}, make('div', {}, make('h1', {}, data.title), make('p', { class: 'what' }, machine.join(', '))), theme),
    make('nav', { 'aria-label': 'experiments' }, ...bench.experiments.map((experiment) => make('a', { href: `#${experiment.name}` }, experiment.name))),
    ...sections,
    make('footer', {}, `Made by pliant bench, version ${data.pliant}, length ${bench.length}. Everything is inside this file.`));
}
