// npm run any-date [-- [--only NAME] [test files and options of vitest | -- command]]: runs all tests, some of them or a
// command under shifted clocks, and prints one line per date at the end.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundle } from './bundle.mjs';
import { packageCommand } from './programs.mjs';
import { ensureBuilt, ensureInstalled, findTestBrowser, installDebianPackages, ROOT } from './set-up.mjs';

const LIBRARY = '/usr/$LIB/faketime/libfaketimeMT.so.1';

/**
 * Runs "$@" in a mount namespace in which every process preloads the library. Tests start programs with a clean
 * environment, so a variable would not reach them. The library leaves files in /dev/shm, so the namespace has its own.
 * An empty /etc/ld.so.preload stays on the machine, because removing it would end the mounts of another run.
 */
const SHIFTED = `
  set -eu
  touch /etc/ld.so.preload /etc/faketimerc
  mount --bind "$1/preload" /etc/ld.so.preload
  mount --bind "$1/offset" /etc/faketimerc
  mount -t tmpfs -o mode=1777 barometer /dev/shm
  today=$(date -u +%F)
  [ "$today" = "$2" ] || { echo "The clock shows $today instead of $2. Remove ~/.faketimerc."; exit 1; }
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
  const hasLibrary = () => readdirSync('/usr/lib').some((name) => existsSync(`/usr/lib/${name}/faketime`));
  if (!hasLibrary() && !(installDebianPackages(['faketime']) && hasLibrary())) {
    fail('any-date needs the package faketime of Debian. Install it: apt-get install faketime');
  }
  if (spawnSync('unshare', ['--mount', 'true']).status !== 0) {
    fail('unshare cannot make a mount namespace. Allow it: a container needs the capability SYS_ADMIN.');
  }
}

/** Runs a command on `day` at the current time of day. Returns its exit code. */
function runOn(day, today, command) {
  const folder = mkdtempSync(join(tmpdir(), 'barometer-date-'));
  try {
    writeFileSync(join(folder, 'preload'), `${LIBRARY}\n`);
    // An offset in seconds, because an absolute date would start anew in each process.
    writeFileSync(join(folder, 'offset'), `+${(Date.parse(day) - Date.parse(today)) / 1000}\n`);
    return spawnSync('unshare', ['--mount', 'sh', '-c', SHIFTED, 'sh', folder, day, ...command], {
      cwd: ROOT,
      stdio: ['ignore', 'inherit', 'inherit'],
      env: { ...process.env, TMPDIR: '/dev/shm' },
    }).status;
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
for (const [name, day] of Object.entries(dates)) {
  if (only !== undefined && name !== only) continue;
  console.log(`${name} ${day}`);
  const status = runOn(day, new Date().toISOString().slice(0, 10), command);
  lines.push(`${name} ${day}: ${status === 0 ? 'passed' : 'failed'}`);
  if (status !== 0) process.exitCode = 1;
}
console.log(lines.join('\n'));
