import { INDICATORS, type IndicatorKey } from '#domain/bands/indicator-bands.ts';
import { EXCHANGE } from '#domain/breadth/universe.ts';
import { isSessionClose, marketDay } from '#domain/calendar/sessions.ts';
import { inputsOf } from '#domain/readings/indicator-columns.ts';
import { INDICES } from '#domain/readings/quotes.ts';
import type { InputOriginRow } from '#schema/columns.ts';
import type { AdvancedView } from './advanced-view.ts';
import { asOf, writeClock, writeDateAndMonth, writeDayWithoutYear } from './day.ts';
import { UNKNOWN } from './number.ts';
import { INPUT_NAMES } from './signal-inputs.ts';

/** The names of the inputs in display order. Inputs of one group with the same origin share one line. */
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
  nyse_trin: { group: 'NYSE TRIN', part: null },
  tick_proxy: { group: 'One-minute prices', part: null },
};

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
const NOT_RECORDED = 'Not recorded';
const EMPTY_TEXT = 'The origin of these numbers was not recorded.';
const ORDER = new Map(Object.keys(INPUT_WORDS).map((input, place) => [input, place]));
const placeOf = ({ input }: InputOriginRow) => ORDER.get(input) ?? ORDER.size;

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
  const named = { inputs: [row.input], name: words?.group ?? row.input, parts };
  const { provider, session, observed_at, fetched_at } = row;
  const given = provider !== null || session !== null;
  return {
    ...named,
    provider: given ? providerOf(provider) : NOBODY,
    given,
    observedText: observedTextOf(session, observed_at),
    earlier: session !== null && session < marketDay(Date.parse(row.created_at)),
    fetchedText: given && fetched_at !== null ? writeInstant(Date.parse(fetched_at)) : UNKNOWN,
  };
}

type OriginItem = ReturnType<typeof itemOf>;

/** Joins inputs of one group that have the same origin. */
function joined(items: readonly OriginItem[]): OriginItem[] {
  const together = new Map<string, OriginItem>();
  for (const item of items) {
    const { inputs, parts, ...same } = item;
    const key = JSON.stringify(same);
    const first = together.get(key);
    const both = [first?.parts, parts].filter((part) => part != null).join(', ');
    together.set(key, {
      ...item,
      inputs: [...(first?.inputs ?? []), ...inputs],
      parts: both === '' ? null : both,
    });
  }
  return [...together.values()];
}

/** The origins of inputs as text, in display order. `universe` names the stocks followed. */
export function originItems(rows: readonly InputOriginRow[], universe: string): OriginItem[] {
  const ordered = rows.toSorted((a, b) => placeOf(a) - placeOf(b) || (a.input < b.input ? -1 : 1));
  return joined(ordered.map((row) => itemOf(row, universe)));
}

/** A number of the page, and the inputs that it is computed from. */
interface FedNumber {
  readonly name: string;
  readonly inputs: readonly string[];
  /** The condition on which the inputs are used, if the rows do not say. */
  readonly only?: string | undefined;
}

const NYSE_ISSUES = ['nyse_advances', 'nyse_declines', 'nyse_unchanged'];
const NYSE_HIGHS_LOWS = ['nyse_new_highs', 'nyse_new_lows'];

/** The numbers of the page in its order. The tiles of `advanced` state which stocks they count, and so their inputs. */
function numbersOf(advanced: AdvancedView | null): FedNumber[] {
  // The stocks followed always have a number, so a missing one is missing from the exchange.
  const counts = (set: string | null | undefined, inputs: readonly string[]) =>
    set == null || set === EXCHANGE
      ? inputs
      : inputs.map((input) => (input.startsWith('nyse_') ? 'bars' : input));
  const inputsOfTile = (key: IndicatorKey) => {
    const tile = advanced?.indicators?.items.find((item) => item.key === key);
    return counts(tile?.universe, inputsOf(INDICATORS[key].column));
  };
  const fearGreed = (inputs: readonly string[], only?: string) => ({
    ...{ name: INPUT_NAMES.fearGreed, inputs, only },
  });
  return [
    ...INDICES.map(({ name, series }) => ({ name, inputs: [series] })),
    { name: INPUT_NAMES.sentiment, inputs: ['sp500_close', 'sp500_volume', 'bars'] },
    fearGreed(['sp500_close', 'vix_close', 'put_call_total', 'treasury_fund_close']),
    fearGreed(['high_yield_oas', 'investment_grade_oas']),
    fearGreed(['put_call_equity'], 'if that of all options is missing'),
    fearGreed(['treasury_10y_yield'], 'if the bond fund is missing'),
    fearGreed([...NYSE_ISSUES, ...NYSE_HIGHS_LOWS], 'once enough are stored'),
    fearGreed(['bars'], 'until enough NYSE counts are stored'),
    { name: INPUT_NAMES.marketExposure, inputs: ['bars'] },
    { name: INPUT_NAMES.overallStrength, inputs: ['sp500_close', 'bars', ...inputsOfTile('highLowIndex')] },
    ...(Object.keys(INDICATORS) as IndicatorKey[]).map((key) => ({
      name: INDICATORS[key].name,
      inputs: inputsOfTile(key),
    })),
    { name: INPUT_NAMES.sectors, inputs: ['sp500_close', 'bars'] },
    { name: INPUT_NAMES.breadth, inputs: counts(advanced?.breadth?.universe, NYSE_ISSUES) },
    { name: 'the risk page', inputs: ['ofr_stress_index'] },
  ];
}

/** Names the numbers that an item feeds: 'TRIN, Market Breadth'. Empty if it feeds none. */
function fedBy({ inputs, given }: OriginItem, numbers: readonly FedNumber[]): string {
  const fed = numbers.filter((number) => number.inputs.some((input) => inputs.includes(input)));
  const certain = new Set(fed.flatMap(({ name, only }) => (only === undefined ? name : [])));
  // An input without a value is named for the numbers that lack it, not for those that have a substitute.
  const possible = fed.filter(({ name, only }) => only === undefined || (given && !certain.has(name)));
  const texts = possible.map(({ name, only }) => (only === undefined ? name : `${name} (${only})`));
  return [...new Set(texts)].join(', ');
}

/**
 * The origin of each input of the newest rows, and the numbers that it feeds; none that feeds nothing. `universe` names the
 * stocks followed.
 */
export function originsView(
  rows: readonly InputOriginRow[],
  { universe, advanced }: { universe: string; advanced: AdvancedView | null },
) {
  const numbers = numbersOf(advanced);
  const items = originItems(rows, universe)
    .map((item) => ({ ...item, fed: fedBy(item, numbers) }))
    .filter(({ fed }) => fed !== '');
  const [first] = rows;
  if (first === undefined || items.length === 0) return { items: [], text: EMPTY_TEXT };
  const isSplit = (name: string) => items.filter((item) => item.name === name).length > 1;
  return {
    items: items.map(({ inputs, name, parts, ...item }) => {
      const isNamed = parts !== null && (inputs.includes('bars') || isSplit(name));
      return { ...item, name: isNamed ? `${name} (${parts})` : name };
    }),
    text: `Inputs of the numbers as of ${asOf(first.created_at).text}. Times are those of New York.`,
  };
}

export type OriginLine = ReturnType<typeof originsView>['items'][number];
