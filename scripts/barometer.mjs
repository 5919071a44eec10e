// npm run barometer -- <command>: builds if the sources changed, then runs a command.
import { ensureBuilt, ensureInstalled, stopWithNpm } from './set-up.mjs';

stopWithNpm();
ensureInstalled();
ensureBuilt();
await import('../dist/server/barometer.js');
