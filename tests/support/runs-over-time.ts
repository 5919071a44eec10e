import type { Source } from '#collector/history/source.ts';
import { newestPeriod, nextPeriod } from '#collector/periods.ts';
import { PROVIDER_NAMES, type ProviderName } from '#collector/providers/provider.ts';
import { PUBLISHED_TABLES } from '#collector/publish/row-sets.ts';
import { createLiveSource } from '#collector/sources/live-source.ts';
import { type Database, queryOnce, type Row } from '#database/port.ts';
import {
  isSession,
  marketDay,
  newestClosedSession,
  previousSession,
  sessionClose,
  sessionOpen,
  sessionsBetween,
} from '#domain/calendar/sessions.ts';
import type { Member, SeriesName } from '#domain/market-history.ts';
import { fakeBar, fakeHttp, fakeProvider, fakeValue } from './fake-providers.ts';
import { servingProcess } from './serving-process.ts';

const HOUR = 3_600_000;
/** Delay of the late values after the close. */
const PUBLISHED_AFTER: Partial<Record<SeriesName, number>> = {
  put_call_total: 2.5 * HOUR,
  put_call_equity: 2.5 * HOUR,
  high_yield_oas: 15 * HOUR,
  investment_grade_oas: 15 * HOUR,
  treasury_10y_yield: 3 * HOUR,
};
/** Offset of prices before the close, so that a test detects one used as a close. */
const WITHIN_SESSION = 1.01;
/** Factor of a wrong price. */
const WRONG = 1.03;

/**
 * The live source over providers with the data of real ones at each time: prices of the open session, which differ from
 * its closes, and late values after their publication. In some hours one of them fails for all data.
 */
export function marketOverTime({
  members,
  now,
  first,
  failing,
  wrongUntil = () => 0,
}: {
  members: readonly Member[];
  now: () => number;
  /** The first day of the market's history. */
  first: string;
  /** The provider that fails at a time; null for none. */
  failing: (now: number) => ProviderName | null;
  /** The instant until which the first company's price of a session is wrong. */
  wrongUntil?: (session: string) => number;
}): Source {
  const closes = new Map<string, number>();
  const closeOf = (session: string): number => {
    const close = closes.get(session) ?? sessionClose(session);
    closes.set(session, close);
    return close;
  };
  const providers = PROVIDER_NAMES.map((name) => {
    const provider = fakeProvider(name);
    provider.bars = (bar) => {
      if (bar.session < first) return null;
      const isWrong = bar.symbol === members[0]?.symbol && now() < wrongUntil(bar.session);
      if (isWrong) return { ...bar, close: bar.close * WRONG, high: bar.high * WRONG };
      if (now() >= closeOf(bar.session)) return bar;
      return { ...bar, close: bar.close * WITHIN_SESSION, high: bar.high * WITHIN_SESSION };
    };
    provider.value = (series, session, value) => {
      if (session < first) return null;
      const out = closeOf(session) + (PUBLISHED_AFTER[series] ?? 0);
      if (now() >= out) return value;
      return PUBLISHED_AFTER[series] === undefined ? value * WITHIN_SESSION : null;
    };
    provider.failing = () => (failing(now()) === name ? 'server error' : null);
    return provider;
  });
  return createLiveSource({
    providers,
    readMembers: async () => members,
    universe: 'Test',
    openHttp: () => fakeHttp(),
  });
}

const STEP_MS = 10 * 60_000;

/** A period (epoch ms) during which the server runs. It is stopped between two of them. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
}

/** Results of the scheduled runs. */
export interface RunsOverTime {
  readonly hours: number;
  readonly done: number;
  readonly failed: number;
  readonly fills: number;
  /** Periods that fell due while a server ran. */
  readonly due: readonly number[];
  /** Final time of the clock. */
  readonly end: number;
}

/** Runs the collector of a serving process over these periods, with a clock that moves ten minutes at a time. */
export async function collectOverTime(
  database: Database,
  stretches: readonly Stretch[],
  market: {
    members: readonly Member[];
    first: string;
    failing: (now: number) => ProviderName | null;
    wrongUntil?: (session: string) => number;
  },
): Promise<RunsOverTime> {
  const time = { now: stretches[0]?.from ?? 0 };
  const now = () => time.now;
  const counts = { hours: 0, done: 0, failed: 0, fills: 0 };
  const due: number[] = [];
  for (const { from, to } of stretches) {
    time.now = from;
    const server = servingProcess(database, marketOverTime({ ...market, now }), { now });
    due.push(newestPeriod(from));
    for (let period = nextPeriod(from); period < to; period = nextPeriod(period)) due.push(period);
    for (; time.now < to; time.now += STEP_MS) await server.tick();
    counts.hours += (to - from) / 3_600_000;
    for (const { event, job } of server.lines) {
      if (event === 'job failed') counts.failed += 1;
      if (event === 'job done') counts.done += 1;
      if (event === 'job done' && job === 'backfill') counts.fills += 1;
    }
  }
  return { ...counts, due, end: time.now };
}

/** Expected and present sessions, rows and row limit of each table, and one sentence per fault. */
export interface Published {
  readonly sessionsExpected: number;
  readonly sessionsPresent: number;
  readonly tables: readonly { name: string; rows: number; bound: number }[];
  readonly faults: readonly string[];
}

/** Upper limits in sessions: intraday row sets are kept for 30 days, records for 400 days. */
const INTRADAY_SESSIONS = 22;
const RECORDED_SESSIONS = 278;
const PERIODS = 8;
const INPUTS = 18;

