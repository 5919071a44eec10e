import {
  lastSessions,
  newestClosedSession,
  newestOpenedSession,
  previousSession,
  sessionClose,
  sessionOpen,
} from '#domain/calendar/sessions.ts';
import type { SeriesName } from '#domain/market-history.ts';
import { SETTLED_AFTER } from '../periods.ts';
import type { Input, Provider, ProviderName } from '../providers/provider.ts';

/** Ranges, tolerances and batch sizes of the live source. */
export const LIVE_LIMITS = {
  /** 624 sessions to the first full index value, a year of it, 252 + 20 before for 52-week highs, and two spare. */
  barSessions: 1_150,
  /** Sessions of series: 500 weeks to rank a weekly indicator, 35 weeks before its first value, and a year of ranks. */
  seriesSessions: 2_850,
  /** Stored sessions beyond those that a run reads. */
  spareSessions: 150,
  /** The first day of the series that the risk outlook needs as long as possible: the VIX begins here. */
  longSeriesFrom: '1990-01-02',
  /** Sessions of put/call ratios, which take one request per day. */
  putCallSessions: 900,
  /** Sessions that every run fetches. An input whose stored data reach one of these sessions needs no backfill. */
  recentSessions: 15,
  /** Newest sessions in which the first provider may correct stored values. */
  correctedSessions: 10,
  /** A session counts only if at least this share of the symbols of the newest full session before it has a bar. */
  coverage: 0.9,
  /** A session repeats the session before it if at least this share of its bars is unchanged. */
  repeatedShare: 0.9,
  /** Largest relative difference of two closes due to rounding. */
  rounding: 0.001,
  /** Two providers' closes that differ by at least this ratio are on different scales, as after a split. */
  otherScale: 0.05,
  /** Share of a symbol's stored sessions that a replacement must contain. */
  completeness: 0.98,
  /** Symbols of one part of a backfill. */
  symbolsPerPart: 50,
  /** Days of put/call ratios of one part of a backfill. */
  daysPerPart: 25,
  /** Failures in a row after which a run sends a provider no more requests for the same topic. */
  failuresInARow: 3,
} as const;

/** A delayed feed has no data of a session before this (ms after the opening bell). */
const TRADED_AFTER = 20 * 60_000;

/** Sessions, both inclusive. */
export interface Range {
  readonly from: string;
  readonly to: string;
}

/**
 * The session to fetch: the open one, until 30 minutes after the bell because feeds are delayed, else the newest
 * closed one. `newestSettled` is the newest session with settled values: this one (`isSettled`) or the one before it.
 */
export function targetAt(now: number) {
  const session = newestOpenedSession(now);
  if (now >= sessionClose(session) + SETTLED_AFTER)
    return { session, isSettled: true, newestSettled: session };
  const newestSettled = previousSession(session);
  return now < sessionOpen(session) + TRADED_AFTER
    ? { session: newestSettled, isSettled: true, newestSettled }
    : { session, isSettled: false, newestSettled };
}

/** The first session that stays stored if a run reads `count` sessions. */
export function firstStored(now: number, count: number): string {
  return rangeUpTo(newestClosedSession(now), count + LIVE_LIMITS.spareSessions).from;
}

export function rangeUpTo(to: string, count: number): Range {
  return { from: lastSessions(to, count)[0] ?? to, to };
}

/** The members' bars, a series over a range, one request per day, the newest day only, or one-minute closes. */
type FetchMode = 'bars' | 'range' | 'day' | 'newest' | 'minutes';

interface PlanRow {
  readonly mode: FetchMode;
  /** Inputs of one request. */
  readonly inputs: readonly Input[];
  /** The providers of the inputs, in order of preference. */
  readonly providers: readonly ProviderName[];
  /** True if closes are adjusted for dividends, so that each dividend changes the whole history. */
  readonly adjusted?: true;
  /** Number of sessions after its own at which a value is published; 0 if absent. */
  readonly late?: number;
}

/** The inputs and their providers. The members' volumes replace that of the S&P 500: no index feed is better. */
const PLAN: readonly PlanRow[] = [
  { mode: 'bars', inputs: ['bars'], providers: ['alpaca', 'yahoo'] },
  { mode: 'range', inputs: ['sp500_close'], providers: ['yahoo', 'fred'] },
  { mode: 'range', inputs: ['nasdaq_composite_close'], providers: ['yahoo', 'fred'] },
  { mode: 'range', inputs: ['dow_jones_close'], providers: ['yahoo', 'fred'] },
  { mode: 'range', inputs: ['vix_close'], providers: ['cboe', 'yahoo'] },
  { mode: 'day', inputs: ['put_call_total', 'put_call_equity'], providers: ['cboe'] },
  { mode: 'range', inputs: ['high_yield_oas'], providers: ['fred'], late: 1 },
  { mode: 'range', inputs: ['investment_grade_oas'], providers: ['fred'], late: 1 },
  { mode: 'range', inputs: ['treasury_10y_yield'], providers: ['treasury', 'fred'], late: 1 },
  { mode: 'range', inputs: ['ofr_stress_index'], providers: ['ofr'], late: 2 },
  { mode: 'range', inputs: ['treasury_fund_close'], providers: ['alpaca', 'yahoo'], adjusted: true },
  {
    mode: 'newest',
    inputs: [
      'nyse_advances',
      'nyse_declines',
      'nyse_unchanged',
      'nyse_new_highs',
      'nyse_new_lows',
      'nyse_trin',
    ],
    providers: ['wsj'],
  },
  { mode: 'minutes', inputs: ['tick_proxy'], providers: ['alpaca'] },
];

/** Number of trading days after its session at which the value of an input is published. */
export const lateOf = (input: Input) => PLAN.find(({ inputs }) => inputs.includes(input))?.late ?? 0;

/** Inputs that are fetched together, and their configured providers, first choice first. */
export interface PlannedGroup extends Omit<PlanRow, 'providers'> {
  readonly providers: readonly Provider[];
}

export function planGroups(providers: readonly Provider[]): PlannedGroup[] {
  return PLAN.map((row) => ({
    ...row,
    providers: row.providers.flatMap((name) =>
      providers.filter(
        (each) => each.name === name && row.inputs.some((input) => each.inputs.includes(input)),
      ),
    ),
  }));
}

/** The providers of each input, first choice first; none if no provider is configured for it. */
export function planFor(providers: readonly Provider[]): { input: Input; providers: readonly Provider[] }[] {
  return planGroups(providers).flatMap((group) =>
    group.inputs.map((input) => ({
      input,
      providers: group.providers.filter(({ inputs }) => inputs.includes(input)),
    })),
  );
}

export function seriesOf(provider: Provider, inputs: readonly Input[]): SeriesName[] {
  return inputs.filter((input): input is SeriesName => input !== 'bars' && provider.inputs.includes(input));
}
