// Installs and builds everything that a command needs: packages, a build, a browser. Plain JavaScript without packages,
// because it runs before any is installed.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
// Not by name: an old Node must reach the sentence about its version.
import util from 'node:util';
import { compressBelow } from './compress.mjs';
import { npmCommand } from './programs.mjs';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));
const OLDEST_NODE = [20, 19];

/** Prints one plain sentence and ends the process. */
function fail(sentence, code = 1) {
  console.error(sentence);
  process.exit(code);
}

/**
 * Runs a set-up step in the project's folder and returns its exit code. Its output goes to standard error, because the
 * output of the command itself may be data.
 */
function run(program, parameters, environment = {}) {
  const result = spawnSync(program, parameters, {
    cwd: ROOT,
    stdio: ['inherit', 2, 2],
    env: { ...process.env, ...environment },
  });
  if (result.error) fail(`${program} could not be started: ${result.error.message}`);
  return result.status ?? 1;
}

/**
 * Stops this process when the shell in which npm started it has ended: SIGTERM to npm ends npm and that shell, which does not
 * forward it. Calls the listeners, because a real second SIGTERM would end the process before its database.
 */
export function stopWithNpm() {
  if (process.env.npm_lifecycle_event === undefined) return;
  const shell = process.ppid;
  const stop = () => {
    if (process.ppid !== shell) process.emit('SIGTERM', 'SIGTERM');
  };
  setInterval(stop, 500).unref();
}

function checkNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = OLDEST_NODE;
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return;
  fail(`This is Node ${process.versions.node}. Install Node ${OLDEST_NODE.join('.')} or newer.`);
}

const digest = (text) => createHash('sha256').update(text).digest('hex');

/** Installs the locked packages when they are missing or the lock file has changed since. */
export function ensureInstalled() {
  checkNode();
  const stamp = join(ROOT, 'node_modules', '.barometer-lock');
  const lock = digest(readFileSync(join(ROOT, 'package-lock.json')));
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return;
  console.error('Installing packages …');
  const [npm, ...script] = npmCommand();
  const status = run(npm, [...script, 'ci', '--include=dev', '--no-audit', '--no-fund']);
  if (status !== 0)
    fail(
      'The packages could not be installed. Correct the error in the lines above, then run the command again.',
    );
  writeFileSync(stamp, lock);
}

const SOURCES = ['src', 'scripts', 'package-lock.json', 'vite.config.ts', 'vite.server.config.ts'];
const IS_TEST = /\.test\.tsx?$/;

function* filesBelow(path) {
  if (!existsSync(path)) return;
  if (!statSync(path).isDirectory()) {
    yield path;
    return;
  }
  for (const name of readdirSync(path).sort()) yield* filesBelow(join(path, name));
}

/** The settings in .env; none without the file. */
function settingsInFile() {
  try {
    return util.parseEnv(readFileSync(join(ROOT, '.env'), 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT') return {};
    return fail(`.env cannot be read (${error.code}). It must be a file that this user may read.`);
  }
}

function sourceDigest() {
  const hash = createHash('sha256');
  for (const source of SOURCES) {
    for (const file of filesBelow(join(ROOT, source))) {
      if (!IS_TEST.test(file)) hash.update(file).update(readFileSync(file));
    }
  }
  // The build contains these settings, and no others.
  for (const [name, value] of Object.entries({ ...settingsInFile(), ...process.env }).sort()) {
    if (name.startsWith('VITE_')) hash.update(`${name}=${value}`);
  }
  return hash.digest('hex');
}

/** Builds the page and the server with Vite's `logLevel`. Throws if a build fails. */
export async function build(logLevel) {
  // With 'test', which a test runner sets, Vite would build the development version of React.
  process.env.NODE_ENV = 'production';
  const { build: viteBuild } = await import('vite');
  await viteBuild({ configFile: join(ROOT, 'vite.config.ts'), logLevel });
  await viteBuild({ configFile: join(ROOT, 'vite.server.config.ts'), logLevel });
  await compressBelow(join(ROOT, 'dist', 'client'));
  mkdirSync(join(ROOT, 'dist'), { recursive: true });
  writeFileSync(join(ROOT, 'dist', '.sources'), sourceDigest());
}

/**
 * Builds if there is no build of the current sources. The build is a child process, so that its memory is free again before
 * the server starts.
 */
export function ensureBuilt() {
  const stamp = join(ROOT, 'dist', '.sources');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === sourceDigest()) return;
  console.error('Building …');
  const status = run(process.execPath, [join(ROOT, 'scripts', 'build.mjs'), '--quiet']);
  if (status !== 0)
    fail('The build failed. Correct the error in the lines above, then run the command again.');
}

/** Debian's Chromium without windows, which takes a third less CPU time per page. */
const WINDOWLESS = '/usr/bin/chromium-headless-shell';

const BROWSERS = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe',
  WINDOWLESS,
];

/** Path of an installed browser for the tests; undefined without one. `CHROME_PATH` overrides. */
export function findBrowser() {
  const named = process.env.CHROME_PATH;
  return [...(named ? [named] : []), ...BROWSERS].find((path) => existsSync(path));
}

/** True once this process has run `apt-get update`. */
let isLookedUp = false;

/** Debian runs this program to learn if a package may start its service. */
const POLICY = '/usr/sbin/policy-rc.d';

/**
 * Runs a step while Debian refuses to start the services of packages. Changes nothing if the machine has its own policy
 * program.
 */
export function withoutServices(step, policy = POLICY) {
  if (existsSync(policy)) return step();
  // With a handler, a signal ends this process after the policy program is removed, not before.
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
  writeFileSync(policy, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    return step();
  } finally {
    rmSync(policy);
  }
}

/**
 * Installs Debian packages, without starting their services, if this process is root on Debian. Returns true if that
 * succeeded.
 */
export function installDebianPackages(names) {
  const isRoot = process.getuid?.() === 0;
  if (!isRoot || !existsSync('/usr/bin/apt-get')) return false;
  const quietly = { DEBIAN_FRONTEND: 'noninteractive' };
  if (!isLookedUp) isLookedUp = run('apt-get', ['update', '-qq'], quietly) === 0;
  const parameters = ['install', '-y', '-qq', '--no-install-recommends', ...names];
  return withoutServices(() => run('apt-get', parameters, quietly)) === 0;
}

/**
 * Path of the browser for the tests; undefined if there is none and none can be installed. Prefers a headless build,
 * because a suite opens a thousand pages.
 */
export function findTestBrowser() {
  if (process.env.CHROME_PATH) return findBrowser();
  if (!existsSync(WINDOWLESS)) installDebianPackages(['chromium-headless-shell']);
  if (existsSync(WINDOWLESS)) return WINDOWLESS;
  const found = findBrowser();
  if (found !== undefined) return found;
  installDebianPackages(['chromium']);
  return findBrowser();
}

/** The sentence for a machine without a browser. */
export const NO_BROWSER = 'No browser was found: install Chromium or Chrome, or set CHROME_PATH to one.';

/** Ends the process if there is no browser. */
export function ensureBrowser() {
  if (findTestBrowser() === undefined) fail(NO_BROWSER);
}
