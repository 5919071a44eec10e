import { parseDay } from '#domain/calendar/days.ts';
import type { BarMatrix, MarketHistory, Member, SeriesName } from '#domain/market-history.ts';
import { assembleHistory, type SeriesTable, valuesOf } from './assemble.ts';
import { BAR_FIELDS, emptyMatrix } from './bar-table.ts';

/** Where a history differs from what is held, as cells `member * sessions + session` of its own matrix. */
export interface BarChanges {
  added: readonly number[];
  /** Held with other values. */
  changed: readonly number[];
  /** Whether all that is held is in the history too. */
  covers: boolean;
}

/** What of `given` is not held, or held with other values. */
export function compareBars(given: BarMatrix, held: BarMatrix): BarChanges {
  const added: number[] = [];
  const changed: number[] = [];
  const heldRow = new Map(held.members.map(({ symbol }, row) => [symbol, row]));
  const heldColumn = new Map(held.sessions.map((session, column) => [session, column]));
  const columns = Int32Array.from(given.sessions, (session) => heldColumn.get(session) ?? -1);
  let matched = 0;
  for (const [row, { symbol }] of given.members.entries()) {
    const other = heldRow.get(symbol) ?? -1;
    for (let column = 0; column < given.sessions.length; column += 1) {
      const cell = row * given.sessions.length + column;
      if (Number.isNaN(given.close[cell] as number)) continue;
      const at = columns[column] as number;
      const heldCell = other * held.sessions.length + at;
      if (other < 0 || at < 0 || Number.isNaN(held.close[heldCell] as number)) {
        added.push(cell);
        continue;
      }
      matched += 1;
      if (BAR_FIELDS.some((field) => given[field][cell] !== held[field][heldCell])) changed.push(cell);
    }
  }
  const heldBars = held.close.reduce((count, value) => (Number.isNaN(value) ? count : count + 1), 0);
  return { added, changed, covers: matched === heldBars };
}

/** All of both histories; where both know a value, the given one. */
export function mergeHistories(given: MarketHistory, held: MarketHistory, covers: boolean): MarketHistory {
  const bars = covers ? given.bars : mergeBars(given.bars, held.bars);
  const series: SeriesTable = new Map();
  for (const history of [held, given]) {
    const days = history.sessions.map(parseDay);
    for (const [name, column] of Object.entries(history.series) as [SeriesName, Float64Array][]) {
      const values = valuesOf(series, name);
      for (const [at, day] of days.entries()) {
        if (!Number.isNaN(column[at] as number)) values.set(day, column[at] as number);
      }
    }
  }
  return assembleHistory(bars, series, given.universe);
}

function mergeBars(given: BarMatrix, held: BarMatrix): BarMatrix {
  const sessions = [...new Set([...held.sessions, ...given.sessions])].sort();
  const members = new Map([...held.members, ...given.members].map((member) => [member.symbol, member]));
  const symbols = [...members.keys()].sort();
  const merged = emptyMatrix(
    sessions,
    symbols.flatMap((symbol) => members.get(symbol) ?? []),
  );
  const rowOf = new Map(symbols.map((symbol, row) => [symbol, row]));
  const columnOf = new Map(sessions.map((session, column) => [session, column]));
  for (const bars of [held, given]) {
    const columns = Int32Array.from(bars.sessions, (session) => columnOf.get(session) as number);
    for (const [row, { symbol }] of bars.members.entries()) {
      const base = (rowOf.get(symbol) as number) * sessions.length;
      for (let column = 0; column < columns.length; column += 1) {
        const from = row * columns.length + column;
        if (Number.isNaN(bars.close[from] as number)) continue;
        for (const field of BAR_FIELDS) {
          merged[field][base + (columns[column] as number)] = bars[field][from] as number;
        }
      }
    }
  }
  return merged;
}

/** The bars of the members that `stays` knows, on the sessions any of them has a bar of. */
export function barsOfMembers(bars: BarMatrix, stays: (symbol: string) => boolean): BarMatrix {
  if (bars.members.every(({ symbol }) => stays(symbol))) return bars;
  const width = bars.sessions.length;
  const rows = bars.members.flatMap(({ symbol }, row) => (stays(symbol) ? [row] : []));
  const columns = bars.sessions.flatMap((_, column) =>
    rows.some((row) => !Number.isNaN(bars.close[row * width + column] as number)) ? [column] : [],
  );
  const kept = emptyMatrix(
    columns.map((column) => bars.sessions[column] as string),
    rows.map((row) => bars.members[row] as Member),
  );
  for (const field of BAR_FIELDS) {
    let cell = 0;
    for (const row of rows) {
      for (const column of columns) {
        kept[field][cell] = bars[field][row * width + column] as number;
        cell += 1;
      }
    }
  }
  return kept;
}

/** The history without its last session. */
export function withoutLastSession(history: MarketHistory): MarketHistory {
  const width = history.bars.sessions.length - 1;
  const cut = (column: Float64Array) => {
    const kept = new Float64Array(width * history.bars.members.length);
    for (let row = 0; row < history.bars.members.length; row += 1) {
      kept.set(column.subarray(row * (width + 1), row * (width + 1) + width), row * width);
    }
    return kept;
  };
  const { open, high, low, close, volume, members, sessions } = history.bars;
  return {
    ...history,
    sessions: history.sessions.slice(0, -1),
    series: Object.fromEntries(
      Object.entries(history.series).map(([name, column]) => [name, column.subarray(0, -1)]),
    ),
    bars: {
      sessions: sessions.slice(0, -1),
      members,
      open: cut(open),
      high: cut(high),
      low: cut(low),
      close: cut(close),
      volume: cut(volume),
    },
  };
}
