import { formatDay, parseDay } from '#domain/calendar/days.ts';
import type { BarMatrix, Member } from '#domain/market-history.ts';

export const BAR_FIELDS = ['open', 'high', 'low', 'close', 'volume'] as const;

const BLOCK = 65_536;

export type BarTable = ReturnType<typeof createBarTable>;

/** Collects bars in any order. */
export function createBarTable() {
  const blocks: ReturnType<typeof openBlock>[] = [];
  let block = openBlock();
  blocks.push(block);

  return {
    /** `values` are BAR_FIELDS; `member` is an index into the members of `toMatrix`. */
    push(member: number, day: number, line: number, values: Float64Array): void {
      if (block.length === BLOCK) {
        block = openBlock();
        blocks.push(block);
      }
      const current = block;
      const row = current.length;
      current.member[row] = member;
      current.day[row] = day;
      current.line[row] = line;
      const stored = current.values;
      const at = row * 5;
      for (let index = 0; index < 5; index += 1) stored[at + index] = values[index] as number;
      current.length = row + 1;
    },
    get length() {
      return (blocks.length - 1) * BLOCK + block.length;
    },
    /** The bars up to and including `lastDay`. Keeps the first of a member and session; others go to `onDuplicate`. */
    toMatrix(
      members: readonly Member[],
      lastDay: number,
      onDuplicate?: (row: number, line: number, member: number, day: number) => void,
    ): BarMatrix {
      const days = presentValues(blocks, 'day', lastDay);
      const used = presentValues(blocks, 'member', lastDay);
      const present = used
        .map((index) => ({ index, member: members[index] as Member }))
        .sort((a, b) => (a.member.symbol < b.member.symbol ? -1 : 1));
      const rowOf = new Int32Array(members.length);
      for (const [row, { index }] of present.entries()) rowOf[index] = row;
      const firstDay = days[0] ?? 0;
      const columnOf = new Int32Array((days.at(-1) ?? 0) - firstDay + 1);
      for (const [column, day] of days.entries()) columnOf[day - firstDay] = column;
      const matrix = emptyMatrix(
        days.map(formatDay),
        present.map(({ member }) => member),
      );
      const width = days.length;
      for (const [number, { length, member, day, line, values }] of blocks.entries()) {
        for (let row = 0; row < length; row += 1) {
          if ((day[row] as number) > lastDay) continue;
          const cell =
            (rowOf[member[row] as number] as number) * width +
            (columnOf[(day[row] as number) - firstDay] as number);
          if (!Number.isNaN(matrix.close[cell] as number)) {
            onDuplicate?.(
              number * BLOCK + row,
              line[row] as number,
              member[row] as number,
              day[row] as number,
            );
            continue;
          }
          const at = row * 5;
          matrix.open[cell] = values[at] as number;
          matrix.high[cell] = values[at + 1] as number;
          matrix.low[cell] = values[at + 2] as number;
          matrix.close[cell] = values[at + 3] as number;
          matrix.volume[cell] = values[at + 4] as number;
        }
      }
      return matrix;
    },
  };
}

/** A matrix without bars. */
export function emptyMatrix(sessions: readonly string[], members: readonly Member[]): BarMatrix {
  const cells = sessions.length * members.length;
  const column = () => new Float64Array(cells).fill(Number.NaN);
  const [open, high, low, close, volume] = [column(), column(), column(), column(), column()];
  return { sessions, members, open, high, low, close, volume };
}

function openBlock() {
  return {
    length: 0,
    member: new Int32Array(BLOCK),
    // Days since 1970-01-01.
    day: new Int32Array(BLOCK),
    // Number of the row's line, for messages.
    line: new Int32Array(BLOCK),
    // The BAR_FIELDS of all rows, row by row.
    values: new Float64Array(BLOCK * 5),
  };
}

function presentValues(
  blocks: readonly ReturnType<typeof openBlock>[],
  column: 'day' | 'member',
  lastDay: number,
): number[] {
  const present = new Set<number>();
  let last = Number.NaN;
  for (const block of blocks) {
    const values = block[column];
    for (let row = 0; row < block.length; row += 1) {
      const value = values[row] as number;
      if (value === last || (block.day[row] as number) > lastDay) continue;
      last = value;
      present.add(value);
    }
  }
  return [...present].sort((a, b) => a - b);
}

/*
 * Bars in the binary format of `copy`. The format is exact and has a fixed width. Both Postgres and this process handle
 * it several times faster than text. https://www.postgresql.org/docs/current/sql-copy.html, "Binary Format"
 */
const SIGNATURE = Uint8Array.from([80, 71, 67, 79, 80, 89, 10, 255, 13, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
const ROW = 76;
const FIELDS = 7;
/** Sizes in bytes: the part of a row before its first price, and a price with its length field. */
const BEFORE_PRICES = 16;
const PRICE = 12;
/** The epoch of `date` in Postgres, 2000-01-01, in days since 1970-01-01. */
const DATE_EPOCH = 10_957;

export const COPY_BARS_IN =
  'copy collector.bars (symbol_id, session, open, high, low, close, volume) from stdin (format binary)';

/** SQL that reads the bars of symbol ids (both inclusive), from the session `first` on; all sessions if it is null. */
export function copyBarsOut([from, to]: readonly [number, number], first: string | null): string {
  const since = first === null ? '' : ` and session >= '${first}'`;
  return `copy (select symbol_id, session, open, high, low, close, volume from collector.bars
    where symbol_id between ${from} and ${to}${since}) to stdout (format binary)`;
}

export function encodeBars(
  bars: BarMatrix,
  symbols: readonly { symbolId: number; cells: readonly number[] }[],
): Uint8Array {
  const count = symbols.reduce((sum, { cells }) => sum + cells.length, 0);
  const bytes = new Uint8Array(SIGNATURE.length + count * ROW + 2);
  bytes.set(SIGNATURE);
  const view = new DataView(bytes.buffer);
  const days = bars.sessions.map(parseDay);
  const columns = BAR_FIELDS.map((field) => bars[field]);
  let at = SIGNATURE.length;
  for (const { symbolId, cells } of symbols) {
    for (const cell of cells) {
      view.setInt16(at, FIELDS);
      view.setInt32(at + 2, 2);
      view.setInt16(at + 6, symbolId);
      view.setInt32(at + 8, 4);
      view.setInt32(at + 12, (days[cell % days.length] as number) - DATE_EPOCH);
      at += BEFORE_PRICES;
      for (const column of columns) {
        view.setInt32(at, 8);
        view.setFloat64(at + 4, column[cell] as number);
        at += PRICE;
      }
    }
  }
  view.setInt16(at, -1);
  return bytes;
}

/** Adds encoded bars to `table`, under the row that `memberOf` returns for each symbol id; skips ids with -1. */
export function decodeBars(bytes: Uint8Array, table: BarTable, memberOf: (symbolId: number) => number): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const values = new Float64Array(BAR_FIELDS.length);
  for (let at = SIGNATURE.length; at + 2 <= bytes.length && view.getInt16(at) === FIELDS; at += ROW) {
    const member = memberOf(view.getInt16(at + 6));
    if (member < 0) continue;
    for (let index = 0; index < values.length; index += 1)
      values[index] = view.getFloat64(at + BEFORE_PRICES + index * PRICE + 4);
    table.push(member, view.getInt32(at + 12) + DATE_EPOCH, 0, values);
  }
}
