// npm run screenshots [-- state …]: a picture of every state of the page at every width, into screenshots/.
import { join } from 'node:path';
import { bundle } from './bundle.mjs';
import { ensureBrowser, ensureBuilt, ensureInstalled, ROOT } from './set-up.mjs';

ensureInstalled();
ensureBuilt();
await ensureBrowser();

// The states are in the TypeScript of the tests.
const outDir = join(ROOT, '.tsbuild', 'screenshots');
const entries = { screenshots: join(ROOT, 'tests', 'support', 'screenshots.ts') };
// The bundled set-up derives the project's folder from its own path.
await bundle(outDir, entries, /set-up\.mjs$/);
const { takeScreenshots } = await import(join(outDir, 'screenshots.js'));
await takeScreenshots(process.argv.slice(2));
