import { formatDay, parseDay } from '#domain/calendar/days.ts';
import type { BarMatrix, MarketHistory, SeriesName } from '#domain/market-history.ts';

/** Values of series by their day (days since 1970-01-01). */
export type SeriesTable = Map<SeriesName, Map<number, number>>;

/** The values of a series in a table, made when there are none yet. */
export function valuesOf(table: SeriesTable, series: SeriesName): Map<number, number> {
  const values = table.get(series) ?? new Map<number, number>();
  table.set(series, values);
  return values;
}

/**
 * Puts series beside bars: the axis is the series' sessions before the first bar, then the bars' own. What a
 * series says of a session without any bar, or after the last one, is left out.
 */
export function assembleHistory(bars: BarMatrix, series: SeriesTable, universe: string): MarketHistory {
  const firstBar = parseDay(bars.sessions[0] ?? '9999-12-31');
  const earlier = new Set<number>();
  for (const values of series.values()) {
    for (const day of values.keys()) if (day < firstBar) earlier.add(day);
  }
  const days = [...earlier].sort((a, b) => a - b);
  const sessions = [...days.map(formatDay), ...bars.sessions];
  days.push(...bars.sessions.map(parseDay));

  const columns: Partial<Record<SeriesName, Float64Array>> = {};
  for (const [name, values] of series) {
    const column = Float64Array.from(days, (day) => values.get(day) ?? Number.NaN);
    if (column.some((value) => !Number.isNaN(value))) columns[name] = column;
  }
  return { sessions, series: columns, bars, universe };
}
