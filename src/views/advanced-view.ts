import { INDICATORS, type IndicatorKey, indicatorBand } from '#domain/bands/indicator-bands.ts';
import { breadthRatio, breadthStatus, sectorBand } from '#domain/bands/score-bands.ts';
import { EXCHANGE } from '#domain/breadth/universe.ts';
import { absentSectors, GICS_SECTORS } from '#domain/sectors/absent-sectors.ts';
import type { AdvancedIndicatorsRow, MarketBreadthRow, SectorStrengthRow } from '#schema/columns.ts';
import type { DashboardRows } from '#schema/dashboard.ts';
import { panelAsOf } from './day.ts';
import { capitalised, countOf, countText, figureOf, UNKNOWN } from './number.ts';
import { withOtherSet } from './other-set.ts';
import { NOT_MEASURED } from './page-texts.ts';
import { putCallDue } from './signal-inputs.ts';

/** The collapsible panel of indicators, sectors and breadth; null when all three tables are empty. */
export function advancedView(rows: DashboardRows, newest: string | null, now: number) {
  const counted = withOtherSet(rows);
  const indicators = indicatorsView(counted.indicators, newest, putCallDue(rows, now));
  const sectors = sectorsView(rows.sectors, newest);
  const breadth = breadthView(counted.breadth, newest);
  if (indicators === null && sectors === null && breadth === null) return null;
  const metricCount = (indicators?.items.length ?? 0) + (sectors?.items.length ?? 0) + 1;
  return {
    title: 'Advanced Market Indicators, Sectors & Breadth',
    metricCountText: countText(metricCount, 'metric'),
    indicators,
    sectors,
    breadth,
  };
}
export type AdvancedView = NonNullable<ReturnType<typeof advancedView>>;
export type BreadthView = NonNullable<AdvancedView['breadth']>;

export function sectorItems(rows: readonly SectorStrengthRow[]) {
  const items = rows.map(({ sector, strength }) => {
    const { value, text } = figureOf('score', strength);
    const { label = null, tone = null } = value === null ? {} : sectorBand(value);
    return { name: sector, value, text, label, tone };
  });
  return items.sort((a, b) => (b.value ?? -1) - (a.value ?? -1) || (a.name < b.name ? -1 : 1));
}

function absentText(rows: readonly SectorStrengthRow[]): string | null {
  const absent = absentSectors(rows.map(({ sector }) => sector));
  if (absent.length === 0) return null;
  const present = `${rows.length} of ${GICS_SECTORS.length} sectors`;
  return absent.includes(null) ? `${present}.` : `${present}. No data for ${absent.join(', ')}.`;
}

function sectorsView(rows: readonly SectorStrengthRow[], newest: string | null) {
  const [first] = rows;
  if (first === undefined) return null;
  return {
    ...{ asOf: panelAsOf(first.created_at, newest), items: sectorItems(rows), absentText: absentText(rows) },
  };
}

const NONE_COUNTED = 'No stocks counted';
const NONE_MOVED = 'None rose or fell';

/** The word for the larger count. A displayed ratio of 1.00 does not decide: it may be rounded, or stand for 1 and 0 stocks. */
function wordOf(advancing: number, declining: number): string {
  if (advancing === declining) return 'Even';
  return advancing > declining ? 'More advancing' : 'More declining';
}

/** The advance/decline ratio with its status. There is no ratio if one side has no stock. */
function ratioOf({ advancing_stocks, declining_stocks, unchanged_stocks }: MarketBreadthRow) {
  const unknown = { value: null, text: UNKNOWN, tone: null };
  if (advancing_stocks === null || declining_stocks === null) return { ...unknown, label: null };
  if (advancing_stocks + declining_stocks === 0) {
    return { ...unknown, label: (unchanged_stocks ?? 0) > 0 ? NONE_MOVED : NONE_COUNTED };
  }
  const figure = figureOf('ratio', breadthRatio(advancing_stocks, declining_stocks));
  return {
    ...figure,
    tone: breadthStatus(figure.value ?? 0),
    label: wordOf(advancing_stocks, declining_stocks),
  };
}

/** The market-breadth panel; null without a row. The shares are known only if all three counts are. */
function breadthView(row: MarketBreadthRow | null, newest: string | null) {
  if (row === null) return null;
  const { advancing_stocks, unchanged_stocks, declining_stocks } = row;
  const known = advancing_stocks !== null && unchanged_stocks !== null && declining_stocks !== null;
  // The specification divides by a total of at least 1.
  const total = known ? Math.max(advancing_stocks + unchanged_stocks + declining_stocks, 1) : null;
  const part = (key: 'advancing' | 'unchanged' | 'declining', stocks: number | null) => {
    const percent = stocks === null || total === null ? null : (stocks / total) * 100;
    const share = figureOf('score', percent, { suffix: '%' });
    return {
      key,
      name: capitalised(key),
      count: countOf(stocks),
      share: share.value ?? 0,
      shareText: share.text,
    };
  };
  return {
    asOf: panelAsOf(row.created_at, newest),
    universe: row.universe,
    ratio: ratioOf(row),
    parts: [
      part('advancing', advancing_stocks),
      part('unchanged', unchanged_stocks),
      part('declining', declining_stocks),
    ],
  };
}

/** Marks a TICK that is computed from minute prices of stocks instead of the exchange's trades as a proxy. */
function counted(key: IndicatorKey, universe: string | null): string | null {
  const isProxy = key === 'tickIndex' && universe !== null && universe !== EXCHANGE;
  return isProxy ? `${universe}, proxy` : universe;
}

function indicatorsView(row: AdvancedIndicatorsRow | null, newest: string | null, putCallIsDue: boolean) {
  if (row === null) return null;
  const putCallText = putCallIsDue ? 'Published in the evening' : 'No value of this session';
  const items = (Object.keys(INDICATORS) as IndicatorKey[]).map((key) => {
    const indicator = INDICATORS[key];
    const figure = figureOf(indicator.quantity, row[indicator.column], indicator.writing);
    const state = figure.value === null ? null : indicatorBand(key, figure.value);
    return {
      key,
      name: indicator.name,
      ...figure,
      label: state?.label ?? null,
      tone: state?.tone ?? null,
      universe: state && 'universe' in indicator ? counted(key, row[indicator.universe]) : null,
      ...(figure.value === null && {
        missingText: key === 'putCallRatio' ? putCallText : NOT_MEASURED,
      }),
    };
  });
  return { asOf: panelAsOf(row.created_at, newest), items };
}
