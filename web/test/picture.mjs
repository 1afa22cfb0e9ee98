// Takes a picture of a page.
//
//   node web/test/picture.mjs CHROMIUM PAGE.html PICTURE.png WIDTH HEIGHT light|dark [CHOICES]
//
// CHOICES is JSON of what to show, for example {"level":2,"translucent":true}; "closeUp" moves near.
import { resolve } from 'node:path';
import { chromium } from 'playwright-core';

const [executablePath, page, picture, width, height, colorScheme, choices = '{}'] = process.argv.slice(2);
const browser = await chromium.launch({
  executablePath,
  args: ['--no-sandbox', '--use-gl=angle', '--use-angle=gl-egl', '--ignore-gpu-blocklist', '--hide-scrollbars'],
});
const tab = await browser.newPage({ viewport: { width: Number(width), height: Number(height) }, colorScheme });
await tab.goto(`file://${resolve(page)}`);
await tab.waitForSelector('html[data-ready]', { timeout: 60000 });
await tab.evaluate(async (wanted) => {
  const { closeUp, ...rest } = wanted;
  window.pliant.state?.set(rest);
  window.pliant.view?.home();
  if (closeUp) window.pliant.view.closeUp();
  for (let i = 0; i < 4; i++) await new Promise((done) => requestAnimationFrame(done));
}, JSON.parse(choices));
await tab.screenshot({ path: picture });
await browser.close();
