// What a check found, as a list: what fails first, what is known greyed. Pressing one goes to its
// deepest frame and looks at the place.
import type { Contacts } from './contacts';
import type { Finding, PageData } from './data';
import { make, number } from './dom';
import type { State } from './state';
import type { View } from './view';

const SHOWN = 200; // more than a person reads; the table of bodies has the rest

function measure(finding: Finding): string {
  if (finding.kind === 'clearance') return `${finding.gap.toPrecision(3)} apart`;
  if (finding.depth <= 0) return finding.kind === 'containment' ? 'one inside the other' : finding.kind;
  const share = finding.percent > 0 ? ` (${finding.percent.toPrecision(2)} %)` : '';
  return `${finding.depth.toPrecision(3)} deep${share}`;
}

function frames(finding: Finding): string {
  if (finding.first === finding.last) return `frame ${finding.first}`;
  return `frames ${finding.first} to ${finding.last}, deepest ${finding.deepest}`;
}

// Goes to a finding: its deepest frame, or the moment between two frames, and its place.
export function goTo(data: PageData, index: Contacts, state: State, view: View | null, i: number): void {
  const finding = data.findings![i];
  const clip = state.now.clip < 0 ? -1 : finding.clip;
  const pass = finding.kind === 'pass'
    ? index.passes.findIndex(({ frame, contact }) => frame === finding.frame && String(data.pairs[contact.pair]) === String(finding.pair))
    : -1;
  state.set({ frame: finding.frame, pass, clip, finding: i, playing: false, heat: false });
  const reach = Math.max(2 * finding.depth, 0.6 * Math.sqrt(Math.max(0, finding.area)), 0.3 * finding.length);
  view?.lookAt(finding.position, reach);
}

export function findingList(data: PageData, index: Contacts, state: State, view: () => View | null): HTMLElement | null {
  const list = data.findings;
  if (!list) return null;
  const failing = list.filter((finding) => finding.fails).length;
  const items = list.slice(0, SHOWN).map((finding, i) => {
    const place = finding.place ? ` near ${finding.place}` : '';
    const clip = data.clips.length > 1 ? `${data.clips[finding.clip]}, ` : '';
    const element = make('button', { type: 'button', class: finding.fails ? 'finding' : 'finding known', 'data-finding': String(i) },
      make('span', { class: 'name' }, finding.what, make('span', { class: 'place' }, place)),
      make('span', { class: 'count' }, finding.verdict),
      make('span', { class: 'when' }, `${clip}${frames(finding)}: ${measure(finding)}`));
    element.addEventListener('click', () => goTo(data, index, state, view(), i));
    return element;
  });
  state.listen((changed) => {
    if (!changed.has('finding')) return;
    items.forEach((item, i) => item.setAttribute('aria-current', String(i === state.now.finding)));
  });
  const known = list.length - failing;
  const said = failing === 0 ? `Nothing fails; ${number(known)} known.`
    : `${number(failing)} ${failing === 1 ? 'fails' : 'fail'}${known > 0 ? `, ${number(known)} known` : ''}. Press one to look at it.`;
  return make('fieldset', { id: 'findings' }, make('legend', {}, 'Findings'), make('p', { class: 'said' }, said),
    make('div', { class: 'findings' }, ...items),
    ...(list.length > SHOWN ? [make('p', { class: 'said' }, `and ${number(list.length - SHOWN)} more`)] : []));
}
