// Builds the page into one HTML file, tool/report/page.html, which is kept in the repository, so
// that nobody needs Node to build the tool. The script in it is compressed; the page unpacks it.
//
//   node web/build.mjs            writes the page
//   node web/build.mjs --check    fails if the page that is kept is not what web/ builds into
import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { build } from 'vite';

const root = dirname(fileURLToPath(import.meta.url));
const kept = join(root, '../tool/report/page.html');
const usage = 'usage: node web/build.mjs [--check]';
const check = process.argv[2] === '--check';
if (process.argv.length > (check ? 3 : 2)) {
  console.error(usage);
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

// Runs in the browser: unpacks the script and starts it as a module.
const start = `(async () => {
  try {
    const packed = Uint8Array.from(atob(document.getElementById('pliant-script').textContent), (c) => c.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
    const script = document.createElement('script');
    script.type = 'module';
    script.textContent = await new Response(stream).text();
    document.body.append(script);
  } catch (error) {
    document.getElementById('page').textContent = 'This page could not be unpacked: ' + error.message;
    throw error;
  }
})();`;

html = html.replace(/<script type="module"[^>]*src="[^"]*"[^>]*><\/script>\s*/, '');
html = html.replace(/<link rel="stylesheet"[^>]*>/, () => `<style>${styles[0].source}</style>`);
html = html.replace('</body>', () => `<script type="text/plain" id="pliant-script">PLIANT-SCRIPT</script>\n<script>${start}</script>\n</body>`);
const marks = ['PLIANT-TITLE', 'PLIANT-EXTRA', 'PLIANT-DATA', 'PLIANT-SCRIPT'].map((mark) => html.indexOf(mark));
if (marks.some((at, i) => at < 0 || (i > 0 && at < marks[i - 1]))) {
  throw new Error('the places to fill in are missing or in another order');
}

const code = scripts[0].code;
if (check) {
  // Compressed bytes may differ by the version of Node; what they unpack to may not.
  const page = await readFile(kept, 'utf8');
  const [before, after] = html.split('PLIANT-SCRIPT');
  const packed = page.slice(before.length, page.length - after.length);
  const same = page.startsWith(before) && page.endsWith(after)
    && inflateRawSync(Buffer.from(packed, 'base64')).toString('utf8') === code;
  if (!same) {
    console.error('tool/report/page.html is not what web/ builds into; `make web` builds it anew');
    process.exit(1);
  }
} else {
  const packed = deflateRawSync(Buffer.from(code, 'utf8'), { level: 9 }).toString('base64');
  await writeFile(kept, html.replace('PLIANT-SCRIPT', () => packed));
}
