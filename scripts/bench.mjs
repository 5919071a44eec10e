// npm run bench [-- name …]: bundles the benches, which are TypeScript, and runs them.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { bundle } from './bundle.mjs';
import { ensureInstalled, ROOT } from './set-up.mjs';

ensureInstalled();
const outDir = join(ROOT, '.tsbuild', 'bench');
await bundle(outDir, {
  bench: join(ROOT, 'bench', 'main.ts'),
  'embedded-worker': join(ROOT, 'src', 'database', 'embedded', 'worker.ts'),
  // Processes of their own, to be measured or killed.
  'live-run': join(ROOT, 'bench', 'live-run.ts'),
  'live-child': join(ROOT, 'tests', 'support', 'live-child.ts'),
  'mail-child': join(ROOT, 'tests', 'support', 'mail-child.ts'),
  'embedded-child': join(ROOT, 'tests', 'support', 'embedded-child.ts'),
});
const parameters = [join(outDir, 'bench.js'), ...process.argv.slice(2)];
process.exitCode = spawnSync(process.execPath, parameters, { cwd: ROOT, stdio: 'inherit' }).status ?? 1;
