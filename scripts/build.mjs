// npm run build: the page into dist/client, the server and the commands into dist/server.
import { build, ensureInstalled } from './set-up.mjs';

ensureInstalled();
try {
  await build(process.argv.includes('--quiet') ? 'error' : 'info');
} catch (error) {
  // Whether a setting is wrong or a source file, the message says it; where in the builder does not matter.
  console.error(error.message);
  process.exitCode = 1;
}
