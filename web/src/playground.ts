// The page that computes: examples and files that people drop are checked by a worker, and shown as
// the page of `pliant check` shows them; two worlds go on live.
import './style.css';
import './playground.css';
import { unpack } from './data';
import type { PageData } from './data';
import { button, checkbox, make, number } from './dom';
import { Engine } from './engine';
import { evaluate } from './evaluate';
import { examples } from './examples';
import type { Example, FileExample, LiveExample } from './examples';
import { FORMATS } from './formats';
import { showLive } from './live';
import type { Live } from './live';
import type { NamedFile } from './messages';
import { showReport, showTheme, wantedTheme } from './report';
import type { Report } from './report';
import type { Choices } from './state';

declare global {
  // For tests, and for whoever wants to look closer in the browser's console.
  interface Window { pliant?: unknown }
}

interface Source { title: string; files: NamedFile[]; inputs: string[]; example: FileExample | null }

const ABOUT = 'The check ran in this page; nothing was uploaded.';

const ending = (name: string) => name.slice(name.lastIndexOf('.') + 1).toLowerCase();
const isCache = (name: string) => FORMATS.get(ending(name)) === 'cache';

// The files that are read as such; others are parts of them, buffers say. A mesh comes before the
// cache that moves it.
function inputsOf(files: NamedFile[]): string[] {
  const names = files.map((file) => file.name).filter((name) => FORMATS.has(ending(name)));
  return names.sort((a, b) => Number(isCache(a)) - Number(isCache(b)));
}

// How large the bodies are together in the first frame: the diagonal of the box around them.
function sizeOf(data: PageData): number {
  const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
  for (const body of data.bodies) {
    const mesh = data.meshes[body.mesh];
    const positions = new Float32Array(3 * mesh.vertices);
    evaluate(mesh, body, 0, positions);
    positions.forEach((value, i) => {
      low[i % 3] = Math.min(low[i % 3], value);
      high[i % 3] = Math.max(high[i % 3], value);
    });
  }
  const size = Math.hypot(...[0, 1, 2].map((k) => high[k] - low[k]));
  return Number.isFinite(size) && size > 0 ? size : 1;
}

class Playground {
  readonly engine = new Engine(new URL('pliant.wasm', document.baseURI));
  report: Report | null = null;
  live: Live | null = null;
  private source: Source | null = null;
  private size = 1;
  private wanted = 0; // which request is the latest
  private timer = 0;
  private readonly show = make('div', { id: 'show' });
  private readonly status = make('span', { id: 'status', role: 'status' });
  private readonly bar = make('progress', { id: 'progress', 'aria-label': 'frames that are checked' });
  private readonly cancel = button('cancel', 'stop the check', () => this.stop());
  private readonly download = make('a', { id: 'download', title: 'the scene as a file' }, 'download');
  private readonly clips = make('select', { id: 'clip', 'aria-label': 'clip' });
  private readonly slider = make('input', { id: 'clearance', type: 'range', min: '0', max: '100', value: '0', 'aria-label': 'clearance' });
  private readonly distance = make('output', { id: 'distance', for: 'clearance' }, '0');
  private readonly self = checkbox('with itself', false, () => this.again(), 'also each body against itself');
  private readonly between = checkbox('between frames', false, () => this.again(), 'also what passes through on the way from one frame to the next');
  private readonly settings: HTMLElement;
  private readonly working: HTMLElement;
  private readonly picker = make('input', { type: 'file', multiple: '', accept: [...FORMATS.keys(), 'bin'].map((end) => `.${end}`).join(','), hidden: '' });
  private readonly choices = new Map<string, HTMLButtonElement>();

  constructor(page: HTMLElement) {
    this.self.input.id = 'self';
    this.between.input.id = 'between';
    this.settings = make('div', { class: 'settings' },
      make('label', { id: 'clip-label' }, 'clip ', this.clips), this.self.element, this.between.element,
      make('label', { class: 'clearance', title: 'count different bodies as touching when closer than this' }, 'clearance ', this.slider, this.distance));
    this.working = make('div', { class: 'working' }, this.bar, this.cancel);
    const open = button('', 'open files of this machine', () => this.picker.click());
    open.className = 'choice own';
    open.append(make('strong', {}, 'Your own file'), make('span', {}, 'drop a .glb anywhere, or press here'));
    const list = examples.map((example) => {
      const choice = button('', example.what, () => this.open(example));
      choice.removeAttribute('aria-label');
      choice.className = example.kind === 'live' ? 'choice live' : 'choice';
      choice.append(make('strong', {}, example.name), make('span', {}, example.what));
      this.choices.set(example.key, choice);
      return choice;
    });
    page.replaceChildren(
      make('header', { class: 'top' },
        make('div', {}, make('h1', {}, make('span', { class: 'mark', 'aria-hidden': 'true' }), 'Pliant playground'),
          make('p', { class: 'what' }, 'Which triangles of moving bodies touch, exactly, computed in this page. Your files stay with you.')),
        make('nav', {}, make('a', { href: '../index.html' }, 'Documentation'), make('a', { href: '../reference/files.html' }, 'Reference'),
          button('◐', 'dark or light (D)', () => this.flip()))),
      make('div', { class: 'choices', role: 'group', 'aria-label': 'examples' }, open, ...list),
      make('div', { class: 'controls' }, this.settings, make('div', { class: 'state' }, this.working, this.status, this.download)),
      this.show, this.picker, make('div', { class: 'drop', 'aria-hidden': 'true' }, make('p', {}, 'Drop it: it is checked here')));
    this.working.hidden = true;
    this.download.hidden = true;
    this.listen();
  }

