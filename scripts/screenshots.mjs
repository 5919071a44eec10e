// npm run screenshots [-- state …]: a picture of every state of the page at every width, into screenshots/.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundle } from './bundle.mjs';
import { ensureBrowser, ensureBuilt, ensureInstalled, ROOT } from './set-up.mjs';

ensureInstalled();
ensureBuilt();
ensureBrowser();

// The states of the page are defined in TypeScript files of the tests, which have to be bundled.
const outDir = join(ROOT, '.tsbuild', 'screenshots');
const entries = { screenshots: join(ROOT, 'tests', 'support', 'screenshots.ts') };
// Do not bundle set-up.mjs: it derives the project's folder from its own path.
await bundle(outDir, entries, /set-up\.mjs$/);
const { takeScreenshots } = await import(pathToFileURL(join(outDir, 'screenshots.js')).href);
await takeScreenshots(process.argv.slice(2));
