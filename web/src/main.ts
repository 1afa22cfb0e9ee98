import './style.css';
import { showBatch } from './batch';
import { showBench } from './bench';
import type { BenchData, BenchWords } from './bench';
import { loadData } from './data';
import { make } from './dom';
import { showReport } from './report';

declare global {
  // For tests, and for whoever wants to look closer in the browser's console.
  interface Window { pliant?: unknown }
}

const page = document.getElementById('page')!;
try {
  const data = await loadData();
  if (data.kind === 'batch') {
    window.pliant = showBatch(page, data);
  } else if (data.kind === 'bench') {
    const bench = data as typeof data & { bench: BenchData; words: BenchWords[] };
    showBench(page, bench);
    window.pliant = { data: bench };
  } else {
    window.pliant = showReport(page, data);
  }
  document.documentElement.dataset.ready = 'yes';
} catch (error) {
  page.replaceChildren(make('p', { class: 'missing', role: 'alert' }, `This page could not be unpacked: ${(error as Error).message}`));
  throw error;
}
