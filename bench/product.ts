import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { listenTo } from '#tests/support/product.ts';
import type { AtEnd } from './ends.ts';

const PROGRAM = join('dist', 'server', 'barometer.js');

export interface Product {
  /** The URL of the server, without a trailing slash. */
  readonly url: string;
  readonly pid: number;
  /** The public key that the page uses to read its tables. */
  readonly apikey: string;
  /** Stops the server by its own pid and waits for its exit. */
  readonly stop: () => Promise<void>;
}

/** Starts the built server of a checkout over a data folder and fills it if empty. Resolves once it has data. */
export async function startServe(
  folder: string,
  atEnd: AtEnd,
  settings: Readonly<Record<string, string>> = {},
  checkout = '.',
): Promise<Omit<Product, 'apikey'>> {
  const { PATH = '', HOME = '' } = process.env;
  const env = { PATH, HOME, NODE_ENV: 'production', PORT: '0', BAROMETER_DATA_DIR: folder, ...settings };
  const server = spawn(process.execPath, [PROGRAM, 'serve'], { env, cwd: checkout });
  const { address, ended } = listenTo(server);
  const stop = async () => {
    server.kill('SIGTERM');
    await ended;
  };
  atEnd(stop);
  const url = await address;
  if (server.pid === undefined) throw new Error('The server has no process.');
  return { url, pid: server.pid, stop };
}

/** Starts the built server like `startServe`. Resolves once its page, which must be open to everybody, responds. */
export async function startProduct(...started: Parameters<typeof startServe>): Promise<Product> {
  const server = await startServe(...started);
  const page = await (await fetch(server.url)).text();
  const apikey = /sb_publishable_[\w-]{32}/.exec(page)?.[0];
  if (apikey === undefined) throw new Error('The page has no public key.');
  return { ...server, apikey };
}
