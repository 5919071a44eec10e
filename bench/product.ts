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

/** Starts the built server over a data folder and fills it if empty. Resolves once its page responds with data. */
export async function startProduct(
  folder: string,
  atEnd: AtEnd,
  settings: Readonly<Record<string, string>> = {},
): Promise<Product> {
  const { PATH = '', HOME = '' } = process.env;
  const env = { PATH, HOME, NODE_ENV: 'production', PORT: '0', BAROMETER_DATA_DIR: folder, ...settings };
  const server = spawn(process.execPath, [PROGRAM, 'serve'], { env });
  const { address, ended } = listenTo(server);
  const stop = async () => {
    server.kill('SIGTERM');
    await ended;
  };
  atEnd(stop);
  const url = await address;
  if (server.pid === undefined) throw new Error('The server has no process.');
  const apikey = /sb_publishable_[\w-]{32}/.exec(await (await fetch(url)).text())?.[0];
  if (apikey === undefined) throw new Error('The page has no public key.');
  return { url, pid: server.pid, apikey, stop };
}
