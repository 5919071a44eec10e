// npm start: installs, builds and serves, also from a fresh clone.
import { ensureBuilt, ensureInstalled, stopWithNpm } from './set-up.mjs';

stopWithNpm();
ensureInstalled();
ensureBuilt();
process.argv.splice(2, 0, 'serve');
await import('../dist/server/barometer.js');
