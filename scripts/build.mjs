import { build, ensureInstalled } from './set-up.mjs';

ensureInstalled();
await build(process.argv.includes('--quiet') ? 'error' : 'info');
