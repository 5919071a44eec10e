// npm start: everything from a fresh clone to a page.
import { ensureBuilt, ensureInstalled } from './set-up.mjs';

ensureInstalled();
ensureBuilt();
process.argv.splice(2, 0, 'serve');
await import('../dist/server/barometer.js');
