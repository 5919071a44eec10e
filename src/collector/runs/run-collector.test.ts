import { afterEach, describe, expect, it } from 'vitest';
import { sessionClose } from '#domain/calendar/sessions.ts';
import { backfill, collect } from '#tests/support/collect.ts';
import { dumpCollected, emptyCollected, endingAfter } from '#tests/support/collected.ts';
import { databaseOfTheseTests } from '#tests/support/database-of-each-test.ts';
import { BAR_HEADER, marketFolder, smallMarket } from '#tests/support/market-folder.ts';
import type { Source } from '../history/source.ts';
import { EVERYTHING } from '../providers/rights.ts';
import { createCsvSource } from '../sources/csv-source.ts';
import { createSimulatedSource } from '../sources/simulated-source.ts';
import { jobNeeded } from './freshness.ts';

const FRIDAY = Date.parse('2024-03-08T22:00:00Z');
const MARKET = smallMarket('2023-12-01', '2024-03-08');
/** A market with more sessions than one transaction publishes. */
const LONG_MARKET = smallMarket('2023-01-03', '2024-03-08');

const { database, run: query, column } = databaseOfTheseTests();
const folders: { remove(): void }[] = [];

afterEach(async () => {
  for (const folder of folders.splice(0)) folder.remove();
  await emptyCollected(database);
});

function csv(
  files: Readonly<Record<string, string>> = MARKET,
  options: { replay?: boolean; asOf?: string } = {},
): Source {
  const folder = marketFolder(files);
  folders.push(folder);
  return createCsvSource({ dir: folder.dir, ...options });
}

const options = (source: Source, now = FRIDAY, on = database) => ({ database: on, source, now: () => now });

const dump = (ids = true) => dumpCollected(database, { ids });

const runs = () =>
  query('select status, rows_written, rows_refused, error, problems from collector.runs order by id');
/** A simulated market that begins on the first of January, so that a run is fast. */
const demonstration = () => createSimulatedSource({ seed: 'test', years: 0 });
const batches = () => column('select created_at from market_metrics order by created_at');
/** The VIX of the newest row sets, the newest first. */
const newestVix = (count: number) =>
  column(`select vix from advanced_indicators order by created_at desc limit ${count}`);

describe('backfill', () => {
  it('publishes one row set per session at the time of the closing bell', async () => {
    const report = await backfill(options(csv(LONG_MARKET)));
    expect(report).toMatchObject({ firstSession: '2023-01-03', lastSession: '2024-03-08', rowsRefused: 0 });
    const published = await batches();
    expect(published).toHaveLength(297);
    expect(published.at(-1)).toBe('2024-03-08T21:00:00.000Z');
    expect(await column('select count(*) from collector.bars')).toEqual([297 * 6]);
    expect(await column('select distinct source from market_sentiment')).toEqual(['csv']);
    const run = { status: 'succeeded', rows_written: report.rowsWritten, error: null };
    expect(await runs()).toMatchObject([run]);
  });

  it('ends with the same tables after an interruption at any of its transactions [R4]', async () => {
    const source = csv(LONG_MARKET);
    await backfill(options(source));
    const whole = await dump(false);
    await emptyCollected(database);
    let survives = 0;
    for (let killed = true; killed; survives += 1) {
      killed = await backfill(options(source, FRIDAY, endingAfter(database, survives))).then(
        () => false,
        (error: Error) => error.message === 'killed',
      );
    }
    expect(survives).toBeGreaterThan(6);
    expect(await dump(false)).toBe(whole);
  });

  it('writes only the rows that a corrected file changes', async () => {
    await backfill(options(csv()));
    const bars = MARKET['bars.csv']?.trimEnd().replace(/\d+$/, '12345') ?? '';
    const vix = MARKET['vix.csv']?.trimEnd().replace(/[\d.]+$/, '99.5') ?? '';
    const later = csv({ ...MARKET, 'bars.csv': bars, 'vix.csv': vix });
    expect((await backfill(options(later))).rowsWritten).toBeLessThan(20);
    const changed = await query(
      `select volume, value from collector.bars join collector.series using (session)
       where session = '2024-03-08' and name = 'vix_close' and volume = 12345`,
    );
    expect(changed).toEqual([{ volume: 12345, value: 99.5 }]);
    expect((await backfill(options(later))).rowsWritten).toBe(0);
  });

  it('leaves the shown past of the simulated market alone in a later year', async () => {
    const source = createSimulatedSource({ years: 0 });
    const past = () =>
      query(
        "select symbol, price, created_at from market_indices where created_at < '2025-01-01' order by 3, 1",
      );
    await backfill(options(source, Date.parse('2024-12-31T22:00:00Z')));
    const before = await past();
    expect(before.length).toBeGreaterThan(700);
    await backfill(options(source, Date.parse('2025-01-03T22:00:00Z')));
    expect(await past()).toEqual(before);
  });
});

