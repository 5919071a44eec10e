import { marketOf } from '#domain/record/grade-weeks.ts';
import type { InputDay } from '#domain/record/score-history.ts';
import type { Readings } from '#domain/signal/flips.ts';
import { advancingShare } from '#domain/signal/inputs.ts';
import type { SessionRows, SignalRows } from '#schema/dashboard.ts';
import { signalInputs } from './signal-inputs.ts';

type FearGreed = SessionRows['fearGreed'];

function readingsOf(rows: SignalRows, fearGreed: FearGreed): Readings {
  const { metrics, indicators, sentiment, breadth } = rows;
  const term = (timeframe: string) => sentiment.find((row) => row.timeframe === timeframe)?.score ?? null;
  const sectors = rows.sectors.flatMap(({ strength }) => strength ?? []);
  return {
    fearGreed: fearGreed?.index_value ?? null,
    overallStrength: metrics?.overall_strength ?? null,
    marketExposure: metrics?.market_exposure ?? null,
    short: term('short'),
    medium: term('medium'),
    long: term('long'),
    vix: indicators?.vix ?? null,
    putCall: indicators?.put_call_ratio ?? null,
    mcclellan: indicators?.mcclellan_oscillator ?? null,
    sectors:
      sectors.length === 0 ? null : sectors.reduce((sum, strength) => sum + strength, 0) / sectors.length,
    breadth:
      breadth && advancingShare(breadth.advancing_stocks, breadth.declining_stocks, breadth.unchanged_stocks),
  };
}

export function inputDay(session: string, rows: SignalRows, fearGreed: FearGreed): InputDay {
  return { session, inputs: signalInputs(rows, fearGreed), readings: readingsOf(rows, fearGreed) };
}

/** The days of ascending sessions. A signal without an index takes the last one, like the dashboard; a reading is its own. */
export function inputDays(days: readonly SessionRows[]): InputDay[] {
  let last: FearGreed = null;
  return days.map((day) => {
    last = day.fearGreed ?? last;
    return { ...inputDay(day.session, day, day.fearGreed), inputs: signalInputs(day, last) };
  });
}

export const sourceOfDay = ({ fearGreed, metrics }: SessionRows) =>
  fearGreed?.source ?? metrics?.source ?? null;

/** The newest row of each table, as the dashboard shows them. */
export function newestRows(days: readonly SessionRows[]): SessionRows | null {
  const last = days.at(-1);
  if (last === undefined) return null;
  const newest = <Name extends keyof SessionRows>(name: Name): SessionRows[Name] =>
    days.findLast((day) => (Array.isArray(day[name]) ? day[name].length > 0 : day[name] !== null))?.[name] ??
    last[name];
  return {
    session: last.session,
    close: newest('close'),
    fearGreed: newest('fearGreed'),
    metrics: newest('metrics'),
    sectors: newest('sectors'),
    indicators: newest('indicators'),
    sentiment: newest('sentiment'),
    breadth: newest('breadth'),
  };
}

/** The days of the same market as the newest one: a demonstration is never pooled with the actual market. */
export function daysOfMarket(days: readonly SessionRows[]): SessionRows[] {
  const last = days.at(-1);
  if (last === undefined) return [];
  const market = marketOf(sourceOfDay(last));
  return days.filter((day) => marketOf(sourceOfDay(day)) === market);
}
