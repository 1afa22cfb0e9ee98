// Looks at pages in headless Chromium.
//
//   node web/test/page.mjs CHROMIUM FOLDER
//
// Every FOLDER/NAME/report.html is opened; report.json beside it says what the page must show, and
// positions.####.ply where the vertices are.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { compareContacts } from './json.mjs';

const [executablePath, folder] = process.argv.slice(2);
const flags = ['--no-sandbox', '--use-gl=angle', '--use-angle=gl-egl', '--ignore-gpu-blocklist',
  '--disable-background-networking', '--disable-component-update'];
const known = [0xb3, 0x26, 0x1e], fresh = [0xff, 0x4a, 0x2b]; // the dark palette's colours
let failures = 0;

function check(condition, message) {
  if (!condition) {
    failures++;
    console.error(`FAILED: ${message}`);
  }
}

function readPly(path) {
  const bytes = readFileSync(path);
  const mark = 'end_header\n';
  const start = bytes.indexOf(mark) + mark.length;
  const count = Number(/element vertex (\d+)/.exec(bytes.subarray(0, start).toString('latin1'))[1]);
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset + start, bytes.byteOffset + start + 12 * count));
}

// The page's vertices are those of pliant_body_evaluate(), to 1e-5 of the body's diameter.
async function checkPositions(page, name, path) {
  const shown = await page.evaluate(() => {
    const { data, state, view } = window.pliant;
    const frames = [];
    for (let frame = 0; frame < data.frames.count; frame += 3) {
      state.set({ frame });
      frames.push({
        number: data.frames.number[frame],
        bodies: data.bodies.map((_, i) => Array.from(view.positionsOf(i))),
      });
    }
    return frames;
  });
  let worst = 0;
  for (const { number, bodies } of shown) {
    const wanted = readPly(join(path, `positions.${String(number).padStart(4, '0')}.ply`));
    let at = 0;
    for (const body of bodies) {
      const lower = [Infinity, Infinity, Infinity], upper = [-Infinity, -Infinity, -Infinity];
      let off = 0;
      for (let i = 0; i < body.length; i++) {
        lower[i % 3] = Math.min(lower[i % 3], wanted[at + i]);
        upper[i % 3] = Math.max(upper[i % 3], wanted[at + i]);
      }
      for (let i = 0; i < body.length; i += 3) {
        off = Math.max(off, Math.hypot(...[0, 1, 2].map((k) => body[i + k] - wanted[at + i + k])));
      }
      worst = Math.max(worst, off / Math.hypot(...[0, 1, 2].map((k) => upper[k] - lower[k])));
      at += body.length;
    }
    check(at === wanted.length, `${name}: ${at / 3} vertices on the page, ${wanted.length / 3} in the file`);
  }
  check(worst <= 1e-5, `${name}: vertices are off by ${worst} of the diameter`);
  return worst;
}

async function timelineBox(page) {
  await page.locator('.timeline').scrollIntoViewIfNeeded();
  return page.locator('.timeline').boundingBox();
}

// What passes through between frames is what the JSON says, when it does.
async function checkPasses(page, name, path) {
  const report = JSON.parse(readFileSync(path, 'utf8'));
  const shown = await page.evaluate(() => {
    const { data, index } = window.pliant;
    return index.passes.map((pass) => {
      const [a, b] = data.pairs[pass.contact.pair].map((part) => data.parts[part].name);
      return { clip: data.clips[data.frames.clip[pass.frame]], a, b, frame: data.frames.number[pass.frame], seconds: index.passTime(pass), count: pass.contact.count, fresh: pass.contact.fresh };
    });
  });
  let found = 0;
  for (const clip of report.clips) {
    for (const { a, b, series } of clip.passes ?? []) {
      series.frame.forEach((frame, i) => {
        const same = shown.filter((pass) => pass.clip === clip.name && pass.a === a && pass.b === b && pass.frame === frame);
        check(same.length === 1 && same[0].count === series.pairs[i] && same[0].fresh === series.new[i]
          && Math.abs(same[0].seconds - series.seconds[i]) <= 1e-5 * Math.max(1, series.seconds[i]), `${name}: ${a} and ${b} pass after frame ${frame}: not as in the JSON`);
        found++;
      });
    }
  }
  check(found === shown.length, `${name}: ${shown.length} passes on the page, ${found} in the JSON`);
  return found;
}

