// npm run bench [-- name …]: bundles the benches, which are TypeScript, and runs them.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ensureInstalled, ROOT } from './set-up.mjs';

ensureInstalled();
const { build } = await import('vite');
const outDir = join(ROOT, '.tsbuild', 'bench');
await build({
  configFile: false,
  root: ROOT,
  logLevel: 'warn',
  publicDir: false,
  build: {
    ssr: true,
    outDir,
    emptyOutDir: true,
    target: 'node20',
    rolldownOptions: {
      input: {
        bench: join(ROOT, 'bench', 'main.ts'),
        'embedded-worker': join(ROOT, 'src', 'database', 'embedded', 'worker.ts'),
      },
      output: { entryFileNames: '[name].js' },
    },
  },
});
const parameters = [join(outDir, 'bench.js'), ...process.argv.slice(2)];
process.exitCode = spawnSync(process.execPath, parameters, { cwd: ROOT, stdio: 'inherit' }).status ?? 1;
