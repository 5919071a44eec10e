import { parseDay } from '#domain/calendar/days.ts';
import type { MarketHistory, Member, SeriesName } from '#domain/market-history.ts';
import { BAR_FIELDS, emptyMatrix } from '../bar-table.ts';
import { assembleHistory, type SeriesTable } from '../history/merge.ts';
import type { Bar, Provider, ProviderName } from '../providers/provider.ts';

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
    addValues(added: Iterable<SeriesValue>, { name }: Provider): void {
      for (const { series, session, value } of added) {
        const ofSeries = values.get(series) ?? new Map();
        values.set(series, ofSeries.set(session, { value, provider: name }));
      }
    },
    /** True for a session with a bar of a symbol, or with a value of a series. */
    has: (item: string, session: string) =>
      (bars.get(item) ?? values.get(item as SeriesName))?.has(session) ?? false,
    /** The newest session up to `upTo` with bars, their number, and the provider of most of them. */
    newestBars(upTo: string) {
      const session = newest(counts.keys(), upTo);
      if (session === null) return null;
      const byProvider = [...(counts.get(session) ?? [])].sort(([, a], [, b]) => b - a);
      const total = byProvider.reduce((sum, [, count]) => sum + count, 0);
      const [provider = null] = byProvider[0] ?? [];
      return { session, bars: total, provider };
    },
    /** The newest session up to `upTo` with a value, and its provider. */
    newestValue(series: SeriesName, upTo: string) {
      const ofSeries = values.get(series) ?? new Map<string, { provider: ProviderName }>();
      const session = newest(ofSeries.keys(), upTo);
      return session === null ? null : { session, provider: ofSeries.get(session)?.provider ?? null };
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

/** The stored history up to `last`. An item is a symbol, whose value is its close, or the name of a series. */
export function viewStored(history: MarketHistory | null, last: string) {
  const { sessions: axis = [], series = {}, bars = emptyMatrix([], []) } = history ?? {};
  const width = bars.sessions.length;
  // The sessions of the bars are the last ones of the axis.
  const firstBar = axis.length - width;
  const rows = new Map(bars.members.map(({ symbol }, row) => [symbol, row]));
  const sessions = axis.filter((session) => session <= last);
  const places = new Map(sessions.map((session, place) => [session, place]));

  const value = (item: string, session: string) => {
    const place = places.get(session) ?? -1;
    const row = rows.get(item);
    if (row === undefined) return series[item as SeriesName]?.[place] ?? Number.NaN;
    return place < firstBar ? Number.NaN : (bars.close[row * width + place - firstBar] as number);
  };
  const has = (item: string, session: string) => !Number.isNaN(value(item, session));
  return {
    /** The value of an item in a session; NaN without one. */
    value,
    has,
    /** The sessions with a value of an item, ascending. */
    sessionsOf: (item: string) => sessions.filter((session) => has(item, session)),
    /** The newest session up to `upTo` with a value of an item. */
    newest: (item: string, upTo = last) =>
      sessions.findLast((session) => session <= upTo && has(item, session)) ?? null,
    /** Number of members with a bar of the session. */
    barsOn: (session: string) => [...rows.keys()].filter((symbol) => has(symbol, session)).length,
    /** The newest session up to `upTo` with a bar of any member. */
    newestSession: (upTo: string) => sessions.slice(firstBar).findLast((session) => session <= upTo) ?? null,
  };
}

function newest(sessions: Iterable<string>, upTo: string): string | null {
  const sorted = [...sessions].sort();
  return sorted.findLast((session) => session <= upTo) ?? null;
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

export function groupsOf<Item>(items: readonly Item[], size: number): Item[][] {
  const groups: Item[][] = [];
  for (let at = 0; at < items.length; at += size) groups.push(items.slice(at, at + size));
  return groups;
}
