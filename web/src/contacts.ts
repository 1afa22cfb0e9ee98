// What touches in which frame, and sums of it.
import type { PageData } from './data';

export interface Contact {
  pair: number;
  count: number;
  fresh: number; // pairs that are new
  depth: number;
  // Triangles of both sides, twice their number plus one if they are in a new pair.
  sides: [Uint32Array, Uint32Array];
}

// Triangles that meet on the way from one frame to the next and touch in neither.
export interface Pass {
  frame: number; // the one before
  share: number; // of the way to the next one, where the first of them meet
  from: number; // two states, between which all vertices move along straight lines then,
  to: number;
  at: number; // and the share of that way
  contact: Contact;
}

// Two parts in one clip.
export interface Row {
  clip: number;
  pair: number;
  frames: number;
  first: number;
  last: number;
  worst: number; // the frame with the most new pairs, or most pairs
  worstCount: number;
  worstFresh: number;
  depth: number;
}

export class Contacts {
  readonly total: Uint32Array; // pairs per frame
  readonly fresh: Uint32Array;
  readonly counts: Uint32Array[]; // per pair of parts and frame
  readonly freshCounts: Uint32Array[];
  readonly rows: Row[] = [];
  readonly passes: Pass[] = [];
  readonly order: number[]; // pairs of parts, most contacts first
  private readonly starts: Float64Array;
  private readonly scratch = new DataView(new ArrayBuffer(4));
  private bytes: Uint8Array;
  private at = 0;
  private heatFound: { counts: Uint32Array[]; most: number } | null = null;

  constructor(private readonly data: PageData) {
    const { frames, pairs } = data;
    if (frames.passes) this.readPasses(frames.passes);
    this.bytes = frames.contacts;
    this.starts = new Float64Array(frames.count + 1);
    for (let i = 0; i < frames.count; i++) {
      this.starts[i + 1] = this.starts[i] + frames.contactBytes[i];
    }
    this.total = new Uint32Array(frames.count);
    this.fresh = new Uint32Array(frames.count);
    this.counts = pairs.map(() => new Uint32Array(frames.count));
    this.freshCounts = pairs.map(() => new Uint32Array(frames.count));
    this.sumUp();
    const sums = this.counts.map((counts) => counts.reduce((sum, count) => sum + count, 0));
    this.order = pairs.map((_, i) => i).filter((i) => sums[i] > 0).sort((a, b) => sums[b] - sums[a]);
  }

  private varint(): number {
    let number = 0, scale = 1, byte;
    do {
      byte = this.bytes[this.at++];
      number += (byte & 127) * scale;
      scale *= 128;
    } while (byte & 128);
    return number;
  }

  private side(): Uint32Array {
    const codes = new Uint32Array(this.varint());
    let triangle = 0;
    for (let i = 0; i < codes.length; i++) {
      const code = this.varint();
      triangle += Math.floor(code / 2);
      codes[i] = 2 * triangle + code % 2;
    }
    return codes;
  }

  // Goes past a side; a number ends with a byte below 128.
  private skipSide(): void {
    const { bytes } = this;
    let left = this.varint(), { at } = this;
    while (left > 0) if (bytes[at++] < 128) left--;
    this.at = at;
  }

  private float(): number {
    for (let i = 0; i < 4; i++) this.scratch.setUint8(i, this.bytes[this.at++]);
    return this.scratch.getFloat32(0, true);
  }

  private contact(): Contact {
    const pair = this.varint(), count = this.varint(), fresh = this.varint(), depth = this.float();
    return { pair, count, fresh, depth, sides: [this.side(), this.side()] };
  }

  private readPasses(bytes: Uint8Array): void {
    this.bytes = bytes;
    while (this.at < bytes.length) {
      const frame = this.varint(), from = this.varint(), to = this.varint();
      const share = this.float(), at = this.float();
      this.passes.push({ frame, share, from, to, at, contact: this.contact() });
    }
  }

  // When something passes through, in seconds of its clip.
  passTime({ frame, share }: Pass): number {
    const { time } = this.data.frames;
    return time[frame] + share * (time[frame + 1] - time[frame]);
  }

  // All contacts of a frame.
  inFrame(frame: number): Contact[] {
    const found: Contact[] = [];
    this.at = this.starts[frame];
    while (this.at < this.starts[frame + 1]) found.push(this.contact());
    return found;
  }

