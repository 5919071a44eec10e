// npm run bench [-- name …]: bundles the benches, which are TypeScript, and runs them.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { bundle } from './bundle.mjs';
import { ensureBuilt, ensureInstalled, ROOT } from './set-up.mjs';

ensureInstalled();
const names = process.argv.slice(2);
// Benchmarks measure the build, so the build must be current.
if (!names.every((name) => name.startsWith('--')) || names.length === 0) ensureBuilt();
const outDir = join(ROOT, '.tsbuild', 'bench');
await bundle(outDir, {
  bench: join(ROOT, 'bench', 'main.ts'),
  // A module that is preloaded into the measured server.
  'day-clock': join(ROOT, 'bench', 'day-clock.ts'),
  // Child processes that benchmarks measure.
  'mail-child': join(ROOT, 'tests', 'support', 'mail-child.ts'),
  'load-server': join(ROOT, 'bench', 'load-server.ts'),
  'load-generator': join(ROOT, 'bench', 'load-generator.ts'),
});
const bench = spawn(process.execPath, [join(outDir, 'bench.js'), ...names], {
  cwd: ROOT,
  stdio: 'inherit',
  env: { ...process.env, NODE_ENV: 'production' },
});
// On a signal, waits for the benchmark to clean up.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => bench.kill(signal));
process.exitCode = await new Promise((resolve) => bench.once('close', (code) => resolve(code ?? 1)));
