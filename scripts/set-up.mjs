// Installs and builds everything that a command needs: packages, a build, a browser. Plain JavaScript without packages,
// because it runs before any is installed.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compressBelow } from './compress.mjs';

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

function checkNode() {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = OLDEST_NODE;
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return;
  fail(`Barometer needs Node ${OLDEST_NODE.join('.')} or newer; this is ${process.versions.node}.`);
}

const digest = (text) => createHash('sha256').update(text).digest('hex');

/** Installs the locked packages when they are missing or the lock file has changed since. */
export function ensureInstalled() {
  checkNode();
  const stamp = join(ROOT, 'node_modules', '.barometer-lock');
  const lock = digest(readFileSync(join(ROOT, 'package-lock.json')));
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) return;
  console.error('Installing packages …');
  const status = run('npm', ['ci', '--include=dev', '--no-audit', '--no-fund']);
  if (status !== 0)
    fail('The packages could not be installed. The lines above say why; then run this again.');
  writeFileSync(stamp, lock);
}

const SOURCES = ['src', 'scripts', 'package-lock.json', 'vite.config.ts', 'vite.server.config.ts', '.env'];
const IS_TEST = /\.test\.tsx?$/;

function* filesBelow(path) {
  if (!existsSync(path)) return;
  if (!statSync(path).isDirectory()) {
    yield path;
    return;
  }
  for (const name of readdirSync(path).sort()) yield* filesBelow(join(path, name));
}

function sourceDigest() {
  const hash = createHash('sha256');
  for (const source of SOURCES) {
    for (const file of filesBelow(join(ROOT, source))) {
      if (!IS_TEST.test(file)) hash.update(file).update(readFileSync(file));
    }
  }
  for (const [name, value] of Object.entries(process.env).sort()) {
    if (name.startsWith('VITE_')) hash.update(`${name}=${value}`);
  }
  return hash.digest('hex');
}

/** Builds the page and the server with Vite's `logLevel`. Throws if a build fails. */
export async function build(logLevel) {
  // A test runner sets this to 'test', and Vite would build React's development version for it.
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
  if (status !== 0) fail('The build failed. The lines above say why.');
}

const BROWSERS = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
];

/** Path of an installed browser for the tests; undefined without one. `CHROME_PATH` overrides. */
export async function findBrowser() {
  const named = process.env.CHROME_PATH;
  const found = [...(named ? [named] : []), ...BROWSERS].find((path) => existsSync(path));
  if (found) return found;
  const { chromium } = await import('playwright-core');
  return existsSync(chromium.executablePath()) ? chromium.executablePath() : undefined;
}

/** True once this process has run `apt-get update`. */
let isLookedUp = false;

/** Installs Debian packages if this process is root on Debian. Returns true if that succeeded. */
export function installDebianPackages(names) {
  const isRoot = process.getuid?.() === 0;
  if (!isRoot || !existsSync('/usr/bin/apt-get')) return false;
  const quietly = { DEBIAN_FRONTEND: 'noninteractive' };
  if (!isLookedUp) isLookedUp = run('apt-get', ['update', '-qq'], quietly) === 0;
  return run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...names], quietly) === 0;
}

/** Finds a browser, or installs one: Debian's for root on Debian, otherwise Playwright's. */
export async function ensureBrowser() {
  const found = await findBrowser();
  if (found) return found;
  console.error('Installing a browser for the tests …');
  if (!installDebianPackages(['chromium'])) {
    run(process.execPath, [join(ROOT, 'node_modules', 'playwright-core', 'cli.js'), 'install', 'chromium']);
  }
  const installed = await findBrowser();
  if (!installed)
    fail('No browser could be installed. Install Chromium or Chrome, or set CHROME_PATH to one.');
  return installed;
}

/** Debian's Chromium without windows, which takes a third less CPU time per page. */
const WINDOWLESS = '/usr/bin/chromium-headless-shell';

/** Path of the browser for the tests. Prefers a headless build, because a suite opens a thousand pages. */
export async function ensureTestBrowser() {
  if (process.env.CHROME_PATH) return ensureBrowser();
  if (!existsSync(WINDOWLESS)) installDebianPackages(['chromium-headless-shell']);
  return existsSync(WINDOWLESS) ? WINDOWLESS : ensureBrowser();
}