describe('collect', () => {
  it('moves all sessions of a replay, so that no session occurs twice', async () => {
    const replay = csv(MARKET, { replay: true });
    await backfill(options(replay, Date.parse('2025-11-21T22:00:00Z')));
    const before = await newestVix(5);
    expect(new Set(before).size).toBe(5);
    await collect(options(replay, Date.parse('2025-11-25T22:00:00Z')));
    expect((await batches()).at(-1)).toBe('2025-11-25T21:00:00.000Z');
    expect(await column('select distinct source from market_indices')).toEqual(['replay']);
    expect(await newestVix(5)).toEqual(before);
  });

  it('publishes each session that has closed since the last run, newest first', async () => {
    await collect(options(csv(MARKET, { asOf: '2024-03-05' })));
    expect(await batches()).toEqual(['2024-03-05T21:00:00.000Z']);
    await collect(options(csv()));
    expect((await batches()).slice(-4)).toEqual([5, 6, 7, 8].map((day) => `2024-03-0${day}T21:00:00.000Z`));
  });

  it('publishes the corrected and late values of the last ten sessions of the files', async () => {
    const withVix = (days: number, vix: number) => {
      const rows = MARKET['vix.csv']?.trimEnd().split('\n') ?? [];
      const at = rows.length - 1 - days;
      return { ...MARKET, 'vix.csv': rows.with(at, `${rows[at]?.split(',')[0]},1,1,1,${vix}`).join('\n') };
    };
    await backfill(options(csv()));
    const published = await newestVix(11);
    await collect(options(csv(withVix(3, 99.5))));
    expect(await newestVix(11)).toEqual(published.with(3, 99.5));
    expect(await query("select session, before, after from quality_events where kind = 'corrected'")).toEqual(
      [{ session: '2024-03-05', before: String(published[3]), after: '99.5' }],
    );
    // The rows of older sessions stay as they were published.
    await collect(options(csv(withVix(10, 99.5))));
    expect((await newestVix(11))[10]).toBe(published[10]);
  });

  it('publishes the stocks of the newest row set and removes those before, outside the journal', async () => {
    await collect(options(csv(MARKET, { asOf: '2024-03-07' }), Date.parse('2024-03-07T22:00:00Z')));
    await collect(options(csv()));
    const stocks = await query<{ at: string; rows: number; known: number }>(
      `select created_at as at, count(*)::int as rows, count(change_percent + weight + volume)::int as known
       from market_stocks group by 1`,
    );
    expect(stocks).toEqual([{ at: '2024-03-08T21:00:00.000Z', rows: 6, known: 6 }]);
    expect(await query("select from archive.publications where rows::text like '%market_stocks%'")).toEqual(
      [],
    );
  });

  it('keeps the stocks of a newer row set', async () => {
    await collect(options(csv()));
    const stocks = () => query('select * from market_stocks order by id');
    const before = await stocks();
    expect(before).toHaveLength(6);
    await collect(options(csv(MARKET, { asOf: '2024-03-07' })));
    expect(await stocks()).toEqual(before);
  });

  it('ignores stored bars of companies that are no longer in the universe', async () => {
    await backfill(options(csv()));
    const universe = MARKET['universe.csv']?.split('\n').filter((row) => !row.startsWith('SYM5')) ?? [];
    const bars = MARKET['bars.csv']?.split('\n').filter((row) => !row.startsWith('SYM5')) ?? [];
    await backfill(
      options(csv({ ...MARKET, 'universe.csv': universe.join('\n'), 'bars.csv': bars.join('\n') })),
    );
    const counted =
      'select advancing_stocks + declining_stocks + unchanged_stocks from market_breadth order by created_at desc limit 1';
    expect(await column(counted)).toEqual([5]);
  });

  it('publishes hourly row sets of an open session beside its closing row set', async () => {
    const source = demonstration();
    const morning = Date.parse('2026-01-16T16:00:00Z');
    const noon = morning + 2 * 3_600_000;
    const evening = sessionClose('2026-01-16') + 600_000;
    for (const now of [morning, noon, noon, evening, evening + 3_600_000])
      await collect(options(source, now));
    expect(await batches()).toEqual(
      [morning, noon, sessionClose('2026-01-16')].map((instant) => new Date(instant).toISOString()),
    );
    const stored = "select distinct session from collector.bars where session >= '2026-01-16'";
    expect(await column(stored)).toEqual(['2026-01-16']);
  });

  it('publishes the close of a session that was open in the last run', async () => {
    const source = demonstration();
    const [before = 0, friday = 0, after = 0] = ['2026-01-15', '2026-01-16', '2026-01-20'].map(sessionClose);
    const open = Date.parse('2026-01-16T16:00:00Z');
    for (const now of [before, open, after]) await collect(options(source, now));
    expect(await batches()).toEqual([before, open, friday, after].map((at) => new Date(at).toISOString()));
  });

  it('keeps the published rows if a run fails', async () => {
    await backfill(options(csv()));
    const before = await dump();
    const broken = csv({ ...MARKET, 'bars.csv': `${BAR_HEADER}\nSYM0,2024-03-08,1,2,3,1,1` });
    await expect(collect(options(broken))).rejects.toThrow(/^bars\.csv has no valid bar/);
    expect(await dump()).toBe(before);
    expect((await runs()).at(-1)).toMatchObject({
      status: 'failed',
      error: 'bars.csv has no valid bar (bars.csv, line 2, column high: 2 is below the low of 3).',
      rows_refused: 1,
      problems: [{ kind: 'high below low', count: 1 }],
    });
  });

  it('records a run as failed if the work after its publication fails', async () => {
    const afterPublish = () => Promise.reject(new Error('No outlook.'));
    await expect(collect({ ...options(csv()), afterPublish })).rejects.toThrow('No outlook.');
    expect(await runs()).toEqual([
      {
        status: 'failed',
        error: 'No outlook.',
        rows_written: expect.any(Number),
        rows_refused: 0,
        problems: [],
      },
    ]);
    expect((await runs())[0]?.rows_written).toBeGreaterThan(0);
    expect(await query('select from public.market_metrics')).not.toEqual([]);
  });

  it('records a killed run as stopped', async () => {
    await query(
      `insert into collector.runs (job, source, period, is_scheduled, started_at, status)
       values ('collect', 'csv', '2024-03-08T20:00:00Z', true, '2024-03-08T20:31:00Z', 'running')`,
    );
    await collect(options(csv()));
    expect((await runs()).map(({ status, error }) => [status, error])).toEqual([
      ['stopped', 'The run ended before it was done.'],
      ['succeeded', null],
    ]);
  });

  it('writes nothing once another process has taken over, also after publishing', async () => {
    let isHeld = true;
    const taken = collect({
      ...options(csv()),
      checkHeld: async () => {
        if (!isHeld) throw new Error('Another process took over.');
      },
      afterPublish: async (checked) => {
        isHeld = false;
        await checked.transaction((transaction) => transaction.query('delete from collector.runs'));
      },
    });
    await expect(taken).rejects.toThrow('Another process took over.');
    expect(await runs()).toMatchObject([{ status: 'failed', error: 'Another process took over.' }]);
    expect(await batches()).toHaveLength(1);
  });

  it('removes row sets of open sessions after 30 days [R3]', async () => {
    const source = demonstration();
    const morning = Date.parse('2026-01-06T15:00:00Z');
    await collect(options(source, morning));
    await collect(options(source, sessionClose('2026-01-06')));
    expect(await batches()).toHaveLength(2);
    // A row of the same time that the collector did not write.
    await query(
      `insert into market_indices (symbol, name, created_at) values ('OWN', 'Own', '2026-01-06T15:00:00Z')`,
    );
    await collect(options(source, Date.parse('2026-02-20T22:00:00Z')));
    const left = await batches();
    expect(left[0]).toBe('2026-01-06T21:00:00.000Z');
    expect(left).not.toContain(new Date(morning).toISOString());
    const ofMorning = "select symbol from market_indices where created_at = '2026-01-06T15:00:00Z'";
    expect(await column(ofMorning)).toEqual(['OWN']);
  });

  it('replaces demonstration rows by real rows, never the reverse', async () => {
    // The evening before, so that no row of the real market has the same time.
    await collect(options(demonstration(), FRIDAY - 86_400_000));
    await collect(options(csv()));
    expect(await column('select distinct source from market_indices')).toEqual(['csv']);
    expect(await column('select count(*) from collector.symbols')).toEqual([6]);
    const before = await dump();
    await expect(collect(options(demonstration()))).rejects.toThrow(
      /^The database has data of a real market \(csv\)\. Set another BAROMETER_DATA_DIR for demonstration data\.$/,
    );
    expect(await dump()).toBe(before);
  });
});

it('publishes a session after the next close with a delay, as observed on that day', async () => {
  const publishing: Source['publishing'] = {
    settings: { ...EVERYTHING, delay: 1 },
    suppliersOf: () => ['csv'],
    sheet: [],
  };
  const delayed: Source = { ...csv(), publishing };
  await collect(options(delayed, Date.parse('2024-03-07T22:00:00Z')));
  await collect(options(delayed));
  expect(
    await query('select session, origin, kind from archive.publications order by id desc limit 1'),
  ).toEqual([{ session: '2024-03-07', origin: 'live', kind: 'final' }]);
  expect((await batches()).at(-1)).toContain('2024-03-07');
  expect(await jobNeeded(database, delayed, FRIDAY)).toBe('collect');
});
