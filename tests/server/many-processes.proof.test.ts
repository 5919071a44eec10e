import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setInterval as ticks } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Database } from '#database/port.ts';
import { openPostgres } from '#database/postgres.ts';
import { requestOf } from '#queries/read-addresses.ts';
import { dashboardReads } from '#queries/table-reads.ts';
import { type Balancer, startBalancer } from '#tests/support/balancer.ts';
import { loadDemonstration } from '#tests/support/demonstration.ts';
import { MIGRATIONS } from '#tests/support/embedded.ts';
import { startPostgres } from '#tests/support/postgres.ts';
import { PROGRAM, runCommand } from '#tests/support/product.ts';
import { type ServedProcess, startServedProcess } from '#tests/support/served-process.ts';
import { createVisitors, KINDS, type Visitors } from '#tests/support/visitors.ts';
import { marketClockAt } from '#views/market-hours-view.ts';

const SERVERS = [0, 1] as const;
const VISITORS = 2;
/**
 * Interval between the requests of a visitor (ms). Without a pause, the visitors would use all CPU time while servers
 * drain and start.
 */
const VISIT_EVERY = 10;

const keyIn = (page: string) => /sb_publishable_[\w-]{32}/.exec(page)?.[0] ?? '';

describe('several servers on one Postgres, behind a balancer', () => {
  let folder: string;
  let postgres: Awaited<ReturnType<typeof startPostgres>>;
  let database: Database;
  let balancer: Balancer;
  let visitors: Visitors;
  let servers: ServedProcess[] = [];
  let isAway = false;
  let apikey = '';
  let reads: { path: string; headers: { apikey: string } }[] = [];

  const start = async (at: number): Promise<ServedProcess> => {
    const server = await startServedProcess(PROGRAM, {
      folder: join(folder, `server-${at}`),
      databaseUrl: postgres.url,
      // Long enough for requests during the drain on a busy machine.
      settings: { DRAIN_SECONDS: '3', PUBLIC_URL: 'https://barometer.example' },
    }).listening;
    await balancer.add(server);
    return server;
  };

  /** Runs `during` while visitors send requests. */
  const withVisitors = async (during: () => Promise<unknown>): Promise<void> => {
    let isOver = false;
    const crowd = Array.from({ length: VISITORS }, async (_, of) => {
      let count = of;
      for await (const _ of ticks(VISIT_EVERY)) {
        if (isOver) break;
        await visitors.visit(KINDS[count % KINDS.length] ?? 'page');
        count += 1;
      }
    });
    await during().finally(() => {
      isOver = true;
    });
    await Promise.all(crowd);
  };

  const replace = async (at: number, end: (server: ServedProcess) => Promise<unknown>): Promise<void> => {
    const before = servers[at] as ServedProcess;
    await end(before);
    balancer.remove(before);
    servers[at] = await start(at);
  };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'barometer-processes-'));
    postgres = await startPostgres();
    database = await openPostgres({ url: postgres.url, migrationsFolder: MIGRATIONS });
    await loadDemonstration(database);
    balancer = startBalancer();
    servers = await Promise.all(SERVERS.map(start));
    const page = await (await fetch(servers[0]?.url ?? '')).text();
    apikey = keyIn(page);
    // The reads of the page whose addresses are the same on any day.
    reads = Object.values(dashboardReads(marketClockAt(0)).newest).map((read) => ({
      path: `/rest/v1/${read.table}?${requestOf(read).query}`,
      headers: { apikey },
    }));
    visitors = createVisitors({ balancer, apikey, reads, isAway: () => isAway });
  });
  afterAll(async () => {
    balancer.close();
    await Promise.all(servers.map((server) => server.kill()));
    await database.close();
    await postgres.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('show the same public key after a concurrent start', async () => {
    const pages = await Promise.all(servers.map(async ({ url }) => (await fetch(url)).text()));
    const keys = pages.map(keyIn);
    expect(new Set(keys)).toEqual(new Set([apikey]));
  });

  it('fail no request while each server is restarted', async () => {
    const codes: (number | null)[] = [];
    await withVisitors(async () => {
      for (const at of servers.keys()) {
        await replace(at, async (server) => {
          const stopped = server.stop();
          await expect.poll(() => balancer.isReady(server)).toBe(false);
          // While it drains, the server still responds, and closes the connection after the response.
          const { status, headers } = await fetch(server.url);
          expect([status, headers.get('connection')]).toEqual([200, 'close']);
          codes.push(await stopped);
        });
      }
      await expect.poll(() => Math.min(...Object.values(visitors.tally.answered))).toBeGreaterThan(50);
    });
    expect(codes).toEqual(SERVERS.map(() => 0));
    expect(visitors.tally).toMatchObject({ failed: [], putOff: 0, cutOff: 0 });
  });

  it('fail only the pending requests of a killed server', async () => {
    await withVisitors(() => replace(1, (server) => server.kill()));
    expect(visitors.tally).toMatchObject({ failed: [], putOff: 0 });
    // A killed server fails at most two requests of each visitor: the pending one, and one on a connection that it had
    // opened before.
    expect(visitors.tally.cutOff).toBeLessThanOrEqual(2 * VISITORS);
  });

  it('serve their last release while Postgres is away', async () => {
    const { tally } = visitors;
    isAway = true;
    let acknowledged = 0;
    await postgres.restart(async () => {
      acknowledged = tally.acknowledged.length;
      const { answered } = tally;
      const target = { page: answered.page + 60, read: answered.read + 60, putOff: tally.putOff + 60 };
      await withVisitors(() =>
        expect
          .poll(
            () => tally.putOff > target.putOff && answered.page > target.page && answered.read > target.read,
          )
          .toBe(true),
      );
      expect(tally.acknowledged).toHaveLength(acknowledged);
    });
    await withVisitors(() => expect.poll(() => tally.acknowledged.length).toBeGreaterThan(acknowledged + 30));
    isAway = false;
    await withVisitors(() => replace(0, (server) => server.stop()));
    expect(tally.failed).toEqual([]);
    // The log is throttled: it has fewer lines than refused requests.
    const lines = servers.flatMap((server) => server.output().match(/"event":"rest"/g) ?? []);
    expect(lines.length).toBeLessThan(tally.putOff);
  });

  it('store every acknowledged subscriber once', async () => {
    const { acknowledged } = visitors.tally;
    const rows = await database.transaction((transaction) =>
      transaction.query<{ email: string; times: number }>(
        'select email, count(*) as times from public.email_subscribers group by email',
      ),
    );
    const stored = new Set(rows.map(({ email }) => email));
    expect(acknowledged.filter((email) => !stored.has(email))).toEqual([]);
    expect(rows.filter(({ times }) => times !== 1)).toEqual([]);
  });

  it('wait for Postgres at the start and exit immediately at a second signal', async () => {
    const late = () =>
      startServedProcess(PROGRAM, {
        folder: join(folder, 'late'),
        databaseUrl: postgres.url,
        settings: { DRAIN_SECONDS: '60' },
      });
    let waiting: ReturnType<typeof late> | null = null;
    await postgres.restart(async () => {
      const begun = late();
      waiting = begun;
      await expect.poll(begun.output).toMatch(/"event":"waiting for the database".*cannot be reached/);
    });
    const server = await (waiting ?? late()).listening;
    expect((await fetch(server.url)).status).toBe(200);
    // A second signal ends the drain of one minute early, once the server has handled the first signal.
    const stopped = server.stop();
    await expect.poll(async () => (await fetch(`${server.url}/readyz?only=server`)).status).toBe(503);
    void server.stop();
    expect(await stopped).toBeNull();
  });

  it('end with a sentence if the database does not exist', async () => {
    const nowhere = postgres.url.replace(/\/postgres$/, '/nowhere');
    const serve = await runCommand(['serve'], { DATABASE_URL: nowhere, BAROMETER_DATA_DIR: folder });
    expect([serve.code, serve.stderr]).toEqual([
      1,
      expect.stringMatching(
        /^Postgres at .*nowhere cannot be reached \(database "nowhere" does not exist\).*\n$/,
      ),
    ]);
    const away = { DATABASE_URL: 'postgres://127.0.0.1:9/barometer', BAROMETER_DATA_DIR: folder };
    for (const command of [['collect'], ['signal', 'send']]) {
      const { code, stderr } = await runCommand(command, away);
      expect([code, stderr]).toEqual([1, expect.stringMatching(/^Postgres at .* cannot be reached .*\n$/)]);
    }
  });
});