// A person goes to what passes through: from the list, by key and from the timeline.
async function checkGoing(page, name) {
  const now = () => page.evaluate(() => {
    const { data, index, state, view } = window.pliant;
    const { pass, frame } = state.now;
    const mover = view.positionsOf(1);
    let most = -Infinity;
    for (let i = 0; i < mover.length; i += 3) most = Math.max(most, mover[i]);
    return { pass, frame, most, bodies: data.bodies.length, count: index.passes.length, contacts: view.contacts.length, said: document.getElementById('readout').textContent };
  });
  const begin = await now();
  check(begin.count === 1 && begin.pass === 0, `${name}: nothing touches, but the page does not open with what passes through`);
  await page.keyboard.press('End');
  check((await now()).pass === -1 && (await now()).most > 14, `${name}: a frame does not lead away from what passes through`);
  const ways = [() => page.click('#passes tbody button'), () => page.keyboard.press('p'), async () => {
    const box = await timelineBox(page);
    const x = await page.evaluate(() => window.pliant.timeline.x(window.pliant.index.passes[0].frame + window.pliant.index.passes[0].share));
    await page.mouse.click(box.x + x, box.y + 100);
  }];
  for (const [i, go] of ways.entries()) {
    await page.keyboard.press('Home');
    await go();
    const there = await now();
    check(there.pass === 0 && there.frame === 0 && there.contacts === 1, `${name}: way ${i} does not lead to what passes through`);
    check(Math.abs(there.most - 3) < 1e-4, `${name}: the tip is at ${there.most}, not where it meets the sheet`);
    check(there.said.includes('between frames 0 and 1'), `${name}: the page says ${there.said}`);
  }
  await page.keyboard.press('Home');
}

// Reads the canvas where touching triangles are, and where none is.
async function checkPixels(page, name) {
  const found = await page.evaluate(async ({ known, fresh }) => {
    const { data, index, state, view } = window.pliant;
    state.set({ frame: index.worstFrame(), translucent: true, edges: false, xray: false, contours: false, regions: false, theme: 'dark', level: -1 });
    view.home();
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    const copy = document.createElement('canvas');
    copy.width = view.canvas.width;
    copy.height = view.canvas.height;
    const pen = copy.getContext('2d', { willReadFrequently: true });
    pen.drawImage(view.canvas, 0, 0);
    const scale = copy.width / view.canvas.clientWidth;
    const image = pen.getImageData(0, 0, copy.width, copy.height).data;
    const isRed = (at) => [known, fresh].some((colour) => colour.every((value, k) => Math.abs(value - image[at + k]) < 40));
    let tried = 0, small = 0, red = 0, all = 0;
    for (let i = 0; i < image.length; i += 4) if (isRed(i)) all++;
    for (const contact of index.inFrame(state.now.frame)) {
      index.bodiesOf(contact.pair).forEach((body, side) => {
        const p = view.positionsOf(body);
        const { triangles } = data.meshes[data.bodies[body].mesh];
        for (const code of contact.sides[side]) {
          const t = 3 * (code >>> 1);
          const corners = [0, 1, 2].map((c) => view.project(...[0, 1, 2].map((k) => p[3 * triangles[t + c] + k])).map((at) => at * scale));
          // The middle of a triangle is sure to be a pixel of its own colour only if it covers a few.
          const [[ax, ay], [bx, by], [cx, cy]] = corners;
          if (Math.abs((bx - ax) * (cy - ay) - (by - ay) * (cx - ax)) < 4) {
            small++;
            continue;
          }
          const column = Math.round((ax + bx + cx) / 3), row = Math.round((ay + by + cy) / 3);
          if (column < 1 || row < 1 || column >= copy.width - 1 || row >= copy.height - 1) continue;
          tried++;
          if (isRed(4 * (row * copy.width + column))) red++;
        }
      });
    }
    // Without contacts there is no red at all.
    state.set({ hiddenPairs: new Set(data.pairs.keys()) });
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    pen.drawImage(view.canvas, 0, 0);
    const without = pen.getImageData(0, 0, copy.width, copy.height).data;
    let left = 0;
    for (let i = 0; i < without.length; i += 4) {
      if ([known, fresh].some((colour) => colour.every((value, k) => Math.abs(value - without[i + k]) < 40))) left++;
    }
    state.set({ hiddenPairs: new Set(), translucent: false, edges: true, xray: true, contours: true });
    return { tried, small, red, all, left, total: index.total[state.now.frame] };
  }, { known, fresh });
  if (found.total === 0) {
    check(found.all === 0, `${name}: nothing touches, but ${found.all} pixels are red`);
    return;
  }
  check(found.tried + found.small > 0 && found.red >= 0.8 * found.tried && found.all > 0, `${name}: ${found.red} of ${found.tried} touching triangles are red`);
  check(found.left === 0, `${name}: ${found.left} pixels are red though no pair is shown`);
}