  private listen(): void {
    this.picker.addEventListener('change', () => {
      void this.take([...this.picker.files ?? []]);
      this.picker.value = '';
    });
    this.clips.addEventListener('change', () => this.again());
    this.slider.addEventListener('input', () => {
      this.distance.textContent = this.clearanceText();
      this.again(250);
    });
    let inside = 0;
    const over = (by: number) => {
      inside = Math.max(0, inside + by);
      document.body.classList.toggle('dropping', inside > 0);
    };
    addEventListener('dragenter', (event) => { event.preventDefault(); over(1); });
    addEventListener('dragleave', () => over(-1));
    addEventListener('dragover', (event) => event.preventDefault());
    addEventListener('drop', (event) => {
      event.preventDefault();
      over(-inside);
      void this.take([...event.dataTransfer?.files ?? []]);
    });
    addEventListener('hashchange', () => this.openNamed());
    document.addEventListener('keydown', (event) => {
      const target = event.target as HTMLElement;
      if (event.key.toLowerCase() !== 'd' || event.ctrlKey || event.metaKey || event.altKey || ['SELECT', 'INPUT'].includes(target.tagName)) return;
      if (!this.report) this.flip(); // a report hears the key itself
    });
    this.engine.onProgress = (done, count) => {
      this.bar.max = count;
      this.bar.value = done;
      this.status.textContent = `frame ${number(done)} of ${number(count)}`;
    };
    this.engine.onFailure = (error) => this.fail(error);
  }

  // The example that the address names, or the first.
  openNamed(): void {
    const key = location.hash.slice(1);
    this.open(examples.find((example) => example.key === key) ?? examples[0]);
  }

  private flip(): void {
    const theme = document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark';
    if (this.report) this.report.state.set({ theme });
    else showTheme(theme);
    document.dispatchEvent(new Event('pliant-theme'));
  }

  private clear(): void {
    this.report?.end();
    this.live?.end();
    this.report = null;
    this.live = null;
  }

  // Begins something else: whatever is being done ends.
  private begin(key: string, isFile: boolean): number {
    clearTimeout(this.timer);
    this.engine.stop();
    for (const [name, choice] of this.choices) choice.setAttribute('aria-pressed', String(name === key));
    this.choices.get(key)?.scrollIntoView({ block: 'nearest', inline: 'center' });
    this.settings.hidden = !isFile;
    this.download.hidden = true;
    this.show.querySelector('.missing')?.remove();
    return ++this.wanted;
  }

  private busy(text: string): void {
    this.working.hidden = false;
    this.bar.removeAttribute('value');
    this.status.textContent = text;
    this.show.classList.add('stale');
  }

  private idle(text: string): void {
    this.working.hidden = true;
    this.status.textContent = text;
    this.show.classList.remove('stale');
  }

  private stop(): void {
    this.wanted++;
    this.engine.stop();
    this.idle(this.report || this.live ? 'stopped; what is shown is of before' : 'stopped');
  }

  private fail(error: Error): void {
    this.clear();
    this.idle('');
    this.show.replaceChildren(make('p', { class: 'missing', role: 'alert' }, `${error.message}.`.replace(/\.\.$/, '.')));
  }

