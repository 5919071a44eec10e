import type { Database, Transaction } from '#database/port.ts';
import { parseDay } from '#domain/calendar/days.ts';
import type { BarMatrix } from '#domain/market-history.ts';
import { COPY_BARS_IN, createBarWriter } from './bar-copy.ts';
import type { BarChanges } from './merge.ts';

/** Bars of one transaction: a kill loses at most these, and what is in stays in. */
const BARS_A_TRANSACTION = 100_000;

interface Writing {
  bars: BarMatrix;
  ids: ReadonlyMap<string, number>;
  changes: BarChanges;
  /** Of earlier sessions it is not known what is held. */
  first: string | null;
  isWhole(symbol: string): boolean;
}

/** The cells to write of one symbol, and which of them may stand there already. */
interface SymbolCells {
  id: number;
  symbol: string;
  cells: number[];
  standing: string[];
}

/**
 * Writes what differs from what is held, in bounded transactions, a symbol's bars always in one. Of a whole symbol
 * all that is held goes first.
 */
export async function writeBars(
  database: Database,
  writing: Writing,
  report: (done: number, total: number) => void,
): Promise<void> {
  const symbols = cellsBySymbol(writing);
  const total = symbols.reduce((sum, { cells }) => sum + cells.length, 0);
  let done = 0;
  report(done, total);
  for (let from = 0; from < symbols.length; ) {
    let to = from;
    let length = 0;
    while (to < symbols.length && (to === from || length + cellCount(symbols[to]) <= BARS_A_TRANSACTION)) {
      length += cellCount(symbols[to]);
      to += 1;
    }
    const part = symbols.slice(from, to);
    await database.transaction((transaction) => writeSymbols(transaction, writing, part, length));
    from = to;
    done += length;
    report(done, total);
  }
}

const cellCount = (symbol: SymbolCells | undefined) => symbol?.cells.length ?? 0;

function cellsBySymbol({ bars, ids, changes, first, isWhole }: Writing): SymbolCells[] {
  const width = bars.sessions.length;
  const symbols = bars.members.map(
    ({ symbol }): SymbolCells => ({ id: ids.get(symbol) as number, symbol, cells: [], standing: [] }),
  );
  for (const [cells, replaces] of [
    [changes.added, false],
    [changes.changed, true],
  ] as const) {
    for (const cell of cells) {
      const of = symbols[Math.floor(cell / width)] as SymbolCells;
      const session = bars.sessions[cell % width] as string;
      of.cells.push(cell);
      if (replaces || (first !== null && session < first)) of.standing.push(session);
    }
  }
  return symbols.filter(({ symbol, cells }) => cells.length > 0 || isWhole(symbol));
}

async function writeSymbols(
  transaction: Transaction,
  { bars, isWhole }: Writing,
  symbols: readonly SymbolCells[],
  length: number,
): Promise<void> {
  const writer = createBarWriter(length);
  const width = bars.sessions.length;
  const days = bars.sessions.map(parseDay);
  for (const { id, symbol, cells, standing } of symbols) {
    if (isWhole(symbol)) {
      await transaction.query('delete from collector.bars where symbol_id = $1', [id]);
    } else if (standing.length > 0) {
      await transaction.query(
        'delete from collector.bars where symbol_id = $1 and session = any($2::date[])',
        [id, `{${standing.join(',')}}`],
      );
    }
    for (const cell of cells) {
      writer.add(
        id,
        days[cell % width] as number,
        bars.open[cell] as number,
        bars.high[cell] as number,
        bars.low[cell] as number,
        bars.close[cell] as number,
        bars.volume[cell] as number,
      );
    }
  }
  await transaction.copyIn(COPY_BARS_IN, writer.take());
}
