// What a report on a page shows, beside what the tool's JSON says. `check` is told of differences.
import { readFileSync } from 'node:fs';

// What touches, frame by frame.
export async function compareContacts(page, name, path, check) {
  const report = JSON.parse(readFileSync(path, 'utf8'));
  const shown = await page.evaluate(() => {
    const { data, index } = window.pliant;
    const found = {};
    for (let frame = 0; frame < data.frames.count; frame++) {
      const clip = data.clips[data.frames.clip[frame]];
      for (const contact of index.inFrame(frame)) {
        const [a, b] = data.pairs[contact.pair];
        const key = `${clip}|${data.parts[a].name}|${data.parts[b].name}`;
        found[key] ??= { counts: [], fresh: [], sides: [new Set(), new Set()], within: a === b };
        found[key].counts.push(contact.count);
        found[key].fresh.push(contact.fresh);
        contact.sides.forEach((codes, side) => codes.forEach((code) => found[key].sides[side].add(code >>> 1)));
      }
    }
    for (const entry of Object.values(found)) entry.sides = entry.sides.map((set) => [...set].sort((x, y) => x - y));
    return found;
  });
  let pairs = 0;
  for (const clip of report.clips) {
    for (const pair of clip.pairs) {
      const key = `${clip.name}|${pair.a}|${pair.b}`;
      const entry = shown[key];
      check(entry !== undefined, `${name}: the page lacks ${key}`);
      if (!entry) continue;
      pairs++;
      check(String(pair.series.pairs) === String(entry.counts), `${name}: ${key}: other counts`);
      check(String(pair.series.new) === String(entry.fresh), `${name}: ${key}: other counts of new pairs`);
      const sides = [new Set(), new Set()];
      pair.triangles.forEach((triangle, i) => sides[entry.within ? 0 : i % 2].add(triangle));
      sides.forEach((set, side) => {
        const wanted = [...set].sort((x, y) => x - y);
        check(JSON.stringify(wanted) === JSON.stringify(entry.sides[side]), `${name}: ${key}: other triangles on side ${side}`);
      });
      delete shown[key];
    }
  }
  check(Object.keys(shown).length === 0, `${name}: the page has ${Object.keys(shown)} too`);
  return pairs;
}

// The table and the findings that a person reads.
export async function compareTable(page, name, path, check) {
  const report = JSON.parse(readFileSync(path, 'utf8'));
  const shown = await page.evaluate(() => {
    const { data, index } = window.pliant;
    const { number } = data.frames;
    return {
      rows: index.rows.map((row) => ({
        clip: data.clips[row.clip], a: data.parts[data.pairs[row.pair][0]].name, b: data.parts[data.pairs[row.pair][1]].name,
        frames: row.frames, first: number[row.first], last: number[row.last],
      })),
      written: [...document.querySelectorAll('section:not(#passes) tbody tr td:first-child')].map((cell) => cell.textContent),
      findings: (data.findings ?? []).map(({ clip, verdict, fails, deepest, frames, what }, i) => ( // 200 of them are listed
        { clip: data.clips[clip], verdict, fails: Number(fails), deepest, frames, listed: i >= 200 || document.body.textContent.includes(what) })),
    };
  });
  const wanted = report.clips.flatMap((clip) => clip.pairs.map(({ a, b, series, all }) => (
    { clip: clip.name, a, b, frames: series.frame.length, first: all?.first ?? series.frame[0], last: all?.last ?? series.frame.at(-1) })));
  const key = (row) => `${row.clip}|${row.a}|${row.b}`;
  const sorted = (rows) => [...rows].sort((x, y) => (key(x) < key(y) ? -1 : 1));
  check(JSON.stringify(sorted(shown.rows)) === JSON.stringify(sorted(wanted)), `${name}: another table than in the JSON`);
  check(shown.written.length === wanted.length, `${name}: the table has ${shown.written.length} lines, the JSON ${wanted.length}`);
  const findings = report.findings.map(({ clip, verdict, fails, deepest, frames }) => ({ clip, verdict, fails: Number(fails), deepest, frames, listed: true }));
  check(JSON.stringify(shown.findings) === JSON.stringify(findings), `${name}: other findings than in the JSON`);
  return wanted.length;
}
