// The playground in headless Chromium.
//
//   node web/test/playground.mjs CHROMIUM FOLDER CASES [SECONDS]
//
// FOLDER is what scripts/playground builds. Every CASES/NAME has files to drop, report.json, which is
// what `pliant check --json` says of them, and may have settings.json: what is set on the page then.
// The cape has to hold for SECONDS (1) of its own time; from 20 on the page's speed is judged too, unless the
// machine has more to do than it has processors.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { compareContacts, compareTable } from './json.mjs';
import { serve } from './serve.mjs';

const [executablePath, folder, cases, seconds = '1'] = process.argv.slice(2);
const flags = ['--headless', '--no-sandbox', '--use-gl=angle', '--use-angle=gl-egl', '--ignore-gpu-blocklist', '--disable-quic',
  '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'];
const busy = loadavg()[0] > availableParallelism();
const judged = Number(seconds) >= 20 && !busy;
const patience = Number(seconds) >= 20 ? 1200000 : 240000; // milliseconds
let failures = 0;

function check(condition, message) {
  if (!condition) {
    failures++;
    console.error(`FAILED: ${message}`);
  }
}

const { address, end } = await serve(folder);
const browser = await chromium.launch({ executablePath, args: flags });

async function open(hash = '', more = {}) {
  const page = await browser.newPage({ viewport: { width: 1200, height: 900 }, colorScheme: 'dark', ...more });
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type()) && !/GPU stall due to ReadPixels/.test(message.text())) check(false, `the console says ${message.text()}`);
  });
  page.on('pageerror', (error) => check(false, error.message));
  page.on('request', (request) => {
    check(/^(data|blob):/.test(request.url()) || request.url().startsWith(address), `the page asks for ${request.url()}`);
    check(request.method() === 'GET', `the page sends something: ${request.method()} ${request.url()}`);
  });
  await page.goto(address + hash);
  await page.waitForSelector('html[data-ready]', { timeout: patience });
  return page;
}

// Does something and waits until the page shows what it asked for.
async function after(page, act) {
  const before = await page.evaluate(() => document.documentElement.dataset.ready);
  await act();
  await page.waitForFunction((was) => document.documentElement.dataset.ready !== was
    || document.querySelector('#show .missing') !== null, before, { timeout: patience });
}

// As a person drops files from another window.
async function drop(page, files) {
  const given = files.map(({ name, bytes }) => ({ name, text: bytes.toString('base64') }));
  const transfer = await page.evaluateHandle((list) => {
    const data = new DataTransfer();
    for (const { name, text } of list) data.items.add(new File([Uint8Array.from(atob(text), (c) => c.charCodeAt(0))], name));
    return data;
  }, given);
  await after(page, () => page.dispatchEvent('body', 'drop', { dataTransfer: transfer }));
}

// Opens with two spheres, of which the contact is drawn in red.
async function checkOpening() {
  const page = await open();
  const found = await page.evaluate(async () => {
    const { index, state, view } = window.pliant;
    state.set({ playing: false, frame: index.firstFrame(), regions: false, contours: false });
    view.closeUp();
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    const copy = document.createElement('canvas');
    [copy.width, copy.height] = [view.canvas.width, view.canvas.height];
    const pen = copy.getContext('2d');
    pen.drawImage(view.canvas, 0, 0);
    const { data } = pen.getImageData(0, 0, copy.width, copy.height);
    let red = 0;
    for (let i = 0; i < data.length; i += 4) if (data[i] > 200 && data[i + 1] < 110 && data[i + 2] < 90) red++;
    return { red, pairs: index.total[state.now.frame], milliseconds: Number(document.documentElement.dataset.contact) };
  });
  check(found.pairs > 0 && found.red > 20, `the first contact has ${found.pairs} pairs and ${found.red} red pixels`);
  console.log(`first contact ${found.milliseconds} ms after opening (load ${loadavg()[0].toFixed(1)})`);
  if (judged) check(found.milliseconds <= 2000, `the first contact takes ${found.milliseconds} ms`);
  await page.close();
}

