import { basename } from 'node:path';
import type { SeriesName } from '#domain/market-history.ts';
import type { SeriesTable } from '../history/assemble.ts';
import { type Problems, SourceError } from '../problems.ts';
import { NO_DAY, readDay } from './day.ts';
import { readDecimal } from './decimal.ts';
import { readTable } from './read.ts';
import { fieldText } from './rows.ts';
import type { SessionDays } from './session-days.ts';

/** Which values a column may have. */
type Range = 'positive' | 'not negative' | 'any';

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

/** Adds a file of `SERIES_FILES` to `into`. A day without a value has none; the value of a day off is left out. */
export async function readSeriesFile(
  path: string,
  columns: readonly SeriesColumn[],
  into: SeriesTable,
  sessionDays: SessionDays,
  problems: Problems,
): Promise<void> {
  const file = basename(path);
  const seen = new Set<number>();
  let values = 0;
  await readTable(
    path,
    {
      columns: ['date', ...columns.filter(({ optional }) => !optional).map(({ column }) => column)],
      optional: columns.filter(({ optional }) => optional).map(({ column }) => column),
      onRow(bytes, fields, line, at) {
        const [dateField = 0, ...valueFields] = at;
        const day = readDayField(bytes, fields, dateField, { file, line }, problems);
        if (day === null || sessionDays.refusal(day) !== null) return;
        if (seen.has(day)) {
          problems.refuse(
            'duplicate',
            { file, line },
            `a second row of ${fieldText(bytes, fields, dateField)}`,
          );
          return;
        }
        seen.add(day);
        for (const [index, { column, series, range }] of columns.entries()) {
          const field = valueFields[index] ?? -1;
          if (field < 0) continue;
          const value = readValue(bytes, fields, field, range, { file, line, column }, problems);
          if (value === null) continue;
          valuesOf(into, series).set(day, value);
          values += 1;
        }
      },
    },
    problems,
  );
  if (values === 0) throw new SourceError(`${file} yields no value at all; look at its dates and numbers.`);
}

/** Adds `indices.csv` (`symbol,name,date,close`) to `into`. */
export async function readIndices(
  path: string,
  into: SeriesTable,
  sessionDays: SessionDays,
  problems: Problems,
): Promise<void> {
  const file = basename(path);
  const seen = new Set<string>();
  await readTable(
    path,
    {
      columns: ['symbol', 'date', 'close'],
      onRow(bytes, fields, line, at) {
        const [symbolField = 0, dateField = 0, closeField = 0] = at;
        const symbol = fieldText(bytes, fields, symbolField);
        const series = INDEX_SYMBOLS[symbol.replace(/^[.^$]/, '').toUpperCase()];
        if (series === undefined) {
          const known = 'use SPX, IXIC or DJI';
          problems.refuse(
            'unknown symbol',
            { file, line, column: 'symbol' },
            `${symbol} is not an index shown here; ${known}`,
          );
          return;
        }
        const day = readDayField(bytes, fields, dateField, { file, line }, problems);
        if (day === null || sessionDays.refusal(day) !== null) return;
        if (seen.has(`${series} ${day}`)) {
          problems.refuse('duplicate', { file, line }, `a second close of ${symbol} on that day`);
          return;
        }
        seen.add(`${series} ${day}`);
        const close = readValue(
          bytes,
          fields,
          closeField,
          'positive',
          { file, line, column: 'close' },
          problems,
        );
        if (close !== null) valuesOf(into, series).set(day, close);
      },
    },
    problems,
  );
  if (seen.size === 0)
    throw new SourceError(`${file} yields no value at all; look at its symbols and dates.`);
}

type Fields = Parameters<typeof fieldText>[1];

function readDayField(
  bytes: Uint8Array,
  fields: Fields,
  field: number,
  at: { file: string; line: number },
  problems: Problems,
): number | null {
  const day = readDay(bytes, fields.starts[field] as number, fields.ends[field] as number);
  if (day !== NO_DAY) return day;
  problems.refuse(
    'date',
    { ...at, column: 'date' },
    `'${fieldText(bytes, fields, field)}' is not a day written YYYY-MM-DD`,
  );
  return null;
}

function readValue(
  bytes: Uint8Array,
  fields: Fields,
  field: number,
  range: Range,
  at: { file: string; line: number; column: string },
  problems: Problems,
): number | null {
  const start = fields.starts[field] as number;
  const end = fields.ends[field] as number;
  // A lone dot is how the Federal Reserve's files say that there is no value.
  if (start === end || (end - start === 1 && bytes[start] === 46)) return null;
  const value = readDecimal(bytes, start, end);
  if (Number.isNaN(value)) {
    problems.refuse('number', at, `'${fieldText(bytes, fields, field)}' is not a number`);
    return null;
  }
  if ((range === 'positive' && value <= 0) || (range === 'not negative' && value < 0)) {
    problems.refuse('price', at, `${value} is ${value === 0 ? 'zero' : 'negative'}`);
    return null;
  }
  return value;
}

function valuesOf(table: SeriesTable, series: SeriesName): Map<number, number> {
  let values = table.get(series);
  if (values === undefined) {
    values = new Map();
    table.set(series, values);
  }
  return values;
}