// A click on the timeline, keys, playing.
async function checkUse(page, name) {
  const count = await page.evaluate(() => window.pliant.data.frames.count);
  const frame = () => page.evaluate(() => window.pliant.state.now.frame);
  const box = await timelineBox(page);
  if (count > 4) {
    const target = Math.floor(count / 3);
    const x = await page.evaluate((at) => window.pliant.timeline.x(at), target);
    await page.mouse.click(box.x + x, box.y + 40);
    check(await frame() === target, `${name}: a click on the timeline leads to ${await frame()}, not ${target}`);
    await page.keyboard.press('ArrowRight');
    check(await frame() === target + 1, `${name}: the right arrow does not step`);
    const worst = await page.evaluate(() => window.pliant.index.worstFrame());
    await page.keyboard.press('w');
    check(await frame() === worst, `${name}: W does not lead to the worst frame`);
    await page.click('#play');
    await page.waitForFunction((start) => window.pliant.state.now.frame !== start, worst, { timeout: 20000 });
    await page.click('#play');
    check(await page.evaluate(() => !window.pliant.state.now.playing), `${name}: playing does not stop`);
  }
  await page.keyboard.press('h');
  check(await page.evaluate(() => window.pliant.state.now.heat), `${name}: H shows no heat map`);
  await page.keyboard.press('h');
  if (name === 'contours') {
    // In the worst frame there are curves, and what is inside is shaded; I and K leave them out.
    await page.keyboard.press('w');
    const drawn = () => page.evaluate(() => window.pliant.view.drawnContours());
    const { lines, triangles } = await drawn();
    check(lines > 0, `${name}: no contour is drawn`);
    check(triangles > 0, `${name}: nothing inside is shaded`);
    await page.keyboard.press('k');
    await page.keyboard.press('i');
    const left = await drawn();
    check(left.lines === 0 && left.triangles === 0, `${name}: K and I hide too little: ${JSON.stringify(left)}`);
    await page.keyboard.press('k');
    await page.keyboard.press('i');
  }
  const method = page.locator('#method > summary');
  if (await method.count() > 0) {
    check(!await page.locator('#method table, #method fieldset').first().isVisible(), `${name}: how it was computed is not folded away`);
    await method.click();
  }
  const levels = page.locator('.levels button');
  if (await levels.count() > 1) {
    await levels.nth(1).click();
    check(await page.evaluate(() => window.pliant.state.now.level === 0), `${name}: the tree is not drawn`);
  }
  const heads = page.locator('th button');
  if (await heads.count() > 0) {
    await heads.first().click();
    const sort = await page.locator('th').first().getAttribute('aria-sort');
    check(sort !== 'none', `${name}: the table does not sort`);
  }
}

