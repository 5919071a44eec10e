// npm run any-date [-- [--only NAME] [test files and options of vitest | -- command]]: runs all tests, some of them or a
// command under shifted clocks, and prints one line per date at the end.
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundle } from './bundle.mjs';
import { packageCommand } from './programs.mjs';
import { ensureBuilt, ensureInstalled, findTestBrowser, installDebianPackages, ROOT } from './set-up.mjs';

const PRELOAD = '/etc/ld.so.preload';

/**
 * Runs "$@" in a mount namespace in which every process preloads the library. Tests start programs with a clean
 * environment, so a variable would not reach them. An empty /etc/ld.so.preload stays on the machine, because removing it
 * would end the mounts of another run.
 */
const SHIFTED = `
  set -eu
  touch ${PRELOAD}
  mount --bind "$1/preload" ${PRELOAD}
  today=$(date -u +%F)
  [ "$today" = "$2" ] || { echo "The clock shows $today instead of $2."; exit 1; }
  shift 2
  exec "$@"`;

/** Prints one plain sentence and ends the process. */
function fail(sentence, code = 1) {
  console.error(sentence);
  process.exit(code);
}

/** Ends the process if this machine cannot shift the clock. */
function ensureShiftable() {
  if (process.platform !== 'linux') fail('any-date works on Linux only.');
  if (process.getuid() !== 0) fail('any-date mounts files, which needs root. Run it with sudo.');
  const canCompile = () =>
    spawnSync('cc', ['-E', '-x', 'c', '-'], { input: '#include <dlfcn.h>' }).status === 0;
  if (!canCompile() && !(installDebianPackages(['gcc', 'libc6-dev']) && canCompile())) {
    fail('any-date needs a compiler of C. Install it: apt-get install gcc libc6-dev');
  }
  if (spawnSync('unshare', ['--mount', 'true']).status !== 0) {
    fail('unshare cannot make a mount namespace. Allow it: a container needs the capability SYS_ADMIN.');
  }
}

/** Runs a command whose clock starts at `time`. Returns its exit code. */
function runAt(time, command) {
  const folder = mkdtempSync(join(tmpdir(), 'barometer-date-'));
  try {
    const library = join(folder, 'shifted-clock.so');
    // An offset, because an absolute date would start anew in each process.
    const offset = Math.round((Date.parse(time) - Date.now()) / 1000);
    const source = join(ROOT, 'scripts', 'shifted-clock.c');
    execFileSync('cc', ['-O2', '-shared', '-fPIC', `-DOFFSET=${offset}`, '-o', library, source]);
    // The libraries of a clock that is shifted already stay.
    const before = existsSync(PRELOAD) ? readFileSync(PRELOAD, 'utf8') : '';
    writeFileSync(join(folder, 'preload'), `${before}${library}\n`);
    // Postgres runs as another user, who has to read the library.
    chmodSync(folder, 0o755);
    return spawnSync(
      'unshare',
      ['--mount', 'sh', '-c', SHIFTED, 'sh', folder, time.slice(0, 10), ...command],
      {
        cwd: ROOT,
        stdio: ['ignore', 'inherit', 'inherit'],
      },
    ).status;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The command of the parameters, by default all tests. Some tests need the browser in CHROME_PATH. */
function commandOf(parameters) {
  if (parameters[0] === '--') return parameters.slice(1);
  ensureBuilt();
  if (parameters.length === 0) return [join(ROOT, '.ci', 'run')];
  process.env.CHROME_PATH ??= findTestBrowser();
  return [...packageCommand(ROOT, 'vitest'), 'run', ...parameters];
}

const parameters = process.argv.slice(2);
const [only] = parameters[0] === '--only' ? parameters.splice(0, 2).slice(1) : [];
ensureShiftable();
ensureInstalled();
const folder = join(ROOT, '.tsbuild', 'any-date');
await bundle(folder, { 'any-dates': join(ROOT, 'tests', 'support', 'any-dates.ts') });
const { anyDates } = await import(pathToFileURL(join(folder, 'any-dates.js')).href);

const command = commandOf(parameters);
const dates = anyDates(new Date().toISOString().slice(0, 10));
if (only !== undefined && dates[only] === undefined) {
  fail(`'${only}' is no date. Choose one of: ${Object.keys(dates).join(', ')}`, 2);
}
const lines = [];
for (const [name, time] of Object.entries(dates)) {
  if (only !== undefined && name !== only) continue;
  console.log(`${name} ${time}`);
  const status = runAt(time, command);
  lines.push(`${name} ${time}: ${status === 0 ? 'passed' : 'failed'}`);
  if (status !== 0) process.exitCode = 1;
}
console.log(lines.join('\n'));
