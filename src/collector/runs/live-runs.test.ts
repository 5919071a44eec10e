import { afterEach, describe, expect, it } from 'vitest';
import { parseDay } from '#domain/calendar/days.ts';
import {
  newestClosedSession,
  newestOpenedSession,
  sessionClose,
  sessionsBetween,
} from '#domain/calendar/sessions.ts';
import type { MarketHistory } from '#domain/market-history.ts';
import { barsOf } from '#tests/support/bars.ts';
import { backfill, collect, type RunOptions } from '#tests/support/collect.ts';
import { dumpCollected, emptyCollected, endingAfter } from '#tests/support/collected.ts';
import { databaseOfTheseTests } from '#tests/support/database-of-each-test.ts';
import { fakeBar, fakeMembers, fakeValue } from '#tests/support/fake-providers.ts';
import { writeFutureRows } from '#tests/support/future-rows.ts';
import { marketFolder, smallMarket } from '#tests/support/market-folder.ts';
import { assembleHistory } from '../history/merge.ts';
import type { InputOrigin, Source, SourceReading, SourceRequest } from '../history/source.ts';
import { SourceError } from '../problems.ts';
import type { ProviderName } from '../providers/provider.ts';
import { createCsvSource } from '../sources/csv-source.ts';

const FIRST = '2023-11-01';
const FRIDAY = '2024-03-08';
const EVENING = sessionClose(FRIDAY) + 3_600_000;
const SECTORS = ['Energy', 'Financials', 'Utilities'];
const MEMBERS = fakeMembers(5);
const SYMBOLS = MEMBERS.map(({ symbol }) => symbol);
const RECENT = 15;

/** A provider's market that tests can change, and the requests to it. */
function fakeMarket() {
  const byDay = (valueOn: (day: string) => number) =>
    new Map(sessionsBetween(FIRST, FRIDAY).map((day) => [day, valueOn(day)]));
  return {
    /** The first session the provider has. */
    first: FIRST,
    closes: new Map(SYMBOLS.map((symbol) => [symbol, byDay((day) => fakeBar(symbol, day).close)])),
    vix: byDay((day) => fakeValue('vix_close', day)),
    provider: 'alpaca' as ProviderName,
    /** False if the runs return no VIX, so that it must come from the stored data. */
    hasVix: true,
    /** Symbols whose full history a run returns. */
    replaced: [] as string[],
    fails: false,
    requests: [] as SourceRequest[],
  };
}
type FakeMarket = ReturnType<typeof fakeMarket>;

/** A part of the market's history: some symbols or some sessions. */
function historyOf(
  { closes, vix, hasVix }: FakeMarket,
  sessions: readonly string[],
  symbols: readonly string[],
  wanted: (symbol: string, session: string) => boolean = () => true,
): MarketHistory {
  const members = MEMBERS.filter(({ symbol }) => symbols.includes(symbol) && closes.has(symbol));
  const rows = members.map(({ symbol }) => [
    symbol,
    sessions.map((day) => (wanted(symbol, day) ? (closes.get(symbol)?.get(day) ?? null) : null)),
  ]);
  const bars = {
    ...barsOf(Object.fromEntries(rows)),
    members,
    sessions: members.length === 0 ? [] : sessions,
  };
  const values = new Map(sessions.map((day) => [parseDay(day), vix.get(day) ?? Number.NaN]));
  return assembleHistory(bars, new Map(hasVix ? [['vix_close', values]] : []), 'Test 5');
}

