// npm test: borders, types, lint, unit, database and browser tests, from a fresh clone.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { audit } from './audit.mjs';
import { ensureBuilt, ensureInstalled, ensureTestBrowser, ROOT } from './set-up.mjs';

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

/** Runs a program with its output shown as it comes. */
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
