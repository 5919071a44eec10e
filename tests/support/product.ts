import { type ChildProcess, spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT } from '../../scripts/set-up.mjs';
import { outputOf } from './child-output.ts';

/** The built product, which must exist. */
export const PROGRAM = join(ROOT, 'dist', 'server', 'barometer.js');

/** The same flag as in vitest.config.ts: short processes gain no time from optimized WebAssembly. */
export const SHORT_LIVED = ['--liftoff-only'];

/** A new folder for one test file's data, which the user of Postgres can enter, and a function that removes it. */
export function temporaryFolder(): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), 'barometer-'));
  chmodSync(path, 0o755);
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** The environment of a command: this machine's, without settings of the product. */
function cleanEnvironment(settings: Record<string, string>): Record<string, string> {
  const { PATH = '', HOME = '' } = process.env;
  return { PATH, HOME, NODE_ENV: 'production', ...settings };
}

export interface Outcome {
  code: number | null;
  stdout: string;
  stderr: string;
}

/** Runs a command of the built product to its end, without any `.env`. `begun` receives its process. */
export function runCommand(
  parameters: readonly string[],
  settings: Record<string, string> = {},
  begun: (child: ChildProcess) => void = () => undefined,
): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...SHORT_LIVED, PROGRAM, ...parameters], {
      cwd: tmpdir(),
      env: cleanEnvironment(settings),
    });
    begun(child);
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk: Buffer) => {
      stdout += chunk.toString();
    });
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk.toString();
    });
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, stdout, stderr }));
  });
}

export interface Product {
  url: string;
  process: ChildProcess;
  output: () => string;
  /** Stops the server by its own pid and waits for its exit. */
  stop: (signal?: NodeJS.Signals) => Promise<void>;
}

/** Reads the output of a new server and its address, which rejects with the output if the server ends before it. */
export function listenTo(child: ChildProcess) {
  const { output, ended } = outputOf(child);
  const address = new Promise<string>((resolve, reject) => {
    const read = () => {
      const url = / is at (http:\/\/127\.0\.0\.1:\d+)/.exec(output())?.[1];
      if (url !== undefined) resolve(url);
    };
    child.stdout?.on('data', read);
    child.stderr?.on('data', read);
    child.once('error', reject);
    child.once('close', (code) => reject(new Error(`The server ended with ${code}: ${output()}`)));
  });
  return { output, ended, address };
}

/** Starts the built server on a free port over a data folder; resolves once it prints its address. */
export async function startProduct(
  dataFolder: string,
  settings: Record<string, string> = {},
  program = PROGRAM,
): Promise<Product> {
  const child = spawn(process.execPath, [...SHORT_LIVED, program, 'serve'], {
    cwd: tmpdir(),
    env: cleanEnvironment({ PORT: '0', BAROMETER_DATA_DIR: dataFolder, ...settings }),
  });
  const { output, ended, address } = listenTo(child);
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    child.kill(signal);
    await ended;
  };
  return { url: await address, process: child, output, stop };
}

/** Settings that put the clock of a child process ahead by this time (ms). */
export function movedClock(ahead: number): { NODE_OPTIONS: string } {
  const program = `const now = Date.now;
    globalThis.Date = class extends Date {
      constructor(...of) { if (of.length === 0) super(now() + ${ahead}); else super(...of); }
      static now() { return now() + ${ahead}; }
    };`;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(program)}` };
}
