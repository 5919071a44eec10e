import { formatDay, parseDay } from '#domain/calendar/days.ts';
import { isSession, marketDay, newestClosedSession, sessionsBetween } from '#domain/calendar/sessions.ts';
import { LARGEST_COUNT, type SeriesName } from '#domain/market-history.ts';
import { BAR_FIELDS } from '../bar-table.ts';
import { type ProblemKind, shown } from '../problems.ts';
import {
  type Bar,
  type BarRequest,
  PROVIDER_LABELS,
  type Provider,
  type ProviderName,
  type SeriesReading,
  type SeriesRequest,
} from './provider.ts';

interface Plausible {
  low: number;
  high: number;
  /** Largest plausible ratio to the value of the previous session, up or down. */
  factor?: number;
  /** Largest plausible difference from the value of the previous session. */
  step?: number;
  whole?: true;
}

const PRICE: Plausible = { low: 1, high: 1e6, factor: 1.4 };
const COUNT: Plausible = { low: 0, high: LARGEST_COUNT, whole: true };
const SPREAD: Plausible = { low: 0.05, high: 50, factor: 2 };
const RATIO: Plausible = { low: 0.1, high: 10 };

/** Bounds of each series. Largest moves on record: VIX ×2.2 (February 2018), an index −23 % (October 1987). */
const PLAUSIBLE: Readonly<Record<SeriesName, Plausible>> = {
  sp500_close: PRICE,
  sp500_volume: { low: 1, high: 1e12 },
  nasdaq_composite_close: PRICE,
  dow_jones_close: PRICE,
  vix_close: { low: 1, high: 200, factor: 3.5 },
  put_call_total: RATIO,
  put_call_equity: RATIO,
  nyse_advances: COUNT,
  nyse_declines: COUNT,
  nyse_unchanged: COUNT,
  nyse_new_highs: COUNT,
  nyse_new_lows: COUNT,
  high_yield_oas: SPREAD,
  investment_grade_oas: SPREAD,
  treasury_10y_yield: { low: -5, high: 25, step: 1 },
  treasury_fund_close: PRICE,
  ofr_stress_index: { low: -20, high: 60, step: 10 },
  nyse_trin: { low: 0.01, high: 50 },
  tick_proxy: { low: -2800, high: 2800 },
};

/** Longest gap in days over which two values are compared. */
const MAX_GAP = 10;

/** The first day that is needed to compare the value of a day with an earlier one. */
export const comparedFrom = (day: string) => formatDay(parseDay(day) - MAX_GAP);

export function closedSessions({ from, to, now }: Pick<SeriesRequest, 'from' | 'to' | 'now'>): string[] {
  const closed = newestClosedSession(now);
  return sessionsBetween(from, to < closed ? to : closed);
}

interface SeriesState {
  /** Valid values by session of the requested range. */
  readonly accepted: Map<string, number>;
  readonly seen: Set<string>;
  before: { readonly day: number; readonly value: number } | null;
}

interface SeriesValidatorOptions<Name extends SeriesName> {
  readonly label: string;
  /** The provider's name of each series, for messages. */
  readonly codes: Readonly<Record<Name, string>>;
  /** True if the provider also has days without stock trading, which are then ignored instead of rejected. */
  readonly ownCalendar?: boolean;
}

/** Validates the values of the requested series that `codes` has. Rejects invalid ones into the request's problems. */
export function createSeriesValidator<Name extends SeriesName>(
  { series, from, to, now, problems }: Omit<SeriesRequest, 'http'>,
  { label, codes, ownCalendar = false }: SeriesValidatorOptions<Name>,
) {
  const names = series.filter((name): name is Name => Object.hasOwn(codes, name));
  const today = marketDay(now);
  const first = comparedFrom(from);
  const states = new Map(
    names.map((name): [Name, SeriesState] => [name, { accepted: new Map(), seen: new Set(), before: null }]),
  );

  function valueRefusal(
    name: Name,
    { seen, before }: SeriesState,
    day: string,
    value: unknown,
  ): Refusal | null {
    const plausible = PLAUSIBLE[name];
    if (seen.has(day)) return ['duplicate', 'a second value for the day'];
    if (value === null || value === undefined || value === '') return ['missing value', 'no value'];
    const number = numberIn(value);
    if (Number.isNaN(number)) return ['number', `'${shown(value)}' is not a number`];
    if (plausible.whole && !Number.isInteger(number))
      return ['number', `'${shown(value)}' is not a whole number`];
    if (number < plausible.low || number > plausible.high)
      return ['price', `'${shown(value)}' is not between ${plausible.low} and ${plausible.high}`];
    if (before !== null && parseDay(day) - before.day <= MAX_GAP && isLeap(plausible, before.value, number))
      return ['price', `'${shown(value)}' after ${before.value} is an implausible move`];
    return null;
  }

  return {
    names,
    /** Adds the value of a day. The days must ascend. A value before the range only serves to validate the next one. */
    add(name: Name, day: string, value: unknown): void {
      const state = states.get(name);
      if (state === undefined) return;
      const place = { provider: label, item: codes[name] };
      if (Number.isNaN(parseDay(day))) {
        problems.refuse('date', place, `'${shown(day)}' is not a day`);
        return;
      }
      if (day <= today && (day < first || day > to)) return;
      const refusedDay = dayRefusal(day, today);
      if (ownCalendar && refusedDay?.[0] === 'date') return;
      const refused = refusedDay ?? valueRefusal(name, state, day, value);
      if (refusedDay === null) state.seen.add(day);
      if (refused !== null) {
        if (day >= from || refusedDay !== null)
          problems.refuse(refused[0], { ...place, session: day }, refused[1]);
        return;
      }
      state.before = { day: parseDay(day), value: numberIn(value) };
      if (day >= from) state.accepted.set(day, state.before.value);
    },
    valueOn: (name: Name, day: string) => states.get(name)?.accepted.get(day),
    reading: (): SeriesReading =>
      new Map([...states].flatMap(([name, { accepted }]) => (accepted.size > 0 ? [[name, accepted]] : []))),
  };
}