  // Does something that takes a while, unless something else is wanted when it is done.
  private async run(request: number, work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (request === this.wanted) this.fail(error as Error);
    }
  }

  open(example: Example): void {
    if (location.hash.slice(1) !== example.key && !(location.hash === '' && example === examples[0])) {
      history.replaceState(null, '', `#${example.key}`);
    }
    if (example.kind === 'live') this.openLive(example);
    else this.openScene(example);
  }

  private openScene(example: FileExample): void {
    const request = this.begin(example.key, true);
    this.busy('making the scene …');
    void this.run(request, async () => {
      const { bytes } = await this.engine.ask({ do: 'make', request: example.request }, 'made');
      if (request !== this.wanted) return;
      const files = [{ name: example.file, bytes }];
      await this.use(request, { title: example.name, files, inputs: [example.file], example });
      if (request !== this.wanted) return;
      this.download.href = URL.createObjectURL(new Blob([bytes]));
      this.download.download = example.file;
      this.download.hidden = false;
    });
  }

  private openLive(example: LiveExample): void {
    const request = this.begin(example.key, false);
    this.source = null;
    this.busy(example.key === 'chairs' ? 'finding the vibrations of a chair …' : 'making the figure …');
    void this.run(request, async () => {
      const { meshes, frame } = await this.engine.ask({ do: 'live', number: example.number, triangles: example.triangles }, 'begun');
      if (request !== this.wanted) return;
      this.clear();
      this.idle('');
      this.live = showLive(this.show, this.engine, example, meshes, frame, () => this.openLive(example));
      this.ready();
    });
  }

  // Files that were dropped or chosen.
  private async take(list: File[]): Promise<void> {
    if (list.length === 0) return;
    const request = this.begin('', true);
    this.busy('reading …');
    await this.run(request, async () => {
      const files = await Promise.all(list.map(async (file) => ({ name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) })));
      if (request !== this.wanted) return;
      const inputs = inputsOf(files);
      if (inputs.length === 0) {
        throw new Error(`${list[0].name} is none of the kinds that can be read: ${[...FORMATS.keys()].map((end) => `.${end}`).join(', ')}`);
      }
      history.replaceState(null, '', location.pathname);
      await this.use(request, { title: inputs[0], files, inputs, example: null });
    });
  }

  // A new source: its clips are listed, then it is checked with the settings that fit it.
  private async use(request: number, source: Source): Promise<void> {
    this.source = source;
    this.slider.value = '0';
    this.distance.textContent = '0';
    this.self.input.checked = source.example?.self ?? false;
    this.between.input.checked = false;
    const { clips } = await this.engine.ask({ do: 'list', files: source.files, inputs: source.inputs }, 'listed');
    if (request !== this.wanted) return;
    this.clips.replaceChildren(make('option', { value: '' }, `all ${clips.length}`), ...clips.map((name) => make('option', { value: name }, name)));
    this.clips.parentElement!.hidden = clips.length < 2;
    await this.check(request, true);
  }

  // Checks again, a little later: more may change until then.
  private again(delay = 0): void {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => {
      if (!this.source) return;
      this.engine.stop();
      const request = ++this.wanted;
      this.busy('checking …');
      void this.run(request, () => this.check(request, false));
    }, delay);
  }

  // Up to a twentieth of the size of all bodies, finer near 0, of two digits.
  private get clearance(): number {
    const share = Number(this.slider.value) / 100;
    return Number((0.05 * this.size * share * share).toPrecision(2));
  }

  private clearanceText(): string {
    return this.clearance > 0 ? String(this.clearance) : '0';
  }

  private async check(request: number, isNew: boolean): Promise<void> {
    const { files, inputs, example } = this.source!;
    const settings = {
      clips: isNew ? '' : this.clips.value, self: this.self.input.checked,
      clearance: isNew ? 0 : this.clearance, between: this.between.input.checked,
    };
    this.status.textContent = 'checking …';
    const { block, milliseconds } = await this.engine.ask({ do: 'check', files, inputs, settings }, 'checked');
    const data = await unpack(block);
    if (request !== this.wanted) return;
    if (isNew) this.size = sizeOf(data);
    this.showData(data, isNew, example !== null);
    this.idle(`${number(data.frames.count)} frames checked in ${(milliseconds / 1000).toFixed(milliseconds < 9950 ? 2 : 0)} s`);
    this.ready();
  }

  // Of the same file, the reader goes on looking at what she looked at.
  private showData(data: PageData, isNew: boolean, isExample: boolean): void {
    const before = this.report;
    const same = !isNew && before !== null && before.data.frames.count === data.frames.count;
    const pose = same ? before.view?.pose : undefined;
    let keep: Partial<Choices> | undefined;
    if (same) {
      const { frame, clip, speed, translucent, heat, xray, edges, onlyNew, contours, regions, up, hiddenParts, playing } = before.state.now;
      keep = { frame, clip, speed, translucent, heat, xray, edges, onlyNew, contours, regions, up, hiddenParts };
      window.setTimeout(() => { if (playing) this.report?.state.set({ playing }); });
    }
    this.clear();
    this.report = showReport(this.show, data, { about: ABOUT, keep });
    if (pose && this.report.view) this.report.view.pose = pose;
    if (isNew && isExample && !window.matchMedia('(prefers-reduced-motion: reduce)').matches) {
      this.report.view?.home();
      if (data.bodies.some((body) => !body.free)) this.report.view?.zoom(1.4); // what has bones walks
      this.report.state.set({ frame: this.report.index.firstFrame(), playing: true });
    }
  }

  // For tests: what was asked for is there.
  private ready(): void {
    window.pliant = this.report ? { ...this.report, playground: this } : { live: this.live, playground: this };
    document.documentElement.dataset.ready = String(this.wanted);
    document.documentElement.dataset.contact ||= String(Math.round(performance.now()));
  }
}

showTheme(wantedTheme());
new Playground(document.getElementById('page')!).openNamed();
