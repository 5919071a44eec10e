import type { MarketHistory, SeriesName } from '#domain/market-history.ts';

/** A view of the stored history up to and including `last`. */
export function viewStored(stored: MarketHistory | null, last: string) {
  const bars = stored?.bars;
  const barSessions = (bars?.sessions ?? []).filter((session) => session <= last);
  const sessions = (stored?.sessions ?? []).filter((session) => session <= last);
  const width = bars?.sessions.length ?? 0;
  const rows = new Map(bars?.members.map(({ symbol }, row) => [symbol, row]));
  const columns = new Map(barSessions.map((session, column) => [session, column]));
  const places = new Map(sessions.map((session, place) => [session, place]));

  const close = (symbol: string, session: string) => {
    const row = rows.get(symbol);
    const column = columns.get(session);
    return row === undefined || column === undefined
      ? Number.NaN
      : (bars?.close[row * width + column] ?? Number.NaN);
  };
  const hasBar = (symbol: string, session: string) => !Number.isNaN(close(symbol, session));
  const value = (series: SeriesName, session: string) =>
    stored?.series[series]?.[places.get(session) ?? -1] ?? Number.NaN;
  const hasValue = (series: SeriesName, session: string) => !Number.isNaN(value(series, session));
  return {
    /** NaN without a bar. */
    close,
    hasBar,
    /** The sessions with a bar of the symbol, ascending. */
    sessionsOf: (symbol: string) => barSessions.filter((session) => hasBar(symbol, session)),
    newestBar: (symbol: string) => barSessions.findLast((session) => hasBar(symbol, session)) ?? null,
    /** NaN without a value. */
    value,
    hasValue,
    newestValue(series: SeriesName, upTo: string): string | null {
      const column = stored?.series[series];
      if (column === undefined) return null;
      const place = sessions.findLastIndex((day, at) => day <= upTo && !Number.isNaN(column[at]));
      return sessions[place] ?? null;
    },
    /** Number of members with a bar of the session. */
    barsOn: (session: string) => [...rows.keys()].filter((symbol) => hasBar(symbol, session)).length,
    /** The newest session up to `upTo` with a bar of any member. */
    newestSession: (upTo: string) => barSessions.findLast((session) => session <= upTo) ?? null,
  };
}
