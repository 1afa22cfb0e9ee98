// The worker, as the page uses it: one order at a time, and whoever asks for something else ends
// what is being done by ending the worker.
import type { Answer, LiveFrame, Order } from './messages';

type Told<Kind extends Answer['told']> = Extract<Answer, { told: Kind }>;

export class Engine {
  private worker: Worker | null = null;
  private settle: { told: string; done: (answer: Answer) => void; failed: (error: Error) => void } | null = null;
  private compiled: Promise<WebAssembly.Module> | null = null;
  onProgress: (done: number, count: number) => void = () => {};
  onFrame: (frame: LiveFrame) => void = () => {};
  onFailure: (error: Error) => void = () => {};

  constructor(private readonly address: URL) {}

  // Ends what is being done; its promise never settles.
  stop(): void {
    this.worker?.terminate();
    this.worker = null;
    this.settle = null;
  }

  private compile(): Promise<WebAssembly.Module> {
    this.compiled ??= (async () => {
      const answer = await fetch(this.address);
      if (!answer.ok) throw new Error(`${this.address.pathname} cannot be loaded: ${answer.status}`);
      // Some servers do not say what the file is; then it is compiled once it is there.
      const isNamed = answer.headers.get('Content-Type') === 'application/wasm';
      return isNamed ? WebAssembly.compileStreaming(answer) : WebAssembly.compile(await answer.arrayBuffer());
    })();
    this.compiled.catch(() => { this.compiled = null; });
    return this.compiled;
  }

  private hear(answer: Answer): void {
    if (answer.told === 'progress') {
      this.onProgress(answer.done, answer.count);
    } else if (answer.told === 'stepped') {
      this.onFrame(answer.frame);
    } else if (answer.told === 'failed') {
      const error = new Error(answer.sentence);
      if (this.settle) this.settle.failed(error);
      else this.onFailure(error);
      this.settle = null;
    } else if (this.settle?.told === answer.told) {
      const { done } = this.settle;
      this.settle = null;
      done(answer);
    }
  }

  private wait<Kind extends Answer['told']>(told: Kind): Promise<Told<Kind>> {
    return new Promise((done, failed) => {
      this.settle = { told, done: done as (answer: Answer) => void, failed };
    });
  }

  private async start(): Promise<void> {
    const worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module', name: 'pliant' });
    this.worker = worker;
    worker.addEventListener('message', (event: MessageEvent<Answer>) => { if (this.worker === worker) this.hear(event.data); });
    worker.addEventListener('error', (event) => {
      if (this.worker !== worker) return;
      this.stop();
      this.onFailure(new Error(event.message || 'the worker failed'));
    });
    const module = await this.compile();
    if (this.worker !== worker) return new Promise(() => {}); // it was stopped in the meantime
    const started = this.wait('started');
    worker.postMessage({ do: 'start', module } satisfies Order);
    await started;
  }

  // Gives an order and waits for its answer. Something that is still being done is ended first.
  async ask<Kind extends Answer['told']>(order: Order, told: Kind): Promise<Told<Kind>> {
    if (this.settle) this.stop();
    if (!this.worker) await this.start();
    const answer = this.wait(told);
    this.worker!.postMessage(order);
    return answer;
  }

  // Gives an order that is not answered, or by a frame.
  tell(order: Order): void {
    this.worker?.postMessage(order);
  }
}
