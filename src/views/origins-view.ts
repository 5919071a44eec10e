import { isSessionClose, marketDay } from '#domain/calendar/sessions.ts';
import type { InputOriginRow } from '#schema/columns.ts';
import { asOf, writeClock, writeDateAndMonth, writeDayWithoutYear } from './day.ts';
import { UNKNOWN } from './number.ts';

/**
 * The names of the inputs in display order: a group and, if the group has several, a part. Inputs of one group with the
 * same origin share one line.
 */
export const INPUT_WORDS: Readonly<Record<string, { group: string; part: string | null }>> = {
  bars: { group: 'Stock prices', part: null },
  sp500_close: { group: 'Index levels', part: 'S&P 500' },
  nasdaq_composite_close: { group: 'Index levels', part: 'Nasdaq Composite' },
  dow_jones_close: { group: 'Index levels', part: 'Dow Jones' },
  sp500_volume: { group: 'Volume of the S&P 500', part: null },
  vix_close: { group: 'VIX', part: null },
  put_call_total: { group: 'Put/call ratio', part: 'all options' },
  put_call_equity: { group: 'Put/call ratio', part: 'single stocks' },
  high_yield_oas: { group: 'Credit spreads', part: 'high-yield' },
  investment_grade_oas: { group: 'Credit spreads', part: 'investment-grade' },
  treasury_10y_yield: { group: '10-year Treasury yield', part: null },
  treasury_fund_close: { group: 'Treasury bond fund', part: null },
  ofr_stress_index: { group: 'Financial Stress Index', part: 'risk page only' },
  nyse_advances: { group: 'NYSE counts', part: 'advances' },
  nyse_declines: { group: 'NYSE counts', part: 'declines' },
  nyse_unchanged: { group: 'NYSE counts', part: 'unchanged' },
  nyse_new_highs: { group: 'NYSE counts', part: 'new highs' },
  nyse_new_lows: { group: 'NYSE counts', part: 'new lows' },
  nyse_trin: { group: 'NYSE counts', part: 'TRIN' },
  tick_proxy: { group: 'TICK', part: 'from one-minute prices' },
};

/** Display names of the providers, by the provider's name in the rows. */
export const PROVIDER_WORDS: Readonly<Record<string, string>> = {
  alpaca: 'Alpaca',
  yahoo: 'Yahoo Finance',
  cboe: 'Cboe',
  fred: 'FRED',
  treasury: 'US Treasury',
  ofr: 'Office of Financial Research',
  wsj: 'The Wall Street Journal',
};

/** Combines the inputs of a group: returns for example ['VIX', 'NYSE counts (advances, declines)']. */
export function nameInputs(inputs: readonly string[]): string[] {
  const parts = new Map<string, string[]>();
  for (const input of inputs) {
    const { group, part } = INPUT_WORDS[input] ?? { group: input, part: null };
    parts.set(group, [...(parts.get(group) ?? []), ...(part === null ? [] : [part])]);
  }
  return [...parts].map(([group, named]) => (named.length === 0 ? group : `${group} (${named.join(', ')})`));
}

export type { InputOriginRow };

const NOBODY = 'No provider gave it';
/** The text for a value without a recorded origin. */
const NOT_RECORDED = 'Not recorded';
const EMPTY_TEXT = 'The origin of these numbers was not recorded.';
const OTHERS = Object.keys(INPUT_WORDS).length;
const ORDER = new Map(Object.keys(INPUT_WORDS).map((input, place) => [input, place]));
const placeOf = ({ input }: InputOriginRow) => ORDER.get(input) ?? OTHERS;

/** '13 Nov 16:31', New York time. */
const writeInstant = (instant: number) => `${writeDateAndMonth(marketDay(instant))} ${writeClock(instant)}`;

function observedTextOf(session: string | null, observedAt: string | null): string {
  if (session === null) return UNKNOWN;
  if (observedAt === null) return writeDayWithoutYear(session);
  const instant = Date.parse(observedAt);
  const sameDay = marketDay(instant) === session;
  if (sameDay && isSessionClose(instant)) return `${writeDayWithoutYear(session)}, close`;
  return `${writeDayWithoutYear(session)}, ${sameDay ? writeClock(instant) : writeInstant(instant)}`;
}

function providerOf(provider: string | null): string {
  if (provider === null) return NOT_RECORDED;
  return (Object.hasOwn(PROVIDER_WORDS, provider) ? PROVIDER_WORDS[provider] : null) ?? provider;
}

/** The origin of an input as text. It is `given` if it has a value, and `earlier` than the rows by its session. */
function itemOf(row: InputOriginRow, universe: string) {
  const words = Object.hasOwn(INPUT_WORDS, row.input) ? INPUT_WORDS[row.input] : undefined;
  const parts = row.input === 'bars' ? universe : (words?.part ?? null);
  const named = { name: words?.group ?? row.input, parts };
  const { provider, session, observed_at, fetched_at } = row;
  if (provider === null && session === null) {
    const nothing = { observedText: UNKNOWN, earlier: false, fetchedText: UNKNOWN };
    return { ...named, provider: NOBODY, given: false, ...nothing };
  }
  return {
    ...named,
    provider: providerOf(provider),
    given: true,
    observedText: observedTextOf(session, observed_at),
    earlier: session !== null && session < marketDay(Date.parse(row.created_at)),
    fetchedText: fetched_at === null ? UNKNOWN : writeInstant(Date.parse(fetched_at)),
  };
}

export type OriginItem = ReturnType<typeof itemOf>;

/** Joins inputs of one group that have the same origin. */
function joined(items: readonly OriginItem[]): OriginItem[] {
  const together = new Map<string, OriginItem>();
  for (const item of items) {
    const { parts, ...same } = item;
    const key = JSON.stringify(same);
    const first = together.get(key);
    const both = [first?.parts, parts].filter((part) => part != null).join(', ');
    together.set(key, { ...item, parts: both === '' ? null : both });
  }
  return [...together.values()];
}

/** The origin of each input of the newest rows as text. `universe` names the stocks followed. */
export function originsView(rows: readonly InputOriginRow[], universe: string) {
  const [first] = rows;
  if (first === undefined) return { items: [], text: EMPTY_TEXT };
  const ordered = rows.toSorted((a, b) => placeOf(a) - placeOf(b) || (a.input < b.input ? -1 : 1));
  return {
    items: joined(ordered.map((row) => itemOf(row, universe))),
    text: `Inputs of the numbers as of ${asOf(first.created_at).text}. Times are those of New York.`,
  };
}
