// Runs the module: checks of files, and worlds that go on.
import type { Answer, CheckSettings, LiveFrame, NamedFile, Order, SceneRequest } from './messages';
import { Files } from './wasi';

interface Module {
  memory: WebAssembly.Memory;
  _initialize(): void;
  page_allocate(size: number): number;
  page_free(at: number): void;
  page_made(): number;
  page_made_size(): number;
  page_error(): number;
  page_check(names: number, clips: number, self: boolean, clearance: number, steps: number): number;
  page_list(names: number): number;
  page_example(name: number, triangles: number, steps: number, bodies: number): number;
  live_begin(number: number, triangles: number): number;
  live_step(): number;
  live_look(): number;
  live_body_count(): number;
  live_vertex_count(body: number): number;
  live_triangle_count(body: number): number;
  live_triangles(body: number): number;
  live_positions(body: number): number;
  live_marks(body: number): number;
  live_get_counts(): number;
  live_press(body: number, vertex: number, ...pointAndDirection: number[]): void;
  live_drag(x: number, y: number, z: number): void;
  live_release(): void;
}

const files = new Files();
let module: Module;

function tell(answer: Answer, move: Transferable[] = []): void {
  postMessage(answer, { transfer: move });
}

let told = 0;
function progress(done: number, count: number): void {
  const now = performance.now();
  if (now - told < 40 && done < count) return;
  told = now;
  tell({ told: 'progress', done, count });
}

async function start(compiled: WebAssembly.Module): Promise<void> {
  const instance = await WebAssembly.instantiate(compiled, { wasi_snapshot_preview1: files.imports, env: { progress } } as WebAssembly.Imports);
  module = instance.exports as unknown as Module;
  files.attach(module.memory);
  module._initialize();
  tell({ told: 'started' });
}

// A text in the module's memory for the length of a call.
function withTexts<Result>(texts: string[], call: (...at: number[]) => Result): Result {
  const places = texts.map((text) => {
    const bytes = new TextEncoder().encode(text);
    const at = module.page_allocate(bytes.length + 1);
    if (at === 0) throw new Error('not enough memory');
    const to = new Uint8Array(module.memory.buffer, at, bytes.length + 1);
    to.set(bytes);
    to[bytes.length] = 0;
    return at;
  });
  try {
    return call(...places);
  } finally {
    places.forEach((at) => module.page_free(at));
  }
}

function textAt(at: number): string {
  const bytes = new Uint8Array(module.memory.buffer, at);
  return new TextDecoder().decode(bytes.slice(0, bytes.indexOf(0)));
}

// What the latest call made; a call that failed left a sentence instead.
function made(succeeded: number): Uint8Array<ArrayBuffer> {
  if (!succeeded) throw new Error(textAt(module.page_error()));
  return new Uint8Array(module.memory.buffer, module.page_made(), module.page_made_size()).slice() as Uint8Array<ArrayBuffer>;
}

function setFiles(list: NamedFile[]): void {
  files.clear();
  for (const { name, bytes } of list) files.set(name, bytes);
}

const lines = (names: string[]) => names.map((name) => `${name}\n`).join('');

function makeScene({ scene, triangles, steps, bodies }: SceneRequest): void {
  const bytes = made(withTexts([scene], (name) => module.page_example(name, triangles, steps, bodies)));
  tell({ told: 'made', bytes }, [bytes.buffer]);
}

function list(given: NamedFile[], inputs: string[]): void {
  setFiles(given);
  const bytes = made(withTexts([lines(inputs)], (names) => module.page_list(names)));
  tell({ told: 'listed', ...(JSON.parse(new TextDecoder().decode(bytes)) as { bodies: number; clips: string[] }) });
}

function check(given: NamedFile[], inputs: string[], settings: CheckSettings): void {
  const begun = performance.now();
  setFiles(given);
  const block = made(withTexts([lines(inputs), settings.clips], (names, clips) =>
    module.page_check(names, clips, settings.self, settings.clearance, settings.between ? 1 : 0)));
  tell({ told: 'checked', block, milliseconds: performance.now() - begun }, [block.buffer]);
}