// Findings are those of the JSON, in its order; pressing one leads to its deepest frame and place.
async function checkFindings(page, name, path) {
  const report = JSON.parse(readFileSync(path, 'utf8'));
  const shown = await page.evaluate(() => (window.pliant.data.findings ?? []).map((finding) => ({
    clip: window.pliant.data.clips[finding.clip], a: window.pliant.data.parts[finding.pair[0]].name,
    verdict: finding.verdict, fails: Number(finding.fails), deepest: finding.deepest, frames: finding.frames,
  })));
  const wanted = report.findings.map(({ clip, a, verdict, fails, deepest, frames }) => ({ clip, a, verdict, fails, deepest, frames }));
  check(JSON.stringify(shown) === JSON.stringify(wanted), `${name}: other findings than in the JSON`);
  const buttons = page.locator('#findings .finding');
  const count = await buttons.count();
  check(count === Math.min(200, wanted.length), `${name}: ${count} findings are listed of ${wanted.length}`);
  for (const i of count > 1 ? [0, count - 1] : count > 0 ? [0] : []) {
    await page.keyboard.press('Home');
    await buttons.nth(i).click();
    const there = await page.evaluate(async (at) => {
      const { data, state, view } = window.pliant;
      await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
      const finding = data.findings[at];
      const [x, y] = view.project(...finding.position);
      return {
        frame: state.now.frame, number: data.frames.number[state.now.frame], wanted: finding.frame, deepest: finding.deepest,
        off: Math.hypot(x / view.canvas.clientWidth - 0.5, y / view.canvas.clientHeight - 0.5),
        current: document.querySelectorAll('.finding[aria-current=true]').length,
      };
    }, i);
    check(there.frame === there.wanted && there.number === there.deepest, `${name}: finding ${i} leads to frame ${there.number}, not ${there.deepest}`);
    check(there.off < 0.02, `${name}: finding ${i} is ${there.off} of the picture from its middle`);
    check(there.current === 1, `${name}: ${there.current} findings are marked`);
    const known = await buttons.nth(i).evaluate((element) => element.classList.contains('known'));
    check(known === !wanted[i].fails, `${name}: finding ${i} is greyed or not, wrongly`);
  }
  if (name === 'contours') {
    await buttons.first().click();
    const drawn = await page.evaluate(() => window.pliant.view.drawnContours());
    check(drawn.lines > 0, `${name}: a finding has no contour`);
  }
  await page.evaluate(() => window.pliant.view.home());
  return count;
}

