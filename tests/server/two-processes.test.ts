import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newestPeriod, periodsOf } from '#collector/periods.ts';
import { type Database, epochMs } from '#database/port.ts';
import { openPostgres } from '#database/postgres.ts';
import { sessionsBetween } from '#domain/calendar/sessions.ts';
import { MIGRATIONS } from '#tests/support/embedded.ts';
import { startPostgres } from '#tests/support/postgres.ts';
import { servingProcess } from '#tests/support/serving-process.ts';
import { shared } from '#tests/support/shared.ts';
import { smallSource } from '#tests/support/small-source.ts';

const MINUTE = 60_000;
const at = (text: string) => Date.parse(text);

describe('two processes on one Postgres', () => {
  const server = shared(startPostgres);
  const pools: Database[] = [];
  const time = { now: 0 };
  const now = () => time.now;

  beforeAll(async () => {
    // Both processes migrate an empty database at the same time.
    pools.push(
      ...(await Promise.all(
        [0, 1].map(() => openPostgres({ url: server.url, migrationsFolder: MIGRATIONS })),
      )),
    );
  });
  afterAll(() => Promise.all(pools.map((pool) => pool.close())));

  const start = () => pools.map((pool) => ({ ...servingProcess(pool, source, { now, mustRun: true }) }));
  const source = smallSource();
  const runsOfPeriods = () =>
    pools[0]?.transaction((transaction) =>
      transaction.query<{ at: number; runs: string }>(
        `select ${epochMs('period')} as at, array_agg(status order by id)::text as runs
         from collector.runs group by period order by period`,
      ),
    );

  it('run each period once, over a holiday, a half-day and a weekend', async () => {
    time.now = at('2025-11-26T12:00:00Z');
    const first = newestPeriod(time.now);
    const processes = start();
    for (; time.now < at('2025-12-02T00:00:00Z'); time.now += 10 * MINUTE) {
      await Promise.all(processes.map(({ tick }) => tick()));
    }
    const due = sessionsBetween('2025-11-26', '2025-12-01')
      .flatMap(periodsOf)
      .filter((period) => period <= time.now);
    expect(await runsOfPeriods()).toEqual(
      [first, ...due].map((period) => ({ at: period, runs: '{succeeded}' })),
    );
    const lines = processes.flatMap((process) => process.lines);
    expect(lines.map(({ event }) => event)).toEqual(Array(due.length + 1).fill('job done'));
    expect(lines.filter(({ job }) => job === 'backfill')).toHaveLength(1);
    expect(source.readAt).toHaveLength(due.length + 1);
  });

  it('take over a run whose lease has expired', async () => {
    time.now = at('2025-12-02T15:05:00Z');
    const [frozen, other] = start() as [ReturnType<typeof servingProcess>, ReturnType<typeof servingProcess>];
    let thaw = () => {};
    let isFrozen: () => void = () => {};
    const freezing = new Promise<void>((resolve) => {
      isFrozen = resolve;
    });
    source.meanwhile = () => {
      source.meanwhile = async () => undefined;
      isFrozen();
      return new Promise((resolve) => {
        thaw = resolve;
      });
    };
    const frozenRun = frozen.tick();
    await freezing;
    await other.tick();
    expect(other.lines).toEqual([]);

    await server.run("update operations.leases set held_until = now() - interval '1 second'");
    time.now += MINUTE;
    await other.tick();
    expect(other.lines).toMatchObject([{ event: 'job done', period: '2025-12-02T15:00:00.000Z' }]);
    const published = async () =>
      (await pools[0]?.transaction((transaction) =>
        transaction.query('select id, created_at from public.market_metrics order by id'),
      )) ?? [];
    const before = await published();

    await server.run(`delete from public.market_metrics where created_at > '2025-11-29'`);
    thaw();
    await frozenRun;
    expect(frozen.lines).toMatchObject([
      { event: 'job failed', reason: 'The collector stopped: another process took over.' },
    ]);
    expect(await published()).toEqual(before.slice(0, -1));
    expect((await runsOfPeriods())?.at(-1)).toEqual({
      at: at('2025-12-02T15:00:00Z'),
      runs: '{failed,succeeded}',
    });
  });
});