/** A live source of a fake market: fetches a backfill in parts, then the recent sessions. */
function liveSource(market: FakeMarket, storedSessions = 1_150): Source {
  async function* missingParts({ stored, now }: SourceRequest): AsyncGenerator<MarketHistory> {
    const known = stored?.bars.members.map(({ symbol }) => symbol) ?? [];
    const missing = SYMBOLS.filter((symbol) => !known.includes(symbol));
    const sessions = sessionsBetween(market.first, newestClosedSession(now));
    for (let at = 0; at < missing.length; at += 2)
      yield { ...historyOf(market, sessions, missing.slice(at, at + 2)), series: {} };
    if (market.hasVix && stored?.series.vix_close === undefined) yield historyOf(market, sessions, []);
  }
  async function read(request: SourceRequest): Promise<SourceReading> {
    market.requests.push(request);
    if (market.fails) throw new SourceError('No provider returned data.');
    const { now } = request;
    const { hasVix, provider, replaced } = market;
    const last = newestOpenedSession(now);
    const sessions = sessionsBetween(market.first, last);
    const recent = sessions.slice(-RECENT);
    const history = historyOf(
      market,
      replaced.length > 0 ? sessions : recent,
      SYMBOLS,
      (symbol, session) => recent.includes(session) || replaced.includes(symbol),
    );
    const origin = (input: InputOrigin['input'], session: string, fetched: boolean): InputOrigin => ({
      input,
      provider: fetched ? provider : null,
      session,
      observedAt: Math.min(sessionClose(session), now),
      fetchedAt: fetched ? now : null,
    });
    return {
      history,
      members: MEMBERS,
      replaced,
      observedAt: now < sessionClose(last) ? now : null,
      originsOf: (session) => [origin('bars', session, true), origin('vix_close', session, hasVix)],
    };
  }
  return {
    name: 'live',
    storedSessions,
    async plan(request) {
      market.requests.push(request);
      return { missing: missingParts(request), read: (stored) => read({ ...request, stored }) };
    },
    calls: () => [
      { provider: market.provider, requests: market.requests.length, retries: 0, bytes: 1, failures: {} },
    ],
  };
}

const { database, run: query, column } = databaseOfTheseTests();

afterEach(() => emptyCollected(database));

const options = (market: FakeMarket, now = EVENING, on = database): RunOptions => ({
  database: on,
  source: liveSource(market),
  now: () => now,
});
/** A market whose history is stored. */
async function backfilled(changes: Partial<FakeMarket> = {}): Promise<FakeMarket> {
  const market = { ...fakeMarket(), ...changes };
  await backfill(options(market));
  return market;
}

const iso = (at: number) => new Date(at).toISOString();
const batches = () => column('select created_at from market_metrics order by created_at');
const vixOf = async (session: string) =>
  (
    await column('select vix from advanced_indicators where created_at = $1', [iso(sessionClose(session))])
  )[0];

describe('a backfill of live data', () => {
  it('continues after a kill at any transaction and ends with the same tables', async () => {
    const market = await backfilled({ first: '2024-02-12' });
    const undisturbed = await dumpCollected(database, { ids: false });
    expect(await batches()).toHaveLength(19);
    await emptyCollected(database);
    let survives = 0;
    for (let killed = true; killed; survives += 1) {
      killed = await backfill(options(market, EVENING, endingAfter(database, survives))).then(
        () => false,
        (error: Error) => error.message === 'killed',
      );
    }
    expect(await dumpCollected(database, { ids: false })).toBe(undisturbed);
    expect(survives).toBeGreaterThan(8);
  });

  it('fetches only the history that is not stored', async () => {
    const market = fakeMarket();
    await expect(backfill(options(market, EVENING, endingAfter(database, 6)))).rejects.toThrow('killed');
    market.requests = [];
    await backfill({ ...options(market), source: liveSource(market, 30) });
    const [backfilling, reading] = market.requests;
    expect(backfilling?.stored?.bars.members.map(({ symbol }) => symbol)).toEqual(['S00', 'S01']);
    expect(reading?.stored?.bars.members).toHaveLength(MEMBERS.length);
    expect(reading?.stored?.bars.sessions).toHaveLength(30);
    expect(reading?.stored?.series.vix_close?.length).toBeGreaterThan(60);
  });
});

