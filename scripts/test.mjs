// npm test: import rules, types, lint, unit, database and browser tests, from a fresh clone.
// npm run proofs: the long tests, in files named *.proof.test.ts.
import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { audit } from './audit.mjs';
import { packageCommand } from './programs.mjs';
import { ensureBuilt, ensureInstalled, findTestBrowser, NO_BROWSER, ROOT } from './set-up.mjs';

const isProofs = process.argv.includes('--proofs');
const PROJECTS = isProofs ? ['proofs'] : ['unit', 'parts'];
const BROWSER_PROJECT = isProofs ? 'browser-proofs' : 'browser';

const MEMORY = '/dev/shm';
/** Minimum free space for the temporary files of all tests (bytes). They use a quarter of it. */
const ENOUGH_MEMORY = 8 * 2 ** 30;

/**
 * True if temporary files can be in memory: TMPDIR is not set, enough memory is free, and the folder may contain
 * programs.
 */
function hasMemory() {
  if (process.env.TMPDIR !== undefined || !existsSync(MEMORY)) return false;
  const { bavail, bsize } = statfsSync(MEMORY);
  const mounts = readFileSync('/proc/mounts', 'utf8').split('\n');
  const options = mounts.findLast((mount) => mount.split(' ')[1] === MEMORY)?.split(' ')[3] ?? '';
  return Math.min(bavail * bsize, freemem()) >= ENOUGH_MEMORY && !options.split(',').includes('noexec');
}

/**
 * Sets TMPDIR to a folder in memory until this process ends. The tests copy and remove databases of hundreds of files,
 * which takes ten times as long on a disk.
 */
function moveToMemory() {
  const folder = mkdtempSync(join(MEMORY, 'barometer-test-'));
  process.env.TMPDIR = folder;
  // Let other users enter the folder, because Postgres runs as another user.
  chmodSync(folder, 0o755);
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  for (const [signal, code] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ]) {
    process.on(signal, () => process.exit(code));
  }
}

if (hasMemory()) moveToMemory();
const browser = findTestBrowser();
if (browser !== undefined) process.env.CHROME_PATH = browser;
else if (process.env.CI) {
  console.error(NO_BROWSER);
  process.exit(1);
}
ensureInstalled();

/** Runs a program of an installed package and returns its exit code and all its output. */
function program(name, [node, ...script], ...parameters) {
  return new Promise((resolve) => {
    const child = spawn(node, [...script, ...parameters], { cwd: ROOT });
    let output = '';
    const keep = (chunk) => {
      output += chunk;
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    child.on('error', (error) => resolve({ name, code: 1, output: error.message }));
    child.on('close', (code) => resolve({ name, code: code ?? 1, output }));
  });
}

/** Runs a program and shows its output at once. */
function shown([node, ...script], ...parameters) {
  return new Promise((resolve) => {
    const child = spawn(node, [...script, ...parameters], {
      cwd: ROOT,
      stdio: ['ignore', 'inherit', 'inherit'],
    });
    child.on('error', () => resolve(1));
    child.on('close', (code) => resolve(code ?? 1));
  });
}

/** The test files with skipped tests, and the number of those. */
function skippedFiles(report) {
  return (report?.testResults ?? []).flatMap(({ name, assertionResults }) => {
    const count = assertionResults.filter(
      ({ status: result }) => result === 'pending' || result === 'skipped',
    ).length;
    return count > 0 ? [`${relative(ROOT, name)} (${count})`] : [];
  });
}

ensureBuilt();

/** Audits the packages. Returns no check if the registry does not respond. */
async function auditPackages() {
  const { is, lines } = await audit();
  if (is !== 'unanswered') return [{ name: 'npm audit', code: lines.length, output: lines.join('\n') }];
  console.log('npm audit: the registry offers no audits, so packages were not checked');
  return [];
}

// These run while the tests prepare their demonstration data. The audit waits for the registry.
const checking = Promise.all(
  isProofs
    ? []
    : [
        program('biome', packageCommand(ROOT, '@biomejs/biome', 'biome'), 'ci', '--error-on-warnings', '.'),
        program('tsc', packageCommand(ROOT, 'typescript', 'tsc'), '-b'),
        program('knip', packageCommand(ROOT, 'knip'), '--no-progress'),
        auditPackages(),
      ],
);

const results = mkdtempSync(join(tmpdir(), 'barometer-test-'));
const report = join(results, 'report.json');
const status = await shown(
  packageCommand(ROOT, 'vitest'),
  'run',
  // The browser tests are left out without a browser.
  ...[...PROJECTS, ...(browser === undefined ? [] : [BROWSER_PROJECT])].map((name) => `--project=${name}`),
  '--reporter=default',
  '--reporter=json',
  `--outputFile=${report}`,
);
const counted = existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : undefined;
rmSync(results, { recursive: true });

const checks = (await checking).flat();
for (const { name, code, output } of checks) {
  console.log(code === 0 ? `${name}: passed` : `${name}: failed\n${output}`);
}
for (const name of skippedFiles(counted))
  console.log(`skipped, because this machine lacks a program or a right: ${name}`);
if (browser === undefined) console.log(`skipped: tests/e2e and tests/attack. ${NO_BROWSER}`);

const failedChecks = checks.filter(({ code }) => code !== 0).length;
const passed = (counted?.numPassedTests ?? 0) + checks.length - failedChecks;
const failed =
  (counted?.numFailedTests ?? 0) + failedChecks + (status !== 0 && !counted?.numFailedTests ? 1 : 0);
const skipped = (counted?.numPendingTests ?? 0) + (counted?.numTodoTests ?? 0);
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
process.exit(failed > 0 || status !== 0 || !counted ? 1 : 0);
