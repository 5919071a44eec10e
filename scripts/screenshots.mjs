// npm run screenshots [-- state …]: a picture of every state of the page at every width, into screenshots/.
import { join } from 'node:path';
import { bundle } from './bundle.mjs';
import { ensureBrowser, ensureBuilt, ensureInstalled, ROOT } from './set-up.mjs';

ensureInstalled();
ensureBuilt();
await ensureBrowser();

// The states are the tests' own, which are TypeScript.
const outDir = join(ROOT, '.tsbuild', 'screenshots');
const entries = { screenshots: join(ROOT, 'tests', 'support', 'screenshots.ts') };
// The set-up knows the project's folder by its own place.
await bundle(outDir, entries, /set-up\.mjs$/);
const { takeScreenshots } = await import(join(outDir, 'screenshots.js'));
await takeScreenshots(process.argv.slice(2));
