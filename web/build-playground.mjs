// Builds the playground: one page, its script, its worker and its style, into a folder that has the
// module already (scripts/playground).
//
//   node web/build-playground.mjs FOLDER
import { readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';

if (process.argv.length !== 3) {
  console.error('usage: node web/build-playground.mjs FOLDER');
  process.exit(2);
}
const root = dirname(fileURLToPath(import.meta.url));
const folder = resolve(process.argv[2]);

// What an earlier build left, whose names say what is in them.
await rm(join(folder, 'assets'), { recursive: true, force: true });
await build({
  root,
  base: './',
  configFile: false,
  logLevel: 'error',
  worker: { format: 'es' },
  build: {
    outDir: folder,
    emptyOutDir: false,
    target: 'es2022',
    modulePreload: false,
    reportCompressedSize: false,
    chunkSizeWarningLimit: 1e9,
    rollupOptions: { input: join(root, 'playground.html') },
  },
});
// The module is asked for before the script that needs it is there.
const html = await readFile(join(folder, 'playground.html'), 'utf8');
await writeFile(join(folder, 'index.html'),
  html.replace('</title>', '</title>\n<link rel="preload" href="pliant.wasm" as="fetch" type="application/wasm" crossorigin>'));
await rm(join(folder, 'playground.html'));
const files = await readdir(folder, { recursive: true, withFileTypes: true });
if (!files.some((file) => file.name === 'pliant.wasm')) {
  throw new Error('the folder has no pliant.wasm; scripts/playground builds it');
}
