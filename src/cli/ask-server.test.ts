import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { takeLock } from '#database/embedded/lock.ts';
import { findServer } from './ask-server.ts';
import { readEnvironment } from './environment.ts';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'barometer-ask-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs an operation on a server that holds the database of the folder; returns its address and the outcome. */
async function ask(listener: RequestListener, isListening = true) {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const release = await takeLock(join(folder, 'database'), () => ({ url, token: 'secret' }));
  const close = () => new Promise((resolve) => server.close(resolve));
  if (!isListening) await close();
  try {
    const asked = await findServer(readEnvironment({ BAROMETER_DATA_DIR: folder }));
    const lines: string[] = [];
    const outcome = await asked?.('collect', {}, (line) => lines.push(line)).catch(
      (error: Error) => error.message,
    );
    return { url, lines, outcome };
  } finally {
    release();
    if (isListening) await close();
  }
}

it('returns the result of an operation', async () => {
  const { lines, outcome } = await ask((_, response) => response.end('{"line":"half"}\n{"result":7}\n'));
  expect([lines, outcome]).toEqual([['half'], 7]);
});

it.each<[string, RequestListener]>([
  ['before it responds', ({ socket }) => socket.destroy()],
  [
    'in the middle of its response',
    ({ socket }, response) => {
      response.write('{"line":"half"}\n', () => socket.destroy());
    },
  ],
  ['without a result', (_, response) => response.end('{"line":"half"}\n')],
])('says that the server stopped %s', async (_, listener) => {
  const { url, outcome } = await ask(listener);
  expect(outcome).toBe(
    `The server at ${url} stopped before the command was done. Look at its log, and run the command again.`,
  );
});

it('says that the server accepts no command any more', async () => {
  const { url, outcome } = await ask(() => undefined, false);
  expect(outcome).toBe(
    `The server at ${url} accepts no command: it is stopping, or runs in another container. Run the command again, or in that container.`,
  );
});
