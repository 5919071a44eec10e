import { formatDay, parseDay } from '#domain/calendar/days.ts';
import type { BarMatrix, MarketHistory, Member, SeriesName } from '#domain/market-history.ts';
import { BAR_FIELDS, createBarTable } from '../bar-table.ts';

/** Values of series by day (days since 1970-01-01). */
export type SeriesTable = Map<SeriesName, Map<number, number>>;

/** Returns the values of a series in a table. Adds an empty map if the table lacks the series. */
export function getOrAddValues(table: SeriesTable, series: SeriesName): Map<number, number> {
  const values = table.get(series) ?? new Map<number, number>();
  table.set(series, values);
  return values;
}

/** Joins series to bars. The axis is the series' sessions before the first bar, then those of the bars. */
export function assembleHistory(bars: BarMatrix, series: SeriesTable, universe: string): MarketHistory {
  const firstBar = parseDay(bars.sessions[0] ?? '9999-12-31');
  const earlier = new Set([...series.values()].flatMap((values) => [...values.keys()]));
  const days = [...earlier].filter((day) => day < firstBar).sort((a, b) => a - b);
  const sessions = [...days.map(formatDay), ...bars.sessions];
  days.push(...bars.sessions.map(parseDay));

  const columns: Partial<Record<SeriesName, Float64Array>> = {};
  for (const [name, values] of series) {
    const column = Float64Array.from(days, (day) => values.get(day) ?? Number.NaN);
    if (column.some((value) => !Number.isNaN(value))) columns[name] = column;
  }
  return { sessions, series: columns, bars, universe };
}

/** Compares the first `count` sessions with the stored bars. Stored bars before `storedFrom` are not loaded. */
export function compareBars(
  added: BarMatrix,
  stored: BarMatrix,
  { count = added.sessions.length, storedFrom = '' }: { count?: number; storedFrom?: string } = {},
) {
  const width = added.sessions.length;
  const storedRow = new Map(stored.members.map(({ symbol }, row) => [symbol, row]));
  const storedColumn = new Map(stored.sessions.map((session, column) => [session, column]));
  const columns = Int32Array.from(added.sessions, (session) => storedColumn.get(session) ?? -1);
  let matched = 0;
  const members = added.members.map(({ symbol }, row) => {
    // The new and changed bars, as cells of the matrix of `added`.
    const cells: number[] = [];
    // The sessions of these bars for which other values are stored, or may be stored.
    const replaced: string[] = [];
    const other = storedRow.get(symbol) ?? -1;
    for (let column = 0; column < count; column += 1) {
      const cell = row * width + column;
      if (Number.isNaN(added.close[cell] as number)) continue;
      const session = added.sessions[column] as string;
      const at = columns[column] as number;
      const storedCell = other * stored.sessions.length + at;
      if (other < 0 || at < 0 || Number.isNaN(stored.close[storedCell] as number)) {
        cells.push(cell);
        if (session < storedFrom) replaced.push(session);
        continue;
      }
      matched += 1;
      if (BAR_FIELDS.every((field) => added[field][cell] === stored[field][storedCell])) continue;
      cells.push(cell);
      replaced.push(session);
    }
    return { symbol, cells, replaced };
  });
  const storedBars = stored.close.reduce((sum, value) => (Number.isNaN(value) ? sum : sum + 1), 0);
  // `covers` is true if `added` contains all stored bars.
  return { members, covers: matched === storedBars };
}
export type BarChanges = ReturnType<typeof compareBars>;

/** Merges two histories and prefers the values of `added`. `covers` is true if `added` contains all stored bars. */
export function mergeHistories(added: MarketHistory, stored: MarketHistory, covers: boolean): MarketHistory {
  const bars = covers ? added.bars : combineBars([stored.bars, added.bars]);
  const series: SeriesTable = new Map();
  for (const history of [stored, added]) {
    const days = history.sessions.map(parseDay);
    for (const [name, column] of Object.entries(history.series) as [SeriesName, Float64Array][]) {
      const values = getOrAddValues(series, name);
      for (const [at, day] of days.entries()) {
        if (!Number.isNaN(column[at] as number)) values.set(day, column[at] as number);
      }
    }
  }
  return assembleHistory(bars, series, added.universe);
}

/** The bars of the members for which `isUsed` is true. The last part's bar of a member and session counts. */
export function combineBars(
  parts: readonly BarMatrix[],
  isUsed: (symbol: string) => boolean = () => true,
): BarMatrix {
  const members = new Map<string, { index: number; member: Member }>();
  const table = createBarTable();
  const bar = new Float64Array(BAR_FIELDS.length);
  // The table keeps the first bar of a member and session.
  for (const bars of parts.toReversed()) {
    const days = bars.sessions.map(parseDay);
    for (const [row, member] of bars.members.entries()) {
      if (!isUsed(member.symbol)) continue;
      const { index } = members.get(member.symbol) ?? { index: members.size };
      if (index === members.size) members.set(member.symbol, { index, member });
      for (const [column, day] of days.entries()) {
        const cell = row * days.length + column;
        if (Number.isNaN(bars.close[cell] as number)) continue;
        for (const [at, field] of BAR_FIELDS.entries()) bar[at] = bars[field][cell] as number;
        table.push(index, day, 0, bar);
      }
    }
  }
  const used = Array.from(members.values(), ({ member }) => member);
  return table.toMatrix(used, Number.POSITIVE_INFINITY);
}
