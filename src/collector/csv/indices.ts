import { basename } from 'node:path';
import type { SeriesName } from '#domain/market-history.ts';
import { type SeriesTable, valuesOf } from '../history/assemble.ts';
import { shown } from '../printable.ts';
import { type Problems, SourceError } from '../problems.ts';
import { readDay } from './day.ts';
import { readDecimal } from './decimal.ts';
import { readTable } from './read.ts';
import { fieldText } from './rows.ts';
import type { SessionDays } from './session-days.ts';
import { refusalOf } from './values.ts';

/** Names the three indices go by. */
const INDEX_SYMBOLS: Readonly<Record<string, SeriesName>> = {
  SPX: 'sp500_close',
  SP500: 'sp500_close',
  GSPC: 'sp500_close',
  IXIC: 'nasdaq_composite_close',
  COMP: 'nasdaq_composite_close',
  NASDAQCOM: 'nasdaq_composite_close',
  DJI: 'dow_jones_close',
  DJIA: 'dow_jones_close',
};

/**
 * Adds `indices.csv` (`symbol,name,date,close`) to `into`; `sp500.csv`, read after it, has the last word.
 * Throws SourceError when it has no close at all.
 */
export async function readIndices(
  path: string,
  into: SeriesTable,
  { sessionDays, problems }: { sessionDays: SessionDays; problems: Problems },
): Promise<void> {
  const file = basename(path);
  const seen = new Set<string>();
  await readTable(
    path,
    {
      columns: ['symbol', 'date', 'close'],
      onRow(bytes, fields, line, at) {
        const [symbol = '', date = '', close = ''] = at.map((field) => fieldText(bytes, fields, field));
        const refuse = (kind: Parameters<Problems['refuse']>[0], column: string, why: string) =>
          problems.refuse(kind, { file, line, column }, why);
        const series = INDEX_SYMBOLS[symbol.replace(/^[.^$]/, '').toUpperCase()];
        if (series === undefined) {
          return refuse(
            'unknown symbol',
            'symbol',
            `${shown(symbol)} is not an index shown here; use SPX, IXIC or DJI`,
          );
        }
        const day = readDay(Buffer.from(date), 0, date.length);
        const dayRefusal = sessionDays.refusal(day);
        if (dayRefusal !== null) return refuse('date', 'date', `'${shown(date)}' ${dayRefusal}`);
        const key = `${series} ${day}`;
        if (seen.has(key))
          return refuse('duplicate', 'date', `a second close of ${shown(symbol)} on ${date}`);
        const value = readDecimal(Buffer.from(close), 0, close.length);
        const refusal = refusalOf(value, 'positive');
        if (refusal !== null) return refuse(refusal.kind, 'close', `'${shown(close)}' is ${refusal.why}`);
        seen.add(key);
        valuesOf(into, series).set(day, value);
      },
    },
    problems,
  );
  if (seen.size === 0)
    throw new SourceError(`${file} yields no value at all; look at its symbols and dates.`);
}
