import type { Source } from '#collector/history/source.ts';
import { newestPeriod, nextPeriod } from '#collector/periods.ts';
import { PROVIDER_NAMES, type ProviderName } from '#collector/providers/provider.ts';
import { createLiveSource } from '#collector/sources/live-source.ts';
import type { Database } from '#database/port.ts';
import { sessionClose } from '#domain/calendar/sessions.ts';
import type { Member, SeriesName } from '#domain/market-history.ts';
import { fakeHttp, fakeProvider } from './fake-providers.ts';
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