// What is dropped shows what the tool's JSON says.
async function checkCase(name) {
  const path = join(cases, name);
  const files = readdirSync(path).filter((file) => !/^(report|settings)\.json$/.test(file)).map((file) => ({ name: file, bytes: readFileSync(join(path, file)) }));
  const page = await open('#spheres');
  await drop(page, files);
  const failed = await page.locator('#show .missing').allTextContents();
  check(failed.length === 0, `${name}: ${failed}`);
  if (failed.length === 0) {
    if (existsSync(join(path, 'settings.json'))) {
      const settings = JSON.parse(readFileSync(join(path, 'settings.json'), 'utf8'));
      if (settings.clip) await after(page, () => page.selectOption('#clip', settings.clip));
      if (settings.self) await after(page, () => page.check('#self'));
    }
    const pairs = await compareContacts(page, name, join(path, 'report.json'), check);
    const rows = await compareTable(page, name, join(path, 'report.json'), check);
    console.log(`${name}: ${pairs} pairs and ${rows} lines as in the JSON, ${await page.textContent('#status')}`);
  }
  await page.close();
}

// The slider counts what is close, another clip or a switch checks again, cancelling ends it.
async function checkSettings() {
  const page = await open('#dressed');
  const total = () => page.evaluate(() => window.pliant.index.total.reduce((sum, count) => sum + count, 0));
  const before = await total();
  const frame = await page.evaluate(() => { window.pliant.state.set({ playing: false, frame: 7 }); return 7; });
  await after(page, () => page.locator('#clearance').fill('20'));
  check(await total() > before, 'a clearance finds no more pairs');
  check(await page.evaluate(() => window.pliant.state.now.frame) === frame, 'a new check leaves the frame that was looked at');
  check(Number(await page.textContent('#distance')) > 0, 'the page does not say how large the clearance is');
  await after(page, () => page.locator('#clearance').fill('0'));
  check(await total() === before, 'a clearance that is taken back leaves something');
  await page.check('#self');
  await page.waitForSelector('.working:not([hidden])', { timeout: patience });
  await page.click('.working button');
  check((await page.textContent('#status')).startsWith('stopped'), 'cancelling does not stop the check');
  await after(page, () => page.locator('.choice', { hasText: 'Two spheres' }).click());
  check(await page.evaluate(() => window.pliant.data.title === 'two-spheres.glb'), 'after cancelling nothing else can be opened');
  await drop(page, [{ name: 'nonsense.glb', bytes: Buffer.from('nonsense') }]);
  check((await page.textContent('#show .missing')).includes('nonsense.glb'), `a bad file is not named: ${await page.textContent('#show')}`);
  await drop(page, [{ name: 'letter.txt', bytes: Buffer.from('hello') }]);
  check((await page.textContent('#show .missing')).includes('letter.txt'), `a file of another kind is not named: ${await page.textContent('#show')}`);
  await page.close();
}

const live = (page) => page.evaluate(() => {
  const { live: shown } = window.pliant;
  return { ...shown.frame().counts, rate: shown.rate(), touches: window.touches ?? 0, first: [...shown.frame().positions[0].slice(0, 600)] };
});

