// The cape of the playground without a page: it holds, and how fast.
//
//   node web/test/cape.mjs FOLDER SECONDS
//
// FOLDER has the module that scripts/playground builds. Every fourth step is looked at. Speed is in steps per
// second of processor time, whatever else the machine does; from 20 seconds on at least 120 are asked for.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { WASI } from 'node:wasi';

const [folder, seconds] = process.argv.slice(2);
const wasi = new WASI({ version: 'preview1' });
const module = await WebAssembly.compile(readFileSync(join(folder, 'pliant.wasm')));
const instance = await WebAssembly.instantiate(module, { ...wasi.getImportObject(), env: { progress() {} } });
wasi.initialize(instance);
const cape = instance.exports;
const counts = () => new Float64Array(cape.memory.buffer, cape.live_get_counts(), 6);
let failures = 0;

function check(condition, message) {
  if (!condition) {
    failures++;
    console.error(`FAILED: ${message}`);
  }
}

check(cape.live_begin(0, 2500), 'the cape cannot be made');
const triangles = cape.live_triangle_count(0);
check(triangles > 2300 && triangles < 2700, `the cape has ${triangles} triangles`);
const steps = Math.round(240 * Number(seconds));
const begun = process.cpuUsage();
let touching = 0;
for (let i = 0; i < steps; i++) {
  check(cape.live_step(), `step ${i} fails`);
  if (i % 4 === 3) {
    check(cape.live_look(), `after step ${i} it cannot be looked at`);
    touching += counts()[2];
  }
}
const { user, system } = process.cpuUsage(begun);
const rate = steps / ((user + system) / 1e6);
check(touching === 0, `${touching} pairs of triangles touch`);
check(counts()[0] === steps && counts()[3] > 20, `after ${steps} steps ${counts()[3]} vertices rest on the figure`);
console.log(`cape of ${triangles} triangles: ${steps} steps, ${rate.toFixed(0)} per second of processor time, ${touching} pairs touching, late ${counts()[5]}`);
if (Number(seconds) >= 20) check(rate >= 120, `${rate} steps a second`);
process.exit(failures > 0 ? 1 : 0);
