import { basename } from 'node:path';
import type { SeriesName } from '#domain/market-history.ts';
import { type SeriesTable, valuesOf } from '../history/assemble.ts';
import { shown } from '../printable.ts';
import { type Problems, SourceError } from '../problems.ts';
import { NO_DAY, readDay } from './day.ts';
import { readDecimal } from './decimal.ts';
import { readTable } from './read.ts';
import { type Fields, fieldText } from './rows.ts';
import type { SessionDays } from './session-days.ts';
import { type Range, refusalOf } from './values.ts';

interface SeriesColumn {
  column: string;
  series: SeriesName;
  range: Range;
  optional?: true;
}

/** The files of a source folder that hold daily series, each with the columns it gives. */
export const SERIES_FILES: Readonly<Record<string, readonly SeriesColumn[]>> = {
  'sp500.csv': [
    { column: 'close', series: 'sp500_close', range: 'positive' },
    { column: 'volume', series: 'sp500_volume', range: 'not negative', optional: true },
  ],
  'vix.csv': [{ column: 'close', series: 'vix_close', range: 'positive' }],
  'put-call.csv': [
    { column: 'total', series: 'put_call_total', range: 'positive' },
    { column: 'equity', series: 'put_call_equity', range: 'positive' },
  ],
  'nyse-advance-decline.csv': [
    { column: 'advances', series: 'nyse_advances', range: 'not negative' },
    { column: 'declines', series: 'nyse_declines', range: 'not negative' },
    { column: 'unchanged', series: 'nyse_unchanged', range: 'not negative' },
  ],
  'nyse-highs-lows.csv': [
    { column: 'new_highs', series: 'nyse_new_highs', range: 'not negative' },
    { column: 'new_lows', series: 'nyse_new_lows', range: 'not negative' },
  ],
  'credit-spreads.csv': [
    { column: 'high_yield_oas', series: 'high_yield_oas', range: 'any' },
    { column: 'investment_grade_oas', series: 'investment_grade_oas', range: 'any' },
  ],
  'treasury-10y.csv': [{ column: 'yield', series: 'treasury_10y_yield', range: 'any' }],
};

/**
 * Adds a file of `SERIES_FILES` to `into`, up to and including `lastDay`. A day without a value has none; the
 * value of a day that is no session is left out. Throws SourceError when the file has no value at all.
 */
export async function readSeriesFile(
  path: string,
  columns: readonly SeriesColumn[],
  into: SeriesTable,
  { sessionDays, lastDay, problems }: { sessionDays: SessionDays; lastDay: number; problems: Problems },
): Promise<void> {
  const file = basename(path);
  const targets = columns.map((column) => ({ ...column, values: valuesOf(into, column.series) }));
  const seen = new Set<number>();
  let found = 0;
  await readTable(
    path,
    {
      columns: ['date', ...columns.filter(({ optional }) => !optional).map(({ column }) => column)],
      optional: columns.filter(({ optional }) => optional).map(({ column }) => column),
      onRow(bytes, fields, line, at) {
        const day = readDay(
          bytes,
          fields.starts[at[0] as number] as number,
          fields.ends[at[0] as number] as number,
        );
        if (day === NO_DAY || seen.has(day)) {
          const text = shown(fieldText(bytes, fields, at[0] as number));
          if (day === NO_DAY)
            problems.refuse('date', { file, line, column: 'date' }, `'${text}' ${sessionDays.refusal(day)}`);
          else problems.refuse('duplicate', { file, line }, `a second row of ${text}`);
          return;
        }
        seen.add(day);
        if (sessionDays.refusal(day) !== null) return;
        for (let index = 0; index < targets.length; index += 1) {
          const { column, range, values } = targets[index] as (typeof targets)[number];
          const field = at[index + 1] as number;
          if (field < 0 || hasNoValue(bytes, fields, field)) continue;
          const value = readDecimal(bytes, fields.starts[field] as number, fields.ends[field] as number);
          const refusal = refusalOf(value, range);
          if (refusal === null) {
            found += 1;
            if (day <= lastDay) values.set(day, value);
          } else {
            const text = shown(fieldText(bytes, fields, field));
            problems.refuse(refusal.kind, { file, line, column }, `'${text}' is ${refusal.why}`);
          }
        }
      },
    },
    problems,
  );
  if (found === 0) throw new SourceError(`${file} yields no value at all; look at its dates and numbers.`);
}

/** A lone dot is how the Federal Reserve's files say that there is no value. */
function hasNoValue(bytes: Uint8Array, { starts, ends }: Fields, field: number): boolean {
  const length = (ends[field] as number) - (starts[field] as number);
  return length === 0 || (length === 1 && bytes[starts[field] as number] === 46);
}