describe('a run with live data', () => {
  it('replaces the history of a readjusted symbol after a kill at any transaction', async () => {
    const market = await backfilled();
    for (const [day, close] of market.closes.get('S02') ?? []) market.closes.get('S02')?.set(day, close / 2);
    // Bars missing at the provider must not keep the old scale.
    market.closes.get('S02')?.delete(FIRST);
    market.replaced = ['S02'];
    const later = { ...market };
    const closes = () =>
      query<{ n: number; scale: number; first: string }>(
        `select count(*)::int as n, (max(close) / min(close))::float8 as scale, min(session) as first
         from collector.bars join collector.symbols on id = symbol_id where symbol = 'S02'`,
      );
    const [before] = await closes();
    for (let survives = 0; survives < 6; survives += 1) {
      await collect(options(later, EVENING, endingAfter(database, survives))).catch(() => undefined);
      const [now] = await closes();
      // Either all bars have the old scale, or all have the new one.
      expect([before?.first, '2023-11-02']).toContain(now?.first);
      expect(now?.scale).toBeLessThan(2 * (before?.scale ?? 0) * 0.99);
    }
    await collect(options(later));
    expect(await closes()).toMatchObject([{ n: (before?.n ?? 0) - 1, first: '2023-11-02' }]);
  });

  it('corrects the last ten sessions but no older rows', async () => {
    const market = await backfilled();
    const sessions = sessionsBetween(FIRST, FRIDAY);
    const [tenth, eleventh] = [sessions.at(-10) as string, sessions.at(-11) as string];
    const before = await vixOf(tenth);
    const stands = await vixOf(eleventh);
    market.vix.set(tenth, 33);
    market.vix.set(eleventh, 44);
    const report = await collect(options(market, EVENING + 3_600_000));
    expect(report).toMatchObject({ rowsWritten: 2, notes: [{ kind: 'correction', count: 2 }] });
    expect([await vixOf(tenth), await vixOf(eleventh)]).toEqual([33, stands]);
    // The next session has the change from the corrected close.
    expect(report.notes[0]?.first).toEqual([
      `advanced_indicators of ${tenth} was corrected`,
      `advanced_indicators of ${sessions.at(-9)} was corrected`,
    ]);
    expect(await query("select input, before, after from quality_events where kind = 'corrected'")).toEqual([
      { input: 'advanced_indicators vix', before: String(before), after: '33' },
    ]);
    const after = await dumpCollected(database);
    await collect(options(market, EVENING + 3_600_000));
    await backfill(options(market, EVENING + 3_600_000));
    expect(await dumpCollected(database)).toBe(after);
  });

  it('records no correction for a rounding difference', async () => {
    const market = await backfilled();
    const before = await dumpCollected(database);
    const close = market.vix.get(FRIDAY) as number;
    market.vix.set(FRIDAY, close * (1 + 1e-12));
    expect(await collect(options(market))).toMatchObject({ rowsWritten: 0, notes: [] });
    market.vix.set(FRIDAY, close);
    await collect(options(market));
    expect(await dumpCollected(database)).toBe(before);
  });

  it('adds missing values to older rows in a backfill', async () => {
    const market = await backfilled({ hasVix: false });
    const [early, newest] = ['2024-01-03', FRIDAY];
    expect([await vixOf(early), await vixOf(newest)]).toEqual([null, null]);
    market.hasVix = true;
    await collect(options(market));
    expect([await vixOf(early), await vixOf(newest)]).toEqual([null, market.vix.get(newest)]);
    await backfill(options(market));
    expect(await vixOf(early)).toBe(market.vix.get(early));
  });

  it('records the origin of every input of a batch, stored values included', async () => {
    const market = await backfilled();
    const origins = () =>
      query(
        `select input, provider, session, observed_at, fetched_at from input_origins
         where created_at = (select max(created_at) from input_origins) order by input`,
      );
    const [close, fetched] = [sessionClose(FRIDAY), EVENING].map(iso);
    const expected = ['bars', 'vix_close'].map((input) => ({
      ...{ input, provider: 'alpaca', session: FRIDAY, observed_at: close, fetched_at: fetched },
    }));
    expect(await origins()).toEqual(expected);
    expect(await column('select count(*) from input_origins')).toEqual([20]);

    // A new fetch time alone changes nothing. A stored value keeps its origin.
    market.hasVix = false;
    const report = await collect(options(market, EVENING + 3_600_000));
    expect(await origins()).toEqual(expected);
    expect(report.origins[1]).toMatchObject({ provider: 'alpaca', fetchedAt: EVENING });
    expect(await query('select origins from collector.runs order by id desc limit 1')).toEqual([
      { origins: report.origins },
    ]);

    market.provider = 'yahoo';
    await collect(options(market, EVENING + 7_200_000));
    expect(await origins()).toMatchObject([{ provider: 'yahoo' }, { provider: 'alpaca' }]);
  });

  it('changes no row if it fails', async () => {
    const market = await backfilled();
    const before = await dumpCollected(database);
    const monday = sessionClose('2024-03-11');
    market.fails = true;
    const period = monday + 1_800_000;
    await expect(collect({ ...options(market, monday + 3_600_000), isScheduled: true })).rejects.toThrow(
      /^No provider/,
    );
    const late = new SourceError('The run was stopped.');
    market.fails = false;
    const run = options(market, monday + 3_600_000);
    await expect(collect({ ...run, signal: AbortSignal.abort(late) })).rejects.toBe(late);
    const lost = new Error('Another process has taken over.');
    const checkHeld = () => Promise.reject(lost);
    await expect(collect({ ...run, checkHeld })).rejects.toBe(lost);
    expect(await dumpCollected(database)).toBe(before);
    const records = await query(
      'select status, error, period, is_scheduled, providers from collector.runs order by id',
    );
    const providers = [{ provider: 'alpaca', requests: 4 }];
    expect(records).toMatchObject([
      { status: 'succeeded', error: null },
      {
        status: 'failed',
        error: 'No provider returned data.',
        period: iso(period),
        is_scheduled: true,
        providers,
      },
      { status: 'stopped', error: 'The run was stopped.' },
      { status: 'failed', error: 'Another process has taken over.', is_scheduled: false },
    ]);
  });

  it('continues the rows of a folder of CSV files, which replaces them again', async () => {
    const market = fakeMarket();
    const folder = marketFolder(smallMarket('2023-11-01', '2024-03-07'));
    await backfill({ ...options(market), source: createCsvSource({ dir: folder.dir }) });
    market.requests = [];
    await collect(options(market));
    expect(market.requests[0]?.stored?.bars.members).toHaveLength(6);
    expect(await column('select distinct source from market_metrics order by 1')).toEqual(['csv', 'live']);
    expect(await query("select * from quality_events where kind = 'corrected'")).toEqual([]);
    // Rows from the folder replace live rows together with their origins.
    await backfill({ ...options(market), source: createCsvSource({ dir: folder.dir }) });
    folder.remove();
    const days = "select distinct to_char(created_at, 'YYYY-MM-DD') from input_origins";
    expect(await column(days)).toEqual([FRIDAY]);
  });

  it('replaces rows of the future by all sessions since the newest valid row if the operator asks for it [R23]', async () => {
    const market = fakeMarket();
    await collect(options(market, sessionClose('2024-03-05') + 60_000));
    const before = await batches();
    await writeFutureRows(
      database,
      `insert into market_metrics (market_exposure, source, created_at) values (1, 'live', '2037-05-01T20:00:00Z')`,
      `insert into market_metrics (market_exposure, created_at) values (2, '2037-05-02T20:00:00Z')`,
      `insert into input_origins (input, source, created_at) values ('vix_close', 'live', '2037-05-01T20:00:00Z')`,
    );
    const report = await collect({ ...options(market), removesFuture: true });
    // The collector published the sessions since the newest row set that is not dated in the future. It did not remove
    // the future row that another program wrote.
    expect((await batches()).slice(before.length)).toEqual([
      ...sessionsBetween('2024-03-06', FRIDAY).map((day) => iso(sessionClose(day))),
      '2037-05-02T20:00:00.000Z',
    ]);
    expect(report.notes).toContainEqual({
      kind: 'clock',
      count: 1,
      first: ['2 rows dated in the future were removed. Check the clocks of all machines that collect.'],
    });
  });

  it('publishes a row with null values for a sector without data', async () => {
    const market = fakeMarket();
    market.closes.delete('S02');
    await collect(options(market));
    const newest = 'select sector, strength from sector_strength order by created_at desc, sector limit 3';
    expect(await query(newest)).toEqual(SECTORS.map((sector) => ({ sector, strength: null })));
  });
});
