import type { DashboardRows, MarketRows } from '#schema/dashboard.ts';
import type { MarketSource } from '#schema/market-source.ts';
import type { WeeklySignalView } from '#views/weekly-signal-view.ts';
import { weeklySignalView } from '#views/weekly-signal-view.ts';
import { EMPTY, FULL } from './dashboard-rows.ts';

/** Saturday 14 Nov 2026, 9:00 in New York, the morning after the session of the fixture rows. */
export const SATURDAY = Date.parse('2026-11-14T14:00:00Z');

/** The rows of the market, all from one source. */
function fromSource<Rows extends MarketRows>(rows: Rows, source: MarketSource): Rows {
  return {
    ...rows,
    metrics: rows.metrics && { ...rows.metrics, source },
    sectors: rows.sectors.map((row) => ({ ...row, source })),
    indicators: rows.indicators && { ...rows.indicators, source },
    sentiment: rows.sentiment.map((row) => ({ ...row, source })),
    breadth: rows.breadth && { ...rows.breadth, source },
  };
}

/** Returns the rows with the given `source`, for example as demonstration data. */
export function rowsFrom(source: MarketSource, rows: DashboardRows = FULL): DashboardRows {
  const { fearGreed, indices } = rows;
  return {
    ...fromSource(rows, source),
    indices: indices.map((row) => ({ ...row, source })),
    fearGreed: { ...fearGreed, current: fearGreed.current && { ...fearGreed.current, source } },
    weekAgo: fromSource(rows.weekAgo, source),
  };
}

/** The newest rows with another time. */
export function rowsOf(created_at: string, rows: DashboardRows = FULL): DashboardRows {
  const moved = <Row extends { created_at: string }>(row: Row): Row => ({ ...row, created_at });
  const { indices, metrics, sectors, indicators, sentiment, breadth, fearGreed } = rows;
  return {
    ...rows,
    indices: indices.map(moved),
    metrics: metrics && moved(metrics),
    sectors: sectors.map(moved),
    indicators: indicators && moved(indicators),
    sentiment: sentiment.map(moved),
    breadth: breadth && moved(breadth),
    fearGreed: { ...fearGreed, current: fearGreed.current && moved(fearGreed.current) },
  };
}

/** Every part of every input measured: no range, no notes. */
export const WHOLE: DashboardRows = {
  ...FULL,
  sectors: FULL.sectors.map((row) => ({ ...row, strength: row.strength ?? 47.2 })),
  sentiment: (['short', 'medium', 'long'] as const).map((timeframe, at) => ({
    timeframe,
    signal: null,
    score: [61, 57, 54][at] ?? null,
    description: null,
    rsi: null,
    macd: null,
    moving_avg_trend: null,
    volume_trend: null,
    source: 'live',
    created_at: FULL.metrics?.created_at ?? '',
  })),
};

/** A market with one missing input, two inputs with missing parts, and no rows of the last week. */
const THIN: DashboardRows = {
  ...FULL,
  indices: [],
  breadth: null,
  fearGreed: { ...FULL.fearGreed, oneWeekAgo: null },
  weekAgo: EMPTY.weekAgo,
};

const HOSTILE_NAME = '<img src=x onerror=alert(1)>&amp;"\'=3D';

/** Names from the tables that a mail must show unchanged. */
const HOSTILE: DashboardRows = {
  ...FULL,
  indices: FULL.indices.map((row) => ({ ...row, name: HOSTILE_NAME })),
  sectors: FULL.sectors.map((row, at) => ({
    ...row,
    sector: `${HOSTILE_NAME} ${at}${'W'.repeat(30)}`,
  })),
};

function viewOf(rows: DashboardRows, over: Partial<WeeklySignalView>): WeeklySignalView {
  const view = weeklySignalView(rows, SATURDAY);
  if (view === null) throw new Error('The fixture rows have no verdict.');
  return { ...view, ...over };
}

/** The mail's contents for the fixture rows: HOLD, with a range, parts of the change and last week's Fear & Greed. */
export const sampleSignal = (over: Partial<WeeklySignalView> = {}) => viewOf(FULL, over);

/** A market with every input measured, so that the score has no range. */
export const wholeSignal = (over: Partial<WeeklySignalView> = {}) => viewOf(WHOLE, over);

/** The market as demonstration data. */
export const demoSignal = (over: Partial<WeeklySignalView> = {}) => viewOf(rowsFrom('simulated'), over);

/** The minimal mail: an input missing, no change, no index, no Fear & Greed of last week. */
export const thinSignal = (over: Partial<WeeklySignalView> = {}) => viewOf(THIN, over);

/** Every name from a table contains markup and entities. */
export const hostileSignal = (over: Partial<WeeklySignalView> = {}) => viewOf(HOSTILE, over);