const bodies = () => Array.from({ length: module.live_body_count() }, (_, i) => i);

function frame(): LiveFrame {
  const { buffer } = module.memory;
  const [steps, seconds, touching, held, slowed, late] = new Float64Array(buffer, module.live_get_counts(), 6);
  return {
    positions: bodies().map((i) => new Float32Array(buffer, module.live_positions(i), 3 * module.live_vertex_count(i)).slice() as Float32Array<ArrayBuffer>),
    marks: bodies().map((i) => new Uint8Array(buffer, module.live_marks(i), module.live_triangle_count(i)).slice() as Uint8Array<ArrayBuffer>),
    counts: { steps, seconds, touching, held, slowed, late }, at: performance.now(),
  };
}

function tellFrame(answer: Answer & { frame: LiveFrame }): void {
  const { positions, marks } = answer.frame;
  tell(answer, [...positions, ...marks].map((array) => array.buffer));
}

function begin(number: number, triangles: number): void {
  if (!module.live_begin(number, triangles)) throw new Error('there is not enough memory for this world');
  const meshes = bodies().map((i) => ({
    vertices: module.live_vertex_count(i),
    triangles: new Uint32Array(module.memory.buffer, module.live_triangles(i), 3 * module.live_triangle_count(i)).slice() as Uint32Array<ArrayBuffer>,
  }));
  tellFrame({ told: 'begun', meshes, frame: frame() });
}

// A world that goes on: as many steps as the time that has passed is due, or as there is time for.
// Drawing never holds it up: a frame is told when the one before has been drawn.
const STEPS_PER_MILLISECOND = 0.24;
const MOST_OWED = 12; // steps; what is more is lost, and the world is slower than it should be
const turn = new MessageChannel();
let running = false, isTaken = true, owed = 0, last = 0;

function goOn(): void {
  if (!running) return;
  const begun = performance.now();
  owed = Math.min(MOST_OWED, owed + STEPS_PER_MILLISECOND * (begun - last));
  last = begun;
  for (; owed >= 1 && performance.now() - begun < 12; owed--) {
    if (!module.live_step()) throw new Error('there is not enough memory for another step');
  }
  if (isTaken) {
    if (!module.live_look()) throw new Error('there is not enough memory to look at the world');
    isTaken = false;
    tellFrame({ told: 'stepped', frame: frame() });
  }
  if (owed >= 1) turn.port2.postMessage(null); // after the messages that have come meanwhile
  else setTimeout(tryOn, 2);
}

function tryOn(): void {
  try {
    goOn();
  } catch (error) {
    running = false;
    fail(error as Error);
  }
}
turn.port1.onmessage = tryOn;

function run(on: boolean): void {
  if (on && !running) {
    last = performance.now();
    setTimeout(tryOn, 0);
  }
  running = on;
}

async function obey(order: Order): Promise<void> {
  if (order.do === 'start') await start(order.module);
  else if (order.do === 'make') makeScene(order.request);
  else if (order.do === 'list') list(order.files, order.inputs);
  else if (order.do === 'check') check(order.files, order.inputs, order.settings);
  else if (order.do === 'live') begin(order.number, order.triangles);
  else if (order.do === 'run') run(order.on);
  else if (order.do === 'taken') isTaken = true;
  else if (order.do === 'press') module.live_press(order.body, order.vertex, ...order.point, ...order.along);
  else if (order.do === 'drag') module.live_drag(...order.to);
  else if (order.do === 'release') module.live_release();
}

function fail(error: Error): void {
  tell({ told: 'failed', sentence: error instanceof WebAssembly.RuntimeError ? `the module failed: ${error.message}` : error.message });
}

addEventListener('message', (event: MessageEvent<Order>) => {
  obey(event.data).catch(fail);
});
