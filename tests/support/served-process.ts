import { spawn } from 'node:child_process';
import { tmpdir } from 'node:os';

/** A `serve` of the built product, in a process of its own. */
export interface ServedProcess {
  readonly url: string;
  readonly pid: number;
  /** True if it was killed as by a power cut, so that work in progress may fail. */
  isKilled: boolean;
  /** The complete output of the process so far. */
  output(): string;
  /** Kills the process with SIGKILL. */
  kill(): Promise<void>;
  /** Stops the process and returns its exit code. */
  stop(): Promise<number | null>;
}

export interface StartedProcess {
  /** The complete output of the process so far. */
  output(): string;
  /** Resolves once it prints its address. Rejects with its output if it exits before. */
  readonly listening: Promise<ServedProcess>;
}

export interface ServedOptions {
  /** The server's own data folder, as on a separate machine. */
  readonly folder: string;
  readonly databaseUrl: string;
  readonly settings?: Readonly<Record<string, string>>;
}

/** Starts the built server over a Postgres, on a free port. */
export function startServedProcess(
  program: string,
  { folder, databaseUrl, settings = {} }: ServedOptions,
): StartedProcess {
  const { PATH = '', HOME = '' } = process.env;
  const env = {
    ...{ PATH, HOME, NODE_ENV: 'production', PORT: '0' },
    ...{ BAROMETER_DATA_DIR: folder, DATABASE_URL: databaseUrl, ...settings },
  };
  const child = spawn(process.execPath, [program, 'serve'], { cwd: tmpdir(), env });
  let text = '';
  const output = () => text;
  const ended = new Promise<number | null>((resolve) => child.once('close', (code) => resolve(code)));
  const served = (url: string, pid: number): ServedProcess => ({
    ...{ url, pid, output, isKilled: false },
    async kill() {
      this.isKilled = true;
      child.kill('SIGKILL');
      await ended;
    },
    stop() {
      child.kill('SIGTERM');
      return ended;
    },
  });
  const listening = new Promise<ServedProcess>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      text += chunk.toString();
      const url = / is at (http:\/\/127\.0\.0\.1:\d+)/.exec(text)?.[1];
      if (url !== undefined && child.pid !== undefined) resolve(served(url, child.pid));
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.once('error', reject);
    void ended.then((code) => reject(new Error(`The server ended with ${code}: ${text}`)));
  });
  return { output, listening };
}
