import { parseDay } from '#domain/calendar/days.ts';
import type { BarMatrix } from '#domain/market-history.ts';
import { BAR_FIELDS, type BarTable } from '../bar-table.ts';

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