export type SeriesValidator<Name extends SeriesName> = ReturnType<typeof createSeriesValidator<Name>>;

/** A provider of series of closed sessions. `read` passes the values of `validator.names`, at least one, to `validator.add`. */
export function seriesProvider<Name extends SeriesName>(
  name: ProviderName,
  options: Omit<SeriesValidatorOptions<Name>, 'label'>,
  read: (validator: SeriesValidator<Name>, request: SeriesRequest) => Promise<void>,
): Provider {
  const label = PROVIDER_LABELS[name];
  return {
    name,
    label,
    inputs: Object.keys(options.codes) as Name[],
    openSessionInputs: [],
    async readSeries(request) {
      const validator = createSeriesValidator(request, { label, ...options });
      if (validator.names.length > 0) await read(validator, request);
      return validator.reading();
    },
  };
}

type Refusal = readonly [ProblemKind, string];

/** Returns the reason why a provider cannot have data of a day; null if it can. */
function dayRefusal(day: string, today: string): Refusal | null {
  if (day > today) return ['future date', 'the day is in the future'];
  return isSession(day) ? null : ['date', 'the day is not a session of the exchange'];
}

function isLeap({ factor, step }: Plausible, before: number, value: number): boolean {
  if (factor !== undefined && Math.max(value / before, before / value) > factor) return true;
  return step !== undefined && Math.abs(value - before) > step;
}

function numberIn(value: unknown): number {
  if (typeof value === 'number') return Number.isFinite(value) ? value : Number.NaN;
  return typeof value === 'string' && /^-?\d{1,15}(\.\d{1,15})?$/.test(value) ? Number(value) : Number.NaN;
}

/** Bounds of a share price: Berkshire Hathaway is below 1e6, and no exchange quotes less than 1e-4. */
const SHARE_PRICE = { from: 1e-4, below: 1e7 } as const;
const VOLUME = { from: 0, below: 1e12 } as const;
const PRICES = ['open', 'high', 'low', 'close'] as const;
const TOLERANCE = 1e-6;

/** Rejects invalid and contradicting bars into the request's problems. Ignores days outside the requested range. */
export function createBarValidator(
  label: string,
  { from, to, now, problems }: Pick<BarRequest, 'from' | 'to' | 'now' | 'problems'>,
) {
  const today = marketDay(now);
  const bars = new Map<string, Map<string, Bar>>();

  return {
    accepted: (): Bar[] => [...bars.values()].flatMap((ofSymbol) => [...ofSymbol.values()]),
    /** `values`: open, high, low, close, volume. */
    add(symbol: string, session: string, values: readonly unknown[]) {
      const refuse = ([kind, why]: Refusal) =>
        problems.refuse(kind, { provider: label, item: symbol, session }, why);
      const dayRefused = dayRefusal(session, today);
      if (dayRefused !== null) return refuse(dayRefused);
      if (session < from || session > to) return;
      for (const [at, name] of BAR_FIELDS.entries()) {
        const refusal = fieldRefusal(name, values[at]);
        if (refusal !== null) return refuse(refusal);
      }
      const [open = 0, high = 0, low = 0, close = 0, volume = 0] = values as readonly number[];
      if (high < low) return refuse(['high below low', 'the high is below the low']);
      const ofSymbol = bars.get(symbol) ?? new Map<string, Bar>();
      bars.set(symbol, ofSymbol);
      const bar = { symbol, session, open, high, low, close, volume };
      const first = ofSymbol.get(session);
      if (first === undefined) ofSymbol.set(session, bar);
      else if (!PRICES.every((name) => isSamePrice(first[name], bar[name])))
        refuse(['duplicate', 'two different bars for one day']);
    },
  };
}

function fieldRefusal(name: (typeof BAR_FIELDS)[number], value: unknown): Refusal | null {
  const { from, below } = name === 'volume' ? VOLUME : SHARE_PRICE;
  if (value === null || value === undefined) return ['missing value', `no ${name}`];
  if (typeof value !== 'number' || !Number.isFinite(value)) return ['number', `the ${name} is not a number`];
  if (value < 0) return ['price', `the ${name} is negative`];
  if (value === 0 && from > 0) return ['price', `the ${name} is zero`];
  return value < from || value >= below ? ['price', `the ${name} of ${value} is out of bounds`] : null;
}

export function isSamePrice(a: number, b: number): boolean {
  return Math.abs(a - b) <= TOLERANCE * a;
}
