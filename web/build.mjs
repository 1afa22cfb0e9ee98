// Builds the page into one HTML file and that into a C header for the tool.
//
//   node web/build.mjs PATH/page_template.h [PATH/page.html]
import { writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

const root = dirname(fileURLToPath(import.meta.url));
const [header, page] = process.argv.slice(2);
if (!header) {
  console.error('usage: node web/build.mjs PATH/page_template.h [PATH/page.html]');
  process.exit(2);
}

const result = await build({
  root,
  configFile: false,
  logLevel: 'error',
  build: {
    write: false,
    target: 'es2022',
    modulePreload: false,
    cssCodeSplit: false,
    assetsInlineLimit: 1e9,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1e9,
  },
});

const files = (Array.isArray(result) ? result[0] : result).output;
const scripts = files.filter((file) => file.type === 'chunk');
const styles = files.filter((file) => file.fileName.endsWith('.css'));
let html = String(files.find((file) => file.fileName === 'index.html').source);
if (scripts.length !== 1 || styles.length !== 1) {
  throw new Error(`one script and one style expected, not ${files.map((f) => f.fileName)}`);
}

// Everything goes inside; nothing may end the elements early.
const script = scripts[0].code.replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');
html = html.replace(/<script type="module"[^>]*src="[^"]*"[^>]*><\/script>\s*/, '');
html = html.replace(/<link rel="stylesheet"[^>]*>/, () => `<style>${styles[0].source}</style>`);
html = html.replace('</body>', () => `<script type="module">${script}</script>\n</body>`);

const marks = ['PLIANT-TITLE', 'PLIANT-EXTRA', 'PLIANT-DATA'].map((mark) => html.indexOf(mark));
if (marks.some((at, i) => at < 0 || (i > 0 && at < marks[i - 1]))) {
  throw new Error('the places to fill in are missing or in another order');
}

const bytes = Buffer.from(html, 'utf8');
const lines = [];
for (let at = 0; at < bytes.length; at += 24) {
  lines.push(`${[...bytes.subarray(at, at + 24)].join(',')},`);
}
await writeFile(header, [
  '/* Made from web/ by web/build.mjs. */',
  '#include <stddef.h>',
  'static const unsigned char page_template[] = {',
  ...lines,
  '};',
  'static const size_t page_template_size = sizeof page_template;',
  '',
].join('\n'));
if (page) await writeFile(page, bytes);
