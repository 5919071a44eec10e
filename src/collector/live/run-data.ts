import { parseDay } from '#domain/calendar/days.ts';
import type { MarketHistory, Member, SeriesName } from '#domain/market-history.ts';
import { BAR_FIELDS, emptyMatrix } from '../bar-table.ts';
import { assembleHistory, type SeriesTable } from '../history/merge.ts';
import type { ProviderName } from '../providers/names.ts';
import type { Bar, Provider } from '../providers/provider.ts';

/** A value of a series. */
export interface SeriesValue {
  readonly series: SeriesName;
  readonly session: string;
  readonly value: number;
}

export type Fetched = ReturnType<typeof createFetched>;

/** A part of the missing history, which is stored before the next one is fetched. */
export interface Part {
  /** Approximate number of requests. Requests are evenly spaced, so this number is proportional to the time. */
  readonly requests: number;
  fetch(): Promise<Fetched>;
}

/** Fetched bars and values that are to be stored, with the provider of each. */
export function createFetched() {
  const bars = new Map<string, Map<string, Bar>>();
  /** Number of bars by session and provider. */
  const counts = new Map<string, Map<ProviderName, number>>();
  const values = new Map<SeriesName, Map<string, { value: number; provider: ProviderName }>>();

  return {
    addBars(added: Iterable<Bar>, { name }: Provider): void {
      for (const bar of added) {
        const ofSymbol = bars.get(bar.symbol) ?? new Map<string, Bar>();
        bars.set(bar.symbol, ofSymbol.set(bar.session, bar));
        const count = counts.get(bar.session) ?? new Map<ProviderName, number>();
        counts.set(bar.session, count.set(name, (count.get(name) ?? 0) + 1));
      }
    },
    hasBar: (symbol: string, session: string) => bars.get(symbol)?.has(session) ?? false,
    addValues(added: Iterable<SeriesValue>, { name }: Provider): void {
      for (const { series, session, value } of added) {
        const ofSeries = values.get(series) ?? new Map();
        values.set(series, ofSeries.set(session, { value, provider: name }));
      }
    },
    hasValue: (series: SeriesName, session: string) => values.get(series)?.has(session) ?? false,
    /** The newest session up to `upTo` with bars, their number, and the provider of most of them. */
    newestBars(upTo: string) {
      const session = newest(counts.keys(), upTo);
      if (session === null) return null;
      const byProvider = [...(counts.get(session) ?? [])].sort(([, a], [, b]) => b - a);
      const [most] = byProvider;
      const total = byProvider.reduce((sum, [, count]) => sum + count, 0);
      return most === undefined ? null : { session, bars: total, provider: most[0] };
    },
    /** The newest session up to `upTo` with a value, and its provider. */
    newestValue(series: SeriesName, upTo: string) {
      const ofSeries = values.get(series);
      const session = newest(ofSeries?.keys() ?? [], upTo);
      const value = session === null ? undefined : ofSeries?.get(session);
      return session === null || value === undefined ? null : { session, provider: value.provider };
    },
    get empty() {
      return bars.size === 0 && values.size === 0;
    },
    /** Converts the data to a history of the sessions and members with bars, and of those in `also`. */
    toHistory(
      members: readonly Member[],
      universe: string,
      also: { sessions: readonly string[]; symbols: ReadonlySet<string> } = {
        sessions: [],
        symbols: new Set(),
      },
    ): MarketHistory {
      const sessions = [...new Set([...counts.keys(), ...also.sessions])].sort();
      const shown = members
        .filter(({ symbol }) => bars.has(symbol) || also.symbols.has(symbol))
        .sort((a, b) => (a.symbol < b.symbol ? -1 : 1));
      const matrix = emptyMatrix(sessions, shown);
      const columns = new Map(sessions.map((session, column) => [session, column]));
      for (const [row, { symbol }] of shown.entries()) {
        for (const bar of bars.get(symbol)?.values() ?? []) {
          const cell = row * sessions.length + (columns.get(bar.session) as number);
          for (const field of BAR_FIELDS) matrix[field][cell] = bar[field];
        }
      }
      const table: SeriesTable = new Map();
      for (const [series, ofSeries] of values) {
        table.set(series, new Map([...ofSeries].map(([session, { value }]) => [parseDay(session), value])));
      }
      return assembleHistory(matrix, table, universe);
    },
  };
}

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
    /** The close of the symbol in the session; NaN if it has no bar. */
    close,
    hasBar,
    /** The sessions with a bar of the symbol, ascending. */
    sessionsOf: (symbol: string) => barSessions.filter((session) => hasBar(symbol, session)),
    newestBar: (symbol: string) => barSessions.findLast((session) => hasBar(symbol, session)) ?? null,
    /** The value of the series in the session; NaN if it has none. */
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

function newest(sessions: Iterable<string>, upTo: string): string | null {
  let found: string | null = null;
  for (const session of sessions) {
    if (session <= upTo && (found === null || session > found)) found = session;
  }
  return found;
}

/** Groups items by key, in order. (Node 20 has no `Map.groupBy`.) */
export function groupBy<Item, Key>(items: Iterable<Item>, keyOf: (item: Item) => Key): Map<Key, Item[]> {
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

/** The items in groups of at most `size`. */
export function groupsOf<Item>(items: readonly Item[], size: number): Item[][] {
  const groups: Item[][] = [];
  for (let at = 0; at < items.length; at += size) groups.push(items.slice(at, at + size));
  return groups;
}
