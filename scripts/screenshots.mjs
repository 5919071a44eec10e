// npm run screenshots [-- --before COMMIT] [state …]: pictures of every state of each page at every width in both themes, into
// screenshots/after, and into screenshots/before those of COMMIT. screenshots/index.html shows them side by side.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { bundle } from './bundle.mjs';
import { ensureBrowser, ensureBuilt, ensureInstalled, ROOT } from './set-up.mjs';

const OUT = join(ROOT, '.tsbuild', 'screenshots');
// Below the project's folder, so that imports of packages resolve to its node_modules.
const CHECKOUT = join(ROOT, '.tsbuild', 'before');
const SAMPLES = join('tests', 'support', 'picture-samples');

function run(program, parameters, cwd) {
  const { status, error } = spawnSync(program, parameters, { cwd, stdio: 'inherit' });
  if (error) throw error;
  if (status !== 0) throw new Error(`${program} ${parameters.join(' ')} failed. Correct the error above.`);
}

function removeCheckout() {
  rmSync(CHECKOUT, { recursive: true, force: true });
  run('git', ['worktree', 'prune'], ROOT);
}

/** Checks out a commit and builds it with the packages of this checkout. */
function buildBefore(commit) {
  // An interrupted run leaves its checkout.
  removeCheckout();
  run('git', ['worktree', 'add', '--detach', CHECKOUT, commit], ROOT);
  // The build writes a temporary folder into it.
  mkdirSync(join(CHECKOUT, 'node_modules'));
  const program = "import('./scripts/set-up.mjs').then(({ build }) => build('error'))";
  run(process.execPath, ['--input-type=module', '--eval', program], CHECKOUT);
  cpSync(join(ROOT, SAMPLES), join(CHECKOUT, SAMPLES), { recursive: true });
}

/** The sample pages that the code of a checkout renders. Prints the sample files for which it lacks code. */
async function samplesOf(name, root) {
  const samples = {};
  for (const file of readdirSync(join(root, SAMPLES))) {
    const part = basename(file, '.ts');
    try {
      const folder = join(OUT, name, part);
      await bundle(folder, { [part]: join(root, SAMPLES, file) });
      Object.assign(samples, (await import(pathToFileURL(join(folder, `${part}.js`)).href)).pages);
    } catch (error) {
      if (name === 'after') throw error;
      console.log(`${file}: its pages are not in the build before (${String(error.message).split('\n')[0]})`);
    }
  }
  return samples;
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { before: { type: 'string' } },
});
const { before } = values;
ensureInstalled();
ensureBuilt();
ensureBrowser();

// The states are defined in TypeScript files of the tests, which have to be bundled.
// Do not bundle set-up.mjs: it derives the project's folder from its own path.
const entries = { screenshots: join(ROOT, 'tests', 'support', 'screenshots.ts') };
await bundle(OUT, entries, /set-up\.mjs$/);
const { takeScreenshots } = await import(pathToFileURL(join(OUT, 'screenshots.js')).href);
const after = { name: 'after', title: 'this checkout', root: ROOT };
const builds = [{ ...after, samples: await samplesOf('after', ROOT) }];
try {
  if (before !== undefined) {
    console.log(`Building ${before} …`);
    buildBefore(before);
    const samples = await samplesOf('before', CHECKOUT);
    builds.unshift({ name: 'before', title: before, root: CHECKOUT, samples });
  }
  await takeScreenshots(positionals, builds);
} finally {
  if (before !== undefined) removeCheckout();
}
