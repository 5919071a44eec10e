import { parseDay } from '#domain/calendar/days.ts';
import type { MarketHistory, Member, SeriesName } from '#domain/market-history.ts';
import { BAR_FIELDS, emptyMatrix } from '../history/bar-table.ts';
import { assembleHistory, type SeriesTable } from '../history/merge.ts';
import type { ProviderName } from '../providers/names.ts';
import type { Bar, Provider } from '../providers/provider.ts';

/** One value of a series. */
export interface SeriesValue {
  readonly series: SeriesName;
  readonly session: string;
  readonly value: number;
}

export type Fetched = ReturnType<typeof createFetched>;

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
    /** The data as a history, over the sessions with bars and `also.sessions`, of the members with bars and `also.symbols`. */
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

function newest(sessions: Iterable<string>, upTo: string): string | null {
  let found: string | null = null;
  for (const session of sessions) {
    if (session <= upTo && (found === null || session > found)) found = session;
  }
  return found;
}

/** Groups items by key, in their order. (Node 20 has no `Map.groupBy`.) */
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
