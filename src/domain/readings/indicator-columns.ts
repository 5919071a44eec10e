import { type AdvanceDecline, advanceDeclineRatio, type BreadthCounts } from '../breadth/member-counts.ts';
import { type Attributed, EXCHANGE } from '../breadth/universe.ts';
import { trin } from '../indicators/trin.ts';
import type { SeriesName } from '../market-history.ts';

/** The series that indicators are computed from, on the axis of a history; NaN for a missing value. */
export interface IndicatorData {
  readonly series: (name: SeriesName) => Float64Array;
  readonly exchange: BreadthCounts;
  readonly members: AdvanceDecline;
  /** The name of the members together. */
  readonly universe: string;
  readonly highLowIndex: Attributed;
  readonly mcclellan: Attributed;
  /** For each session the reading of the exchange or of the members. Never mixes the two within a session. */
  readonly ofSet: (exchange: Float64Array, members: Float64Array) => Attributed;
  /** For each session the exchange's reading if it has published one lately, otherwise the members'. */
  readonly publishedOr: (exchange: Float64Array, members: Float64Array) => Attributed;
}

interface Indicator {
  /** The series that the column is computed from, for an indicator that counts stocks those of the exchange's counts. */
  readonly inputs: readonly SeriesName[];
  /** The series whose published values the column has. None for a computed figure and for counts of the members. */
  readonly numbersOf: readonly SeriesName[];
  /** The column with the name of the counted stocks; absent for an indicator that counts none. */
  readonly universe?: string;
  readonly compute: (data: IndicatorData) => Float64Array | Attributed;
}

/** The advanced indicators. `indicator-bands.ts` has the name and the bands of those that the page shows. */
const ADVANCED_INDICATORS = {
  vix: { inputs: ['vix_close'], numbersOf: ['vix_close'], compute: ({ series }) => series('vix_close') },
  vix_change: {
    inputs: ['vix_close'],
    numbersOf: ['vix_close'],
    compute: ({ series }) => series('vix_close').map((value, at, vix) => value - (vix[at - 1] ?? Number.NaN)),
  },
  /** The total ratio, for which the bands are defined. */
  put_call_ratio: {
    inputs: ['put_call_total'],
    numbersOf: ['put_call_total'],
    compute: ({ series }) => series('put_call_total'),
  },
  high_low_index: {
    inputs: ['nyse_new_highs', 'nyse_new_lows'],
    numbersOf: [],
    universe: 'high_low_universe',
    compute: ({ highLowIndex }) => highLowIndex,
  },
  advance_decline_ratio: {
    inputs: ['nyse_advances', 'nyse_declines', 'nyse_unchanged'],
    numbersOf: [],
    compute: ({ exchange, members, ofSet }) =>
      ofSet(advanceDeclineRatio(exchange), advanceDeclineRatio(members)),
  },
  mcclellan_oscillator: {
    inputs: ['nyse_advances', 'nyse_declines'],
    numbersOf: [],
    universe: 'mcclellan_universe',
    compute: ({ mcclellan }) => mcclellan,
  },
  /** The members' TICK proxy. The page labels it as a proxy. */
  tick_index: {
    inputs: ['tick_proxy'],
    numbersOf: [],
    universe: 'tick_universe',
    compute: ({ series, universe }) => {
      const value = series('tick_proxy');
      return { value, universe: Array.from(value, (tick) => (Number.isNaN(tick) ? null : universe)) };
    },
  },
  /** The exchange's closing TRIN, or the one computed from the members' issues and volume. */
  trin: {
    inputs: ['nyse_trin'],
    numbersOf: ['nyse_trin'],
    universe: 'trin_universe',
    compute: ({ series, members, publishedOr }) => publishedOr(series('nyse_trin'), trin(members)),
  },
} as const satisfies Record<string, Indicator>;

type Table = typeof ADVANCED_INDICATORS;
type IndicatorName = keyof Table;
type UniverseOf<Row> = Row extends { readonly universe: infer Column extends string } ? Column : never;

/** All indicators, per session. */
export type IndicatorSeries = Readonly<Record<IndicatorName, Attributed>>;
/** The columns of one session; null without a value. */
export type IndicatorColumns = Readonly<
  Record<IndicatorName, number | null> & Record<UniverseOf<Table[IndicatorName]>, string | null>
>;

const ROWS = Object.entries(ADVANCED_INDICATORS) as [IndicatorName, Indicator][];

/** The columns of the advanced indicators, in the order of the table. */
export const INDICATOR_COLUMNS = ROWS.flatMap(([name, { universe }]) =>
  universe === undefined ? [name] : [name, universe],
) as (keyof IndicatorColumns)[];

/** The series whose published values a column of a session has. */
export function seriesShownIn(
  column: keyof IndicatorColumns,
  indicators: IndicatorColumns,
): readonly SeriesName[] {
  const row: Indicator | undefined = ROWS.find(([name]) => name === column)?.[1];
  if (row === undefined) return [];
  const universe = row.universe as keyof IndicatorColumns | undefined;
  return universe === undefined || indicators[universe] === EXCHANGE ? row.numbersOf : [];
}

/** The series that a column is computed from. The counts of the members need none, only bars. */
export const inputsOf = (column: IndicatorName): readonly SeriesName[] => ADVANCED_INDICATORS[column].inputs;

/** Computes every indicator over the whole history. */
export function computeIndicators(data: IndicatorData): IndicatorSeries {
  const computed = ROWS.map(([name, { compute }]) => {
    const series = compute(data);
    return [name, series instanceof Float64Array ? { value: series, universe: [] } : series];
  });
  return Object.fromEntries(computed);
}

/** The columns of the session at position `at`. */
export function indicatorsAt(indicators: IndicatorSeries, at: number): IndicatorColumns {
  const columns = ROWS.flatMap(([name, { universe: column }]): [string, number | string | null][] => {
    const value = indicators[name].value[at] ?? Number.NaN;
    const cell: [string, number | null] = [name, Number.isNaN(value) ? null : value];
    return column === undefined ? [cell] : [cell, [column, indicators[name].universe[at] ?? null]];
  });
  return Object.fromEntries(columns) as unknown as IndicatorColumns;
}
