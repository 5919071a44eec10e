// npm run screenshots [-- state …]: a picture of every state of the page at every width, into screenshots/.
import { join } from 'node:path';
import { ensureBrowser, ensureBuilt, ensureInstalled, ROOT } from './set-up.mjs';

ensureInstalled();
ensureBuilt();
await ensureBrowser();

// The states are the tests' own, which are TypeScript.
const { build } = await import('vite');
const outDir = join(ROOT, '.tsbuild', 'screenshots');
await build({
  configFile: false,
  root: ROOT,
  logLevel: 'warn',
  publicDir: false,
  build: {
    ssr: join(ROOT, 'tests', 'support', 'screenshots.ts'),
    outDir,
    emptyOutDir: true,
    target: 'node20',
    // It knows the project's folder by its own place.
    rolldownOptions: { external: /set-up\.mjs$/, output: { entryFileNames: 'screenshots.js' } },
  },
});
const { takeScreenshots } = await import(join(outDir, 'screenshots.js'));
await takeScreenshots(process.argv.slice(2));
