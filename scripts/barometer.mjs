// npm run barometer -- <command>: one of the product's commands, from a build of the sources as they are.
import { ensureBuilt, ensureInstalled } from './set-up.mjs';

ensureInstalled();
ensureBuilt();
await import('../dist/server/barometer.js');
