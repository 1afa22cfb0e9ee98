// What the reader has chosen; whoever draws something listens.
export type Theme = 'light' | 'dark';

export interface Choices {
  frame: number;
  pass: number; // what is shown of what passes through behind the frame; -1: the frame itself
  clip: number; // the clip that is shown alone; -1: all
  finding: number; // the one that is looked at; -1: none
  playing: boolean;
  speed: number;
  translucent: boolean;
  heat: boolean;
  xray: boolean;
  edges: boolean;
  onlyNew: boolean;
  contours: boolean; // draw the curves along which bodies cross
  regions: boolean; // shade what lies inside the other body
  level: number; // of the tree that is drawn; -1: none
  untouched: boolean; // draw bounds that were never computed
  up: 'y' | 'z';
  theme: Theme;
  hiddenParts: ReadonlySet<number>;
  hiddenPairs: ReadonlySet<number>;
}

export class State {
  private readonly listeners: ((changed: ReadonlySet<keyof Choices>) => void)[] = [];
  constructor(readonly now: Choices) {}

  listen(listener: (changed: ReadonlySet<keyof Choices>) => void): void {
    this.listeners.push(listener);
  }

  // Going to a frame is leaving what passes through, and the finding that was looked at.
  set(choices: Partial<Choices>): void {
    if ('frame' in choices && !('pass' in choices)) choices = { ...choices, pass: -1 };
    if ('frame' in choices && !('finding' in choices)) choices = { ...choices, finding: -1 };
    const changed = new Set<keyof Choices>();
    for (const key of Object.keys(choices) as (keyof Choices)[]) {
      if (this.now[key] !== choices[key]) changed.add(key);
    }
    Object.assign(this.now, choices);
    if (changed.size > 0) for (const listener of this.listeners) listener(changed);
  }

  toggle(key: 'translucent' | 'heat' | 'xray' | 'edges' | 'onlyNew' | 'contours' | 'regions' | 'untouched' | 'playing'): void {
    this.set({ [key]: !this.now[key] });
  }

  togglePart(part: number): void {
    this.set({ hiddenParts: flipped(this.now.hiddenParts, part) });
  }

  togglePair(pair: number): void {
    this.set({ hiddenPairs: flipped(this.now.hiddenPairs, pair) });
  }
}

function flipped(set: ReadonlySet<number>, item: number): ReadonlySet<number> {
  const copy = new Set(set);
  if (!copy.delete(item)) copy.add(item);
  return copy;
}
