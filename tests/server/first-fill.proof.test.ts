import type { ChildProcess } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openEmbedded } from '#database/embedded/open-embedded.ts';
import { queryOnce } from '#database/port.ts';
import { type Outcome, runCommand, temporaryFolder } from '#tests/support/product.ts';
import { sendRequest } from '#tests/support/send-request.ts';
import { folderForTests } from '#tests/support/shared.ts';

const data = folderForTests();

it('a first fill ends when its server is killed', async () => {
  const killed = await runCommand(['serve'], { BAROMETER_DATA_DIR: data, PORT: '0' }, (server) => {
    server.stderr?.on('data', (chunk: Buffer) => {
      if (chunk.toString().includes('storing')) server.kill('SIGKILL');
    });
  });
  expect(killed.code).toBeNull();
  const database = await openEmbedded({ folder: join(data, 'database') });
  const count = async (from: string) => {
    const [row] = await queryOnce<{ count: number }>(database, `select count(*) as count from ${from}`);
    return row?.count;
  };
  // This process has one session with the lock of processes that use the database.
  await expect.poll(() => count("pg_locks where locktype = 'advisory'")).toBe(1);
  expect(await count('market_metrics')).toBe(0);
  await database.close();
});

describe('a server without data', () => {
  /** Starts a server that fills an empty folder. Resolves with its address once it listens. */
  function startFill(settings: Record<string, string>, begun: (child: ChildProcess) => void) {
    return new Promise<{ url: string; ended: Promise<Outcome> }>((resolve, reject) => {
      const ended = runCommand(['serve'], { PORT: '0', ...settings }, (server) => {
        begun(server);
        let output = '';
        server.stdout?.on('data', (chunk: Buffer) => {
          output += chunk.toString();
          const [, url] = / is starting at (http:\S+)/.exec(output) ?? [];
          if (url !== undefined) resolve({ url, ended });
        });
      });
      ended.then(({ stderr }) => reject(new Error(stderr)), reject);
    });
  }

  it('responds to every request from the start of its first fill to the page', async () => {
    const folder = temporaryFolder();
    onTestFinished(folder.remove);
    const universe = join(folder.path, 'universe.csv');
    writeFileSync(universe, 'symbol,name,sector\nAAA,First,Energy\n');
    // The provider responds only after the test has seen the state of the fill.
    const held: ServerResponse[] = [];
    let isHeld = true;
    const end = (response: ServerResponse) => response.writeHead(404).end();
    const provider = createServer((_, response) => {
      if (isHeld) held.push(response);
      else end(response);
    });
    await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void provider.close());
    let server: ChildProcess | undefined;
    const { url, ended } = await startFill(
      {
        ...{
          BAROMETER_DATA_DIR: join(folder.path, 'data'),
          MARKET_SOURCE: 'live',
          MARKET_UNIVERSE: universe,
        },
        ...{
          MARKET_PROVIDERS: 'yahoo',
          YAHOO_URL: `http://127.0.0.1:${(provider.address() as AddressInfo).port}`,
        },
      },
      (child) => {
        server = child;
      },
    );
    const statuses = new Set<string>();
    const ask = async (path: string, headers = {}) => {
      const answer = await sendRequest(url, path, { headers });
      statuses.add(`${path} ${answer.status}`);
      return answer;
    };
    const reason = /The first fill is running/;
    await expect
      .poll(async () => {
        await ask('/');
        return held.length;
      })
      .toBeGreaterThan(0);
    expect((await ask('/readyz')).body.toString()).toMatch(reason);
    const page = await ask('/', { Accept: 'text/html' });
    expect(page.body.toString()).toMatch(reason);
    expect(page.headers.refresh).toBe('3');
    expect(JSON.parse((await ask('/rest/v1/market_metrics')).body.toString()).message).toMatch(reason);
    expect((await ask('/healthz')).status).toBe(200);
    expect([...statuses].sort()).toEqual([
      '/ 503',
      '/healthz 200',
      '/readyz 503',
      '/rest/v1/market_metrics 503',
    ]);

    isHeld = false;
    for (const response of held) end(response);
    await expect.poll(async () => (await ask('/')).status).toBe(200);
    expect((await ask('/', { Accept: 'text/html' })).body.toString()).toContain('barometer-config');
    server?.kill('SIGTERM');
    const { code, stdout } = await ended;
    expect([code, stdout]).toEqual([0, expect.stringContaining(`Barometer is at ${url}\n`)]);
  });

  it('ends with a sentence before it fills anything if its port is in use', async () => {
    const folder = temporaryFolder();
    onTestFinished(folder.remove);
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void other.close());
    const PORT = String((other.address() as AddressInfo).port);
    const { code, stderr } = await runCommand(['serve'], { BAROMETER_DATA_DIR: folder.path, PORT });
    expect([code, stderr]).toEqual([
      1,
      `Port ${PORT} is in use. Stop the program that uses it, or set PORT to another one.\n`,
    ]);
    expect(readdirSync(folder.path)).toEqual([]);
  });

  it('closes its port and ends with a sentence if the first fill fails', async () => {
    const folder = temporaryFolder();
    onTestFinished(folder.remove);
    writeFileSync(join(folder.path, 'universe.csv'), 'symbol,name,sector\nAAA,First,Energy\n');
    writeFileSync(join(folder.path, 'bars.csv'), 'symbol,day,close\n');
    const settings = {
      BAROMETER_DATA_DIR: join(folder.path, 'data'),
      ...{ MARKET_SOURCE: 'csv', MARKET_CSV_DIR: folder.path },
    };
    const { url, ended } = await startFill(settings, () => undefined);
    const { code, stderr } = await ended;
    expect([code, stderr.trim().split('\n').at(-1)]).toEqual([
      1,
      expect.stringMatching(/bars\.csv, line 1: the header must have the columns .*\.$/),
    ]);
    await expect(sendRequest(url, '/healthz')).rejects.toThrow('ECONNREFUSED');
  });
});
