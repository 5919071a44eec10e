// npm run build: the page into dist/client, the server and the commands into dist/server.
import { build, ensureInstalled } from './set-up.mjs';

ensureInstalled();
try {
  await build(process.argv.includes('--quiet') ? 'error' : 'info');
} catch (error) {
  // The message names the wrong setting or source file; a stack trace of the builder adds nothing.
  console.error(error.message);
  process.exitCode = 1;
}
