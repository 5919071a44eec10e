// npm run barometer -- <command>: builds if the sources changed, then runs a command.
import { ensureBuilt, ensureInstalled } from './set-up.mjs';

ensureInstalled();
ensureBuilt();
await import('../dist/server/barometer.js');