// The cape goes on, nothing passes through, and the pointer pulls at it.
async function checkCape() {
  const page = await open('#cape');
  await page.evaluate(() => {
    window.touches = 0;
    const { engine } = window.pliant.playground, { onFrame } = engine;
    engine.onFrame = (frame) => { window.touches += frame.counts.touching; onFrame(frame); };
  });
  const begun = Date.now();
  await page.waitForFunction((wanted) => window.pliant.live.frame().counts.seconds >= wanted, Number(seconds), { timeout: 600000, polling: 200 });
  const found = await live(page);
  const rate = 1000 * found.steps / (Date.now() - begun);
  check(found.touches === 0, `${found.touches} pairs of triangles of the cape touch`);
  check(found.held > 20, `only ${found.held} vertices rest on the figure`);
  console.log(`cape: ${found.steps} steps, ${rate.toFixed(0)} a second (load ${loadavg()[0].toFixed(1)})`);
  if (judged) check(rate >= 120, `the cape goes on by ${rate} steps a second`);
  // The nearest place to the middle of the picture where the cape is.
  await page.keyboard.press('v');
  const spot = await page.evaluate(() => {
    const { stage } = window.pliant.live;
    const box = stage.canvas.getBoundingClientRect();
    for (let i = 0; i < 400; i++) {
      const x = box.width / 2 + 0.5 * i * Math.cos(2.4 * i), y = 0.35 * box.height + 0.5 * i * Math.sin(2.4 * i);
      if (stage.hit(x, y)) return { x: x + box.left, y: y + box.top };
    }
    return null;
  });
  check(spot !== null, 'the cape is nowhere on the picture');
  if (spot) {
    const places = () => page.evaluate(() => [...window.pliant.live.frame().positions[0]]);
    const before = await places();
    await page.mouse.move(spot.x, spot.y);
    await page.mouse.down();
    await page.mouse.move(spot.x + 260, spot.y - 60, { steps: 4 });
    const from = (await live(page)).steps;
    await page.waitForFunction((start) => window.pliant.live.frame().counts.steps > start + 60, from, { timeout: patience, polling: 100 });
    const now = await places();
    await page.mouse.up();
    let most = 0;
    for (let i = 0; i < now.length; i += 3) most = Math.max(most, Math.hypot(...[0, 1, 2].map((k) => now[i + k] - before[i + k])));
    check(most > 0.25, `pulling moves the cape by ${most} metres at most`);
    check((await live(page)).touches === 0, 'pulling makes something pass through');
  }
  await page.keyboard.press(' ');
  const still = (await live(page)).steps;
  await page.waitForTimeout(300);
  check((await live(page)).steps - still <= 24, 'the space bar does not stop it');
  await page.close();
}

// A chair that is struck moves.
async function checkChairs() {
  const page = await open('#chairs');
  await page.waitForFunction(() => window.pliant.live.frame().counts.steps > 60, undefined, { timeout: patience, polling: 100 });
  const moves = () => page.evaluate(async () => {
    const at = window.pliant.live.frame().positions.map((p) => [p[0], p[1], p[2]]);
    const { steps } = window.pliant.live.frame().counts;
    while (window.pliant.live.frame().counts.steps < steps + 12) await new Promise((done) => setTimeout(done, 20));
    return Math.max(...window.pliant.live.frame().positions.map((p, i) => Math.hypot(p[0] - at[i][0], p[1] - at[i][1], p[2] - at[i][2])));
  });
  await page.waitForFunction(() => window.pliant.live.frame().counts.steps > 1200 || window.pliant.live.frame().counts.held > 0, undefined, { timeout: patience, polling: 100 });
  await page.keyboard.press('s');
  check(await moves() > 0.01, 'a chair that is struck stays where it is');
  check((await live(page)).touching >= 0, 'nothing is said about what touches');
  await page.close();
}

// On a phone, in the light: nothing sticks out sideways.
async function checkPhone() {
  for (const hash of ['', '#cape']) {
    const page = await open(hash, { viewport: { width: 390, height: 844 }, colorScheme: 'light', hasTouch: true, isMobile: true });
    const { wide, theme } = await page.evaluate(() => ({ wide: document.documentElement.scrollWidth, theme: document.documentElement.dataset.theme }));
    check(wide <= 390, `${wide} pixels wide on a screen of 390 (${hash})`);
    check(theme === 'light', 'a page for the light is dark');
    await page.close();
  }
}

const parts = [checkOpening, checkSettings, checkCape, checkChairs, checkPhone];
const names = existsSync(cases) ? readdirSync(cases).filter((name) => existsSync(join(cases, name, 'report.json'))).sort() : [];
for (const part of [...parts, ...names.map((name) => () => checkCase(name))]) {
  try {
    await part();
  } catch (error) {
    check(false, error.message);
  }
}
await browser.close();
end();
process.exit(failures > 0 ? 1 : 0);
