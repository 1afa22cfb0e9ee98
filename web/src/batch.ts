// Many files: a table of them, and below it the report of the one that is looked at.
import type { BatchData, BatchFile } from './data';
import { loadBlock } from './data';
import { button, make } from './dom';
import { showReport, showTheme, wantedTheme } from './report';
import type { Report } from './report';
import { sortableTable } from './table';
import type { Column } from './table';

const words = ['ok', 'found', 'error', 'error'];

export interface Batch { data: BatchData; report: Report | null; open: (i: number) => Promise<void> }

export function showBatch(page: HTMLElement, data: BatchData): Batch {
  const place = make('div', { id: 'report' });
  const batch: Batch = { data, report: null, open };
  let wanted = -1;

  async function open(i: number): Promise<void> {
    const file = data.files[i];
    wanted = i;
    if (file.block < 0) {
      batch.report?.end();
      batch.report = null;
      place.replaceChildren(make('h2', {}, file.name), make('p', { class: 'missing' }, file.line));
      return;
    }
    place.replaceChildren(make('p', { class: 'loading', role: 'status' }, `Unpacking ${file.name} …`));
    await new Promise((done) => setTimeout(done));
    const report = await loadBlock(`pliant-block-${file.block}`, true);
    if (wanted !== i) return; // another one was pressed in the meantime
    batch.report?.end();
    batch.report = showReport(place, report);
    place.scrollIntoView({ block: 'start' });
  }

  showTheme(wantedTheme());
  const at = new Map(data.files.map((file, i) => [file, i]));
  const columns: Column<BatchFile>[] = [
    { head: 'file', value: (file) => file.name },
    { head: 'outcome', value: (file) => -file.status, text: (file) => words[file.status] },
    { head: 'fail', value: (file) => file.failing, hint: 'findings that fail' },
    { head: 'known', value: (file) => file.known, hint: 'findings that are known' },
    { head: 'depth', value: (file) => file.depth, text: (file) => (file.depth > 0 ? file.depth.toPrecision(3) : ''), hint: 'of the deepest that fails' },
    { head: '%', value: (file) => file.percent, text: (file) => (file.percent > 0 ? file.percent.toPrecision(2) : ''), hint: 'of the smaller body' },
    { head: 'frames', value: (file) => file.frames },
    { head: '', value: (file) => file.line },
  ];
  const table = sortableTable(data.files, columns, {
    caption: 'Press a file to look at it, a heading to sort.', pick: (file) => void open(at.get(file)!),
    mark: (file) => (file.status === 0 ? 'good' : ''),
  });
  const theme = button('◐', 'dark or light', () => {
    const next = document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark';
    if (batch.report) batch.report.state.set({ theme: next });
    else showTheme(next);
  });
  page.replaceChildren(
    make('header', {}, make('div', {}, make('h1', {}, data.title), make('p', { class: 'what' }, data.description)), theme),
    make('section', { id: 'files' }, table), place,
    make('footer', {}, make('p', {}, `Made by pliant check --each, version ${data.pliant}; everything is inside this file.`)));
  return batch;
}
