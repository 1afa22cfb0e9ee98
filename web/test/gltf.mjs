// Validates .glb files with Khronos' validator: no errors and no warnings.
//
//   node web/test/gltf.mjs FILE...
import { readFile } from 'node:fs/promises';
import { validateBytes } from 'gltf-validator';

let failures = 0;
for (const path of process.argv.slice(2)) {
  const report = await validateBytes(new Uint8Array(await readFile(path)), { maxIssues: 20 });
  const { numErrors, numWarnings, messages } = report.issues;
  if (numErrors + numWarnings > 0) {
    failures++;
    console.error(`FAILED: ${path}: ${numErrors} errors, ${numWarnings} warnings`);
    for (const message of messages.filter((m) => m.severity < 2).slice(0, 5)) {
      console.error(`  ${message.code} ${message.pointer}: ${message.message}`);
    }
  }
}
process.exit(failures > 0 ? 1 : 0);
