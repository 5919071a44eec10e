// npm run node-versions [-- 24 26]: on newer versions of Node, in a copy of the last commit: installs, builds, fills a
// database, serves a page, and runs the unit tests.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { installNode, npmScript } from './programs.mjs';
import { ROOT } from './set-up.mjs';

const TESTED = ['24', '26'];
/** Time limit of a server for its first page (ms). */
const START_MS = 120_000;

/** Runs a step. Its output is shown only if it fails. Returns true if it succeeded. */
function step(name, [program, ...parameters], options) {
  const { status, stdout, stderr, error } = spawnSync(program, parameters, { encoding: 'utf8', ...options });
  console.log(`  ${name}: ${status === 0 ? 'passed' : 'failed'}`);
  if (status !== 0) console.log(error?.message ?? `${stdout}${stderr}`);
  return status === 0;
}

/** Starts the server of the copy and waits for its page. Returns true if the page arrives in time. */
async function serves(node, copy, environment) {
  const child = spawn(node, [join('scripts', 'start.mjs')], { cwd: copy, env: environment });
  const ended = new Promise((resolve) => child.once('close', resolve));
  let output = '';
  const address = new Promise((resolve) => {
    const read = (chunk) => {
      output += chunk;
      const [, url] = / is at (http:\/\/127\.0\.0\.1:\d+)/.exec(output) ?? [];
      if (url !== undefined) resolve(url);
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.once('close', () => resolve(undefined));
    setTimeout(resolve, START_MS).unref();
  });
  const url = await address;
  const page = url === undefined ? '' : await (await fetch(url)).text();
  child.kill();
  await ended;
  const isServed = page.includes('barometer-data');
  console.log(`  start: ${isServed ? 'passed' : `failed\n${output}`}`);
  return isServed;
}

/** Runs all steps on one version of Node. Returns true if all succeeded. */
async function check(version) {
  const folder = mkdtempSync(join(tmpdir(), 'barometer-node-'));
  try {
    const node = installNode(version, folder);
    if (node === undefined) return false;
    const copy = join(folder, 'copy');
    const environment = {
      ...process.env,
      PATH: `${dirname(node)}${delimiter}${process.env.PATH}`,
      PORT: '0',
    };
    const options = { cwd: copy, env: environment };
    const script = (name) => [node, join('scripts', name)];
    console.log(`Node ${spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout.trim()}`);
    return (
      step('clone', ['git', 'clone', '--quiet', ROOT, copy], {}) &&
      step('install', [node, npmScript(), 'ci', '--no-audit', '--no-fund'], options) &&
      step('build', script('build.mjs'), options) &&
      step('collect', [...script('barometer.mjs'), 'collect'], options) &&
      (await serves(node, copy, environment)) &&
      step(
        'unit tests',
        [node, join('node_modules', 'vitest', 'vitest.mjs'), 'run', '--project', 'unit'],
        options,
      )
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const versions = process.argv.slice(2);
let failed = 0;
for (const version of versions.length > 0 ? versions : TESTED) {
  if (!(await check(version))) failed += 1;
}
process.exitCode = failed > 0 ? 1 : 0;
