// npm test: import rules, types, lint, unit, database and browser tests, from a fresh clone.
import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import { freemem, tmpdir } from 'node:os';
import { join } from 'node:path';
import { audit } from './audit.mjs';
import { ensureBuilt, ensureInstalled, ensureTestBrowser, ROOT } from './set-up.mjs';

const MEMORY = '/dev/shm';
/** The temporary files of all tests take a quarter of this (bytes). */
const ENOUGH_MEMORY = 8 * 2 ** 30;

/** True if temporary files may be in memory: enough of it is free, and programs in it may run. */
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
  // Postgres runs as another user.
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
ensureInstalled();
process.env.CHROME_PATH = await ensureTestBrowser();

/** Runs a program of the installed packages and returns its exit code and all its output. */
function program(name, ...parameters) {
  return new Promise((resolve) => {
    const child = spawn(join(ROOT, 'node_modules', '.bin', name), parameters, { cwd: ROOT });
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
function shown(name, ...parameters) {
  return new Promise((resolve) => {
    const path = join(ROOT, 'node_modules', '.bin', name);
    const child = spawn(path, parameters, { cwd: ROOT, stdio: ['ignore', 'inherit', 'inherit'] });
    child.on('error', () => resolve(1));
    child.on('close', (code) => resolve(code ?? 1));
  });
}

ensureBuilt();

// These run while the tests prepare their demonstration data. The audit waits for the registry.
const checking = Promise.all([
  audit(),
  program('biome', 'ci', '--error-on-warnings', '.'),
  program('tsc', '-b'),
  program('knip', '--no-progress'),
]);

const results = mkdtempSync(join(tmpdir(), 'barometer-test-'));
const report = join(results, 'report.json');
const status = await shown(
  'vitest',
  'run',
  '--reporter=default',
  '--reporter=json',
  `--outputFile=${report}`,
);
const counted = existsSync(report) ? JSON.parse(readFileSync(report, 'utf8')) : undefined;
rmSync(results, { recursive: true });

const [audited, ...checks] = await checking;
if (audited.is === 'unanswered')
  console.log('npm audit: the registry offers no audits, so packages were not checked');
else checks.push({ name: 'npm audit', code: audited.lines.length, output: audited.lines.join('\n') });
for (const { name, code, output } of checks) {
  console.log(code === 0 ? `${name}: passed` : `${name}: failed\n${output}`);
}

const failedChecks = checks.filter(({ code }) => code !== 0).length;
const passed = (counted?.numPassedTests ?? 0) + checks.length - failedChecks;
const failed =
  (counted?.numFailedTests ?? 0) + failedChecks + (status !== 0 && !counted?.numFailedTests ? 1 : 0);
const skipped = (counted?.numPendingTests ?? 0) + (counted?.numTodoTests ?? 0);
console.log(`${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`);
process.exit(failed > 0 || status !== 0 || !counted ? 1 : 0);