  // The bodies that the two sides of a pair belong to.
  bodiesOf(pair: number): [number, number] {
    const [a, b] = this.data.pairs[pair];
    return [this.data.parts[a].body, this.data.parts[b].body];
  }

  pairName(pair: number): string {
    const [a, b] = this.data.pairs[pair];
    const { parts } = this.data;
    return a === b ? `${parts[a].name} with itself` : `${parts[a].name} – ${parts[b].name}`;
  }

  private sumUp(): void {
    const rows = new Map<number, Row>();
    for (let frame = 0; frame < this.total.length; frame++) {
      this.at = this.starts[frame];
      while (this.at < this.starts[frame + 1]) {
        const pair = this.varint(), count = this.varint(), fresh = this.varint(), depth = this.float();
        this.skipSide();
        this.skipSide();
        this.total[frame] += count;
        this.fresh[frame] += fresh;
        this.counts[pair][frame] = count;
        this.freshCounts[pair][frame] = fresh;
        this.addToRow(rows, frame, { pair, count, fresh, depth });
      }
    }
    this.rows.push(...rows.values());
  }

  // In how many frames each triangle touches, per body; found when somebody first asks.
  get heat(): Uint32Array[] { return this.findHeat().counts; }

  get heatMost(): number { return this.findHeat().most; }

  private findHeat(): { counts: Uint32Array[]; most: number } {
    if (this.heatFound) return this.heatFound;
    const counts = this.data.bodies.map((body) => new Uint32Array(this.data.meshes[body.mesh].faces));
    const seen = counts.map((list) => new Int32Array(list.length).fill(-1));
    let most = 0;
    for (let frame = 0; frame < this.total.length; frame++) {
      for (const contact of this.inFrame(frame)) {
        this.bodiesOf(contact.pair).forEach((body, side) => {
          for (const code of contact.sides[side]) {
            const triangle = code >>> 1;
            if (seen[body][triangle] !== frame) {
              seen[body][triangle] = frame;
              most = Math.max(most, ++counts[body][triangle]);
            }
          }
        });
      }
    }
    this.heatFound = { counts, most };
    return this.heatFound;
  }

  private addToRow(rows: Map<number, Row>, frame: number, contact: Omit<Contact, 'sides'>): void {
    const clip = this.data.frames.clip[frame];
    const key = clip * this.counts.length + contact.pair;
    let row = rows.get(key);
    if (!row) {
      row = {
        clip, pair: contact.pair, frames: 0, first: frame, last: frame, worst: frame,
        worstCount: 0, worstFresh: 0, depth: 0,
      };
      rows.set(key, row);
    }
    row.frames++;
    row.last = frame;
    row.depth = Math.max(row.depth, contact.depth);
    // In a check what is new counts first; in a demo every pair is new once.
    const byFresh = this.data.kind === 'check';
    const now = byFresh ? contact.fresh : contact.count;
    const best = byFresh ? row.worstFresh : row.worstCount;
    if (now > best || (now === best && contact.count > row.worstCount)) {
      row.worst = frame;
      row.worstCount = contact.count;
      row.worstFresh = contact.fresh;
    }
  }

  // The frames of a clip, from the first to before the last; -1: all.
  rangeOf(clip: number): [number, number] {
    const { clip: clips, count } = this.data.frames;
    if (clip < 0) return [0, count];
    return [clips.indexOf(clip), clips.lastIndexOf(clip) + 1];
  }

  // The frame with the most new pairs (a check) or the most pairs, of one clip or (-1) of all.
  worstFrame(clip = -1): number {
    const byFresh = this.data.kind === 'check' && this.fresh.some((count) => count > 0);
    const counts = byFresh ? this.fresh : this.total;
    const [begin, end] = this.rangeOf(clip);
    let worst = begin;
    for (let i = begin; i < end; i++) if (counts[i] > counts[worst]) worst = i;
    return worst;
  }

  // The frame that a page opens with: of a check the worst, of a demo the first contact, or the
  // middle where nothing touches.
  openingFrame(): number {
    if (this.data.kind !== 'demo') return this.worstFrame();
    return this.rows.length > 0 ? this.firstFrame() : Math.floor(this.total.length / 2);
  }

  firstFrame(): number {
    const byFresh = this.data.kind === 'check' && this.fresh.some((count) => count > 0);
    const first = (byFresh ? this.fresh : this.total).findIndex((count) => count > 0);
    return Math.max(0, first);
  }
}
