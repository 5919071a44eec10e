// npm run build: the page into dist/client, the server and the commands into dist/server.
import { build, ensureInstalled } from './set-up.mjs';

ensureInstalled();
await build(process.argv.includes('--quiet') ? 'error' : 'info');
