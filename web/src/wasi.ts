// The part of the system interface WASI that the module needs: files that lie in memory, and a clock.
const OK = 0, BAD_DESCRIPTOR = 8, INVALID = 28, MISSING = 44;
const FOLDER = 3, REGULAR = 4; // kinds of files
const ROOT = 3; // the descriptor of the only folder, the first one after the standard streams

interface Opened { name: string; at: number }

export class Files {
  private readonly contents = new Map<string, Uint8Array>();
  private readonly opened = new Map<number, Opened>();
  private memory: WebAssembly.Memory | null = null;
  private next = ROOT + 1;

  set(name: string, bytes: Uint8Array): void { this.contents.set(name, bytes); }

  clear(): void { this.contents.clear(); }

  attach(memory: WebAssembly.Memory): void { this.memory = memory; }

  private get view(): DataView { return new DataView(this.memory!.buffer); }

  private text(at: number, length: number): string {
    return new TextDecoder().decode(new Uint8Array(this.memory!.buffer, at, length).slice());
  }

  private read(fd: number, vectors: number, count: number, done: number): number {
    const file = this.opened.get(fd);
    const bytes = file && this.contents.get(file.name);
    if (!file || !bytes) return BAD_DESCRIPTOR;
    const { view } = this;
    let read = 0;
    for (let i = 0; i < count; i++) {
      const to = view.getUint32(vectors + 8 * i, true), room = view.getUint32(vectors + 8 * i + 4, true);
      const part = bytes.subarray(file.at, file.at + room);
      new Uint8Array(this.memory!.buffer, to, part.length).set(part);
      file.at += part.length;
      read += part.length;
    }
    view.setUint32(done, read, true);
    return OK;
  }

  private seek(fd: number, offset: bigint, whence: number, done: number): number {
    const file = this.opened.get(fd);
    const bytes = file && this.contents.get(file.name);
    if (!file || !bytes) return BAD_DESCRIPTOR;
    const to = [0, file.at, bytes.length][whence] + Number(offset);
    if (!(to >= 0)) return INVALID;
    file.at = to;
    this.view.setBigUint64(done, BigInt(to), true);
    return OK;
  }

  private open(folder: number, path: number, length: number, done: number): number {
    const name = this.text(path, length).replace(/^(\.?\/)+/, '');
    if (folder !== ROOT) return BAD_DESCRIPTOR;
    const isFolder = name === '' || name === '.';
    if (!isFolder && !this.contents.has(name)) return MISSING;
    this.opened.set(this.next, { name: isFolder ? '' : name, at: 0 });
    this.view.setUint32(done, this.next++, true);
    return OK;
  }

  private stat(path: number, length: number, to: number): number {
    const name = this.text(path, length).replace(/^(\.?\/)+/, '');
    const bytes = this.contents.get(name);
    if (!bytes && name !== '' && name !== '.') return MISSING;
    new Uint8Array(this.memory!.buffer, to, 64).fill(0);
    this.view.setUint8(to + 16, bytes ? REGULAR : FOLDER);
    this.view.setBigUint64(to + 32, BigInt(bytes?.length ?? 0), true);
    return OK;
  }

  private describe(fd: number, to: number): number {
    const file = this.opened.get(fd);
    if (fd >= ROOT && fd !== ROOT && !file) return BAD_DESCRIPTOR;
    new Uint8Array(this.memory!.buffer, to, 24).fill(0);
    this.view.setUint8(to, fd === ROOT || file?.name === '' ? FOLDER : fd < ROOT ? 2 : REGULAR);
    this.view.setBigUint64(to + 8, ~0n, true);
    this.view.setBigUint64(to + 16, ~0n, true);
    return OK;
  }

  // Names of files from number `cookie` on, as many as there is room for; the last may be cut off.
  private list(fd: number, to: number, room: number, cookie: bigint, done: number): number {
    if (fd !== ROOT && this.opened.get(fd)?.name !== '') return BAD_DESCRIPTOR;
    const out = new Uint8Array(this.memory!.buffer, to, room);
    let at = 0;
    [...this.contents.keys()].forEach((name, i) => {
      if (i < Number(cookie) || at >= room) return;
      const text = new TextEncoder().encode(name);
      const entry = new Uint8Array(24 + text.length), head = new DataView(entry.buffer);
      head.setBigUint64(0, BigInt(i + 1), true);
      head.setUint32(16, text.length, true);
      head.setUint8(20, REGULAR);
      entry.set(text, 24);
      const part = entry.subarray(0, room - at);
      out.set(part, at);
      at += part.length;
    });
    this.view.setUint32(done, at, true);
    return OK;
  }

  // Nothing is written anywhere, but it counts as written.
  private write(vectors: number, count: number, done: number): number {
    let written = 0;
    for (let i = 0; i < count; i++) written += this.view.getUint32(vectors + 8 * i + 4, true);
    this.view.setUint32(done, written, true);
    return OK;
  }

  // What the module imports.
  get imports(): Record<string, CallableFunction> {
    return {
      environ_get: () => OK,
      environ_sizes_get: (count: number, size: number) => {
        this.view.setUint32(count, 0, true);
        this.view.setUint32(size, 0, true);
        return OK;
      },
      clock_time_get: (_clock: number, _precision: bigint, to: number) => {
        this.view.setBigUint64(to, BigInt(Math.round(performance.now() * 1e6)), true);
        return OK;
      },
      fd_close: (fd: number) => (this.opened.delete(fd) ? OK : BAD_DESCRIPTOR),
      fd_fdstat_get: (fd: number, to: number) => this.describe(fd, to),
      fd_fdstat_set_flags: () => OK,
      fd_prestat_get: (fd: number, to: number) => {
        if (fd !== ROOT) return BAD_DESCRIPTOR;
        this.view.setUint32(to, 0, true);
        this.view.setUint32(to + 4, 1, true);
        return OK;
      },
      fd_prestat_dir_name: (_fd: number, to: number) => {
        this.view.setUint8(to, '/'.charCodeAt(0));
        return OK;
      },
      fd_read: (fd: number, vectors: number, count: number, done: number) => this.read(fd, vectors, count, done),
      fd_readdir: (fd: number, to: number, room: number, cookie: bigint, done: number) => this.list(fd, to, room, cookie, done),
      fd_seek: (fd: number, offset: bigint, whence: number, done: number) => this.seek(fd, offset, whence, done),
      fd_write: (_fd: number, vectors: number, count: number, done: number) => this.write(vectors, count, done),
      path_filestat_get: (_folder: number, _flags: number, path: number, length: number, to: number) => this.stat(path, length, to),
      path_open: (folder: number, _look: number, path: number, length: number, _open: number, _base: bigint, _inheriting: bigint,
        _flags: number, done: number) => this.open(folder, path, length, done),
      proc_exit: (status: number) => { throw new Error(`the module ended with status ${status}`); },
      sched_yield: () => OK,
    };
  }
}