// The page of a batch: a table of files, of which each opens and closes the one before.
async function checkBatch(page, name) {
  const rows = page.locator('#files tbody tr');
  const files = await page.evaluate(() => window.pliant.data.files);
  check(await rows.count() === files.length && files.length > 2, `${name}: ${await rows.count()} rows for ${files.length} files`);
  for (const [i, file] of files.entries()) {
    await page.locator('#files tbody button', { hasText: file.name }).first().click();
    if (file.block < 0) {
      await page.waitForSelector('#report .missing');
      check((await page.locator('#report').textContent()).includes(file.line), `${name}: ${file.name}: the sentence is not there`);
      continue;
    }
    await page.waitForFunction((title) => document.querySelector('#report h1')?.textContent === title, file.name.replace(/.*\//, ''));
    const opened = await page.evaluate(() => ({
      frames: window.pliant.report.data.frames.count, canvases: document.querySelectorAll('canvas#view').length,
      failing: (window.pliant.report.data.findings ?? []).filter((finding) => finding.fails).length,
    }));
    check(opened.frames === file.frames && opened.canvases === 1 && opened.failing === file.failing, `${name}: file ${i} opens as ${JSON.stringify(opened)}`);
    const before = await page.evaluate(() => window.pliant.report.state.now.translucent);
    await page.keyboard.press('t');
    check(await page.evaluate(() => window.pliant.report.state.now.translucent) !== before, `${name}: a key counts twice, or not at all`);
  }
}

// On a phone nothing sticks out sideways.
async function checkNarrow(page, name) {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.waitForTimeout(100);
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  check(width <= 390, `${name}: ${width} pixels wide on a screen of 390`);
}

// Something is drawn: the canvas is not of one colour.
async function checkDrawn(page, name) {
  const colours = await page.evaluate(async () => {
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    const { view } = window.pliant;
    const copy = document.createElement('canvas');
    copy.width = 160;
    copy.height = 100;
    const pen = copy.getContext('2d');
    pen.drawImage(view.canvas, 0, 0, 160, 100);
    return new Set(new Uint32Array(pen.getImageData(0, 0, 160, 100).data.buffer)).size;
  });
  check(colours > 10, `${name}: the picture has ${colours} colours`);
}

// The page opens where its reader should look first: a check at the deepest finding, a demo at the
// first contact.
async function checkOpening(page, name) {
  const now = await page.evaluate(() => {
    const { data, index, state } = window.pliant;
    return {
      kind: data.kind, frame: state.now.frame, finding: state.now.finding, first: index.firstFrame(), worst: index.worstFrame(),
      touches: index.rows.length > 0, middle: Math.floor(data.frames.count / 2), fails: data.findings?.[0]?.fails ?? false,
      deepest: data.findings?.[0]?.frame, depths: (data.findings ?? []).filter(({ fails }) => fails).map(({ depth }) => depth),
      bold: [...document.querySelectorAll('strong')].map((element) => element.textContent).filter((text) => text.includes('left alone')),
    };
  });
  if (now.kind === 'demo') check(now.frame === (now.touches ? now.first : now.middle), `${name}: opens at frame ${now.frame}`);
  if (now.fails) check(now.finding === 0 && now.frame === now.deepest, `${name}: opens at frame ${now.frame}, not at the first finding`);
  check(now.bold.length === 0, `${name}: says ${now.bold}`);
  await page.locator('a[href="#help"]').click();
  check(await page.locator('#help li').count() > 8 && await page.locator('#help dt').count() > 15, `${name}: the explanation is not there`);
  await page.evaluate(() => scrollTo(0, 0));
  if (name !== 'demo') return;
  check(await page.title() === 'What touches when a dressed figure walks', `${name}: the title is ${await page.title()}`);
  check(Math.max(...now.depths) === now.depths[0], `${name}: the finding that it opens at is not the deepest`);
  const said = await page.locator('#saved').textContent();
  check(/^Vertices evaluated .* of .* ms .*medians of/.test(said), `${name}: says of the work: ${said}`);
}

// The picture is there as soon as the page is, without a frame of the browser's own: where time is
// virtual, or the page is in the background, there may be none.
async function checkFirst(browser, name, path) {
  const page = await browser.newPage({ viewport: { width: 1200, height: 900 }, colorScheme: 'dark' });
  await page.addInitScript(() => { window.requestAnimationFrame = () => 0; });
  await page.goto(`file://${path}/report.html`);
  const colours = await page.evaluate(async () => {
    while (!document.documentElement.dataset.ready) await new Promise((done) => setTimeout(done, 20));
    const copy = document.createElement('canvas');
    copy.width = 160;
    copy.height = 100;
    const pen = copy.getContext('2d');
    pen.drawImage(document.getElementById('view'), 0, 0, 160, 100);
    return new Set(new Uint32Array(pen.getImageData(0, 0, 160, 100).data.buffer)).size;
  });
  check(colours > 10, `${name}: the first picture has ${colours} colours`);
  await page.close();
}

const browser = await chromium.launch({ executablePath, args: flags });
const names = readdirSync(folder).filter((name) => existsSync(join(folder, name, 'report.html'))).sort();
for (const name of names) {
  const path = join(folder, name);
  const page = await browser.newPage({ viewport: { width: 1200, height: 900 }, colorScheme: 'dark' });
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type()) && !/GPU stall due to ReadPixels/.test(message.text())) {
      check(false, `${name}: the console says ${message.text()}`);
    }
  });
  page.on('pageerror', (error) => check(false, `${name}: ${error.message}`));
  page.on('request', (request) => {
    check(/^(data|blob):/.test(request.url()) || request.url() === `file://${path}/report.html`, `${name}: asks for ${request.url()}`);
  });
  try {
    await page.goto(`file://${path}/report.html`);
    await page.waitForSelector('html[data-ready]', { timeout: 60000 });
    const said = [name];
    if (await page.evaluate(() => window.pliant.data.kind === 'bench')) {
      const plots = await page.locator('svg.plot path, svg.plot rect').count();
      check(plots > 10, `${name}: ${plots} lines and bars in the plots`);
      await checkNarrow(page, name);
      await page.close();
      continue;
    }
    if (await page.evaluate(() => window.pliant.data.kind === 'batch')) {
      await checkBatch(page, name);
      await checkNarrow(page, name);
      await page.close();
      continue;
    }
    await checkOpening(page, name);
    await checkDrawn(page, name);
    if (['demo', 'spheres'].includes(name)) await checkFirst(browser, name, path);
    if (name === 'passing') await checkGoing(page, name);
    await checkUse(page, name);
    await checkPixels(page, name);
    if (existsSync(join(path, 'report.json'))) said.push(`${await compareContacts(page, name, join(path, 'report.json'), check)} pairs as in the JSON`);
    if (existsSync(join(path, 'report.json'))) said.push(`${await checkFindings(page, name, join(path, 'report.json'))} findings`);
    if (existsSync(join(path, 'report.json'))) said.push(`${await checkPasses(page, name, join(path, 'report.json'))} passes`);
    if (existsSync(join(path, 'positions.0001.ply'))) said.push(`vertices within ${(await checkPositions(page, name, path)).toExponential(1)}`);
    await checkNarrow(page, name);
    console.log(said.join(': '));
  } catch (error) {
    check(false, `${name}: ${error.message}`);
  }
  await page.close();
}
await browser.close();
check(names.length > 0, 'there are no pages');
process.exit(failures > 0 ? 1 : 0);
