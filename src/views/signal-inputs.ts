import { marketDay } from '#domain/calendar/sessions.ts';
import { INDICES } from '#domain/readings/quotes.ts';
import { absentSectors } from '#domain/sectors/absent-sectors.ts';
import {
  advancingShare,
  type InputReading,
  indicatorParts,
  type SignalInput,
  type SignalInputs,
  type SignalPart,
} from '#domain/signal/inputs.ts';
import type { FearGreedPoint, MarketIndexRow } from '#schema/columns.ts';
import type { DashboardRows, SignalRows } from '#schema/dashboard.ts';
import { TIMEFRAMES } from '#schema/market-source.ts';
import { type Observed, observedRows } from './observed.ts';

function readingOf(
  row: { created_at: string } | null | undefined,
  parts: readonly SignalPart[],
): InputReading {
  return { session: row ? marketDay(Date.parse(row.created_at)) : null, parts };
}

export function signalInputs(
  rows: SignalRows,
  fearGreed: Pick<FearGreedPoint, 'index_value' | 'created_at'> | null,
): SignalInputs {
  const { metrics, sectors, indicators, sentiment, breadth } = rows;
  const scoreOf = (timeframe: string) => sentiment.find((row) => row.timeframe === timeframe)?.score ?? null;
  const absent = absentSectors(sectors.map(({ sector }) => sector));
  const advancing =
    breadth && advancingShare(breadth.advancing_stocks, breadth.declining_stocks, breadth.unchanged_stocks);
  return {
    fearGreed: readingOf(fearGreed, [{ name: 'Fear & Greed', score: fearGreed?.index_value ?? null }]),
    overallStrength: readingOf(metrics, [
      { name: 'Overall Strength', score: metrics?.overall_strength ?? null },
    ]),
    marketExposure: readingOf(metrics, [
      { name: 'Market Exposure', score: metrics?.market_exposure ?? null },
    ]),
    sentiment: readingOf(
      sentiment[0],
      TIMEFRAMES.map((timeframe) => ({ name: `${timeframe} term`, score: scoreOf(timeframe) })),
    ),
    advancedIndicators: readingOf(
      indicators,
      indicatorParts({
        vix: indicators?.vix ?? null,
        putCallRatio: indicators?.put_call_ratio ?? null,
        mcclellanOscillator: indicators?.mcclellan_oscillator ?? null,
      }),
    ),
    sectors: readingOf(sectors[0], [
      ...sectors.map((row) => ({ name: row.sector, score: row.strength })),
      ...absent.map((name) => ({ name, score: null })),
    ]),
    breadth: readingOf(breadth, [{ name: 'Market Breadth', score: advancing }]),
  };
}

export function currentInputs(rows: DashboardRows): SignalInputs {
  return signalInputs(rows, rows.fearGreed.current);
}

/** The newest row of every table that the signal uses: all but the indices. */
export function signalRows(rows: DashboardRows): Observed[] {
  return observedRows({ ...rows, indices: [] });
}

const SP500 = INDICES.find(({ series }) => series === 'sp500_close')?.symbol;

/** The row of the S&P 500 of `session`, which a signal is recorded with; null if it is of another session. */
export function sp500Row(rows: DashboardRows, session: string): MarketIndexRow | null {
  const row = rows.indices.find(({ symbol }) => symbol === SP500);
  return row !== undefined && marketDay(Date.parse(row.created_at)) === session ? row : null;
}

export const INPUT_NAMES: Record<SignalInput, string> = {
  fearGreed: 'Fear & Greed',
  overallStrength: 'Overall Strength',
  marketExposure: 'Market Exposure',
  sentiment: 'Market Sentiment',
  advancedIndicators: 'Advanced Indicators',
  sectors: 'Sector Strength',
  breadth: 'Market Breadth',
};

/** True if a missing put/call ratio is published hours after the close. If it was missing a week ago too, no provider has it. */
export function putCallDue({ indicators, weekAgo }: DashboardRows, now: number): boolean {
  if (indicators === null || indicators.put_call_ratio !== null || indicators.source !== 'live') return false;
  if (weekAgo.indicators?.put_call_ratio === null) return false;
  return marketDay(Date.parse(indicators.created_at)) === marketDay(now);
}