const asMs = (column: string) => `(extract(epoch from ${column}) * 1000)::double precision`;

/**
 * Checks the results of the runs of `marketOverTime`: each table has exactly one closing row set per session, with that
 * session's values; each period is done once; no table exceeds its limit.
 */
export async function examinePublished(
  database: Database,
  { due, end }: RunsOverTime,
  { members, first, from }: { members: readonly Member[]; first: string; from: number },
): Promise<Published> {
  const query = <R extends Row>(sql: string) => queryOnce<R>(database, sql, [], { readOnly: true });
  const faults: string[] = [];
  const sessions = sessionsBetween(marketDay(from), newestClosedSession(end));

  let present = sessions.length;
  for (const { name, key } of PUBLISHED_TABLES) {
    const batches = await query<{ at: number; rows: number; keys: number }>(
      `select ${asMs('created_at')} as at, count(*) as rows, count(distinct ${key ?? '1'}) as keys
       from public.${name} group by created_at order by created_at`,
    );
    const instants = new Set(batches.map(({ at }) => at));
    const missing = sessions.filter((session) => !instants.has(sessionClose(session)));
    present = Math.min(present, sessions.length - missing.length);
    if (missing.length > 0) faults.push(`${name} has no close of ${missing.join(', ')}`);
    for (const { at, rows, keys } of batches) {
      if (rows !== keys) faults.push(`${name} has ${rows} rows for ${keys} at ${new Date(at).toISOString()}`);
      const stray = strayText(at);
      if (stray !== null) faults.push(`${name} has rows ${stray}`);
    }
  }
  faults.push(...(await wrongPrices(query)), ...(await wrongCounts(query, members)));

  const jobRuns = await query<{ at: number; status: string }>(
    `select ${asMs('period')} as at, status from collector.runs`,
  );
  const done = new Set(jobRuns.filter(({ status }) => status === 'succeeded').map(({ at }) => at));
  const kept = due.filter((period) => period > end - 400 * 86_400_000);
  for (const period of kept.filter((each) => !done.has(each))) {
    faults.push(`the period of ${new Date(period).toISOString()} is not done`);
  }

  const shown = sessionsBetween(first, newestClosedSession(end)).length + INTRADAY_SESSIONS * PERIODS;
  const runs = RECORDED_SESSIONS * PERIODS;
  const bounds: Readonly<Record<string, number>> = {
    ...Object.fromEntries(
      PUBLISHED_TABLES.map(({ name, key }) => [`public.${name}`, shown * (key ? 11 : 1)]),
    ),
    'public.input_origins': (RECORDED_SESSIONS + INTRADAY_SESSIONS * PERIODS) * INPUTS,
    'public.market_stocks': members.length + 1,
    'collector.symbols': members.length + 1,
    'collector.bars': members.length * 1_300,
    'collector.series': INPUTS * 3_000,
    'collector.holding': 1,
    'collector.runs': runs * 1.5,
    'operations.leases': 0,
    'operations.servers': 0,
    'operations.data_version': 1,
    'operations.data_changes': 0,
  };
  const tables = [];
  for (const [name, bound] of Object.entries(bounds)) {
    const rows = (await query<{ rows: number }>(`select count(*) as rows from ${name}`))[0]?.rows ?? 0;
    tables.push({ name, rows, bound });
    if (rows > bound) faults.push(`${name} has ${rows} rows, more than ${bound}`);
  }
  return { sessionsExpected: sessions.length, sessionsPresent: present, tables, faults };
}

/** Explains why rows of this time belong to no session; null if they are within one or at its close. */
function strayText(at: number): string | null {
  const session = marketDay(at);
  const text = new Date(at).toISOString();
  if (!isSession(session)) return `of ${text}, when there was no session`;
  return at > sessionOpen(session) && at <= sessionClose(session) ? null : `of ${text}, outside its session`;
}

type Query = <R extends Row>(sql: string) => Promise<R[]>;

/** Closing prices of the S&P 500 that differ from those of their session. */
async function wrongPrices(query: Query): Promise<string[]> {
  const rows = await query<{ at: number; price: number }>(
    `select ${asMs('created_at')} as at, price from public.market_indices where symbol = 'SPX'`,
  );
  return rows.flatMap(({ at, price }) => {
    const session = marketDay(at);
    const close = fakeValue('sp500_close', session);
    return at !== sessionClose(session) || Math.abs(price - close) < 1e-6
      ? []
      : [`the S&P 500 closed at ${price} on ${session}, not at ${close}`];
  });
}

/** Counts of advancing stocks that differ from those of their session, both the exchange's and our own. */
async function wrongCounts(query: Query, members: readonly Member[]): Promise<string[]> {
  const rows = await query<{ at: number; advancing: number; universe: string }>(
    `select ${asMs('created_at')} as at, advancing_stocks as advancing, universe from public.market_breadth
     order by created_at`,
  );
  // No session comes before the first one, so no stock can advance.
  return rows.slice(1).flatMap(({ at, advancing, universe }) => {
    const session = marketDay(at);
    if (at !== sessionClose(session)) return [];
    const before = previousSession(session);
    const own = members.filter(
      ({ symbol }) => fakeBar(symbol, session).close > fakeBar(symbol, before).close,
    ).length;
    const right = universe === 'NYSE' ? fakeValue('nyse_advances', session) : own;
    return Math.abs(advancing - right) < 1e-6
      ? []
      : [`${advancing} of ${universe} advanced on ${session}, not ${right}`];
  });
}
