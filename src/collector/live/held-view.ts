import type { MarketHistory, SeriesName } from '#domain/market-history.ts';

/** What is held, by symbol and session. */
export interface HeldView {
  /** NaN where there is no bar. */
  close(symbol: string, session: string): number;
  /** The sessions a symbol has a bar of, ascending. */
  sessionsOf(symbol: string): string[];
  newestBar(symbol: string): string | null;
  /** NaN where there is no value. */
  value(series: SeriesName, session: string): number;
  newestValue(series: SeriesName, upTo: string): string | null;
  /** How many members have a bar of a session. */
  barsOn(session: string): number;
  /** The newest session up to `upTo` of which any member has a bar. */
  newestSession(upTo: string): string | null;
}

/** Looks into what is held, up to and including `last`. */
export function viewHeld(held: MarketHistory | null, last: string): HeldView {
  const bars = held?.bars;
  const barSessions = bars?.sessions ?? [];
  const sessions = held?.sessions ?? [];
  const rows = new Map(bars?.members.map(({ symbol }, row) => [symbol, row]));
  const columns = new Map(barSessions.flatMap((day, at) => (day > last ? [] : [[day, at] as const])));
  const places = new Map(sessions.flatMap((day, at) => (day > last ? [] : [[day, at] as const])));
  const closeAt = (row: number, column: number) =>
    bars?.close[row * barSessions.length + column] ?? Number.NaN;
  const hasBar = (symbol: string) => {
    const row = rows.get(symbol);
    return (session: string) => {
      const column = columns.get(session);
      return row !== undefined && column !== undefined && !Number.isNaN(closeAt(row, column));
    };
  };
  return {
    close(symbol, session) {
      const row = rows.get(symbol);
      const column = columns.get(session);
      return row === undefined || column === undefined ? Number.NaN : closeAt(row, column);
    },
    sessionsOf: (symbol) => barSessions.filter(hasBar(symbol)),
    barsOn: (session) => [...rows.keys()].filter((symbol) => hasBar(symbol)(session)).length,
    newestBar: (symbol) => barSessions.findLast(hasBar(symbol)) ?? null,
    value: (series, session) => held?.series[series]?.[places.get(session) ?? -1] ?? Number.NaN,
    newestValue(series, upTo) {
      const column = held?.series[series];
      if (column === undefined) return null;
      const at = sessions.findLastIndex(
        (session, place) => session <= upTo && session <= last && !Number.isNaN(column[place]),
      );
      return sessions[at] ?? null;
    },
    newestSession: (upTo) => barSessions.findLast((session) => session <= upTo && session <= last) ?? null,
  };
}
