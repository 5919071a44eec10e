import { basename, join } from 'node:path';
import { formatDay } from '#domain/calendar/days.ts';
import type { BarMatrix, Member, SeriesName } from '#domain/market-history.ts';
import { LONGEST_TEXT } from '#schema/parse.ts';
import { createBarTable } from '../bar-table.ts';
import { getOrAddValues, type SeriesTable } from '../history/merge.ts';
import { type Problems, SourceError, shown } from '../problems.ts';
import { isSessionDay, readTable, type ValueRange } from './read-table.ts';

const MEMBER_COLUMNS = ['symbol', 'name', 'sector'] as const;
/** Invisible characters. The database rejects some of them. */
const UNSEEN = /\p{C}/u;

/** The companies of a `universe.csv`. Throws SourceError without any. */
export async function readUniverse(path: string, problems: Problems): Promise<Member[]> {
  const file = basename(path);
  const members = new Map<string, Member>();
  await readTable(
    path,
    {
      columns: MEMBER_COLUMNS,
      onRow(row) {
        const texts = MEMBER_COLUMNS.map((_, column) => row.text(column).replace(/\s+/g, ' '));
        const column = texts.findIndex((text) => refusalOf(text) !== null);
        const [symbol = '', name = '', sector = ''] = texts;
        if (column >= 0) row.refuse('text', column, () => refusalOf(texts[column] ?? '') ?? '');
        else if (members.has(symbol)) row.refuse('duplicate', 0, () => `${symbol} is in the file twice`);
        else members.set(symbol, { symbol, name, sector });
      },
    },
    problems,
  );
  if (members.size === 0)
    throw new SourceError(`${file} names no company. Add one per line with symbol, name and sector.`);
  return [...members.values()];
}

function refusalOf(text: string): string | null {
  if (text === '') return 'there is no value';
  if (text.length > LONGEST_TEXT) return `longer than ${LONGEST_TEXT} characters`;
  return UNSEEN.test(text) ? 'a character that cannot be seen' : null;
}

const BAR_COLUMNS = ['symbol', 'date', 'open', 'high', 'low', 'close', 'volume'] as const;
const RANGES = ['positive', 'positive', 'positive', 'positive', 'not negative'] as const;

/** The valid bars of `paths` up to `lastDay` (days since 1970). Throws SourceError if a file has none. */
export async function readBars(
  paths: readonly string[],
  members: readonly Member[],
  lastDay: number,
  problems: Problems,
): Promise<BarMatrix> {
  const bars = createBarTable();
  const indexOf = new Map(members.map(({ symbol }, index) => [symbol, index]));
  const values = new Float64Array(5);
  const files: { file: string; firstRow: number }[] = [];
  for (const path of paths) {
    const file = basename(path);
    const firstRow = bars.length;
    files.push({ file, firstRow });
    await readTable(
      path,
      {
        columns: BAR_COLUMNS,
        onRow(row) {
          const member = indexOf.get(row.text(0));
          if (member === undefined)
            return row.refuse('unknown symbol', 0, (symbol) => `${symbol} is not in universe.csv`);
          const day = row.session(1);
          if (Number.isNaN(day)) return;
          for (const [at, range] of RANGES.entries()) {
            const value = row.number(at + 2, range);
            if (Number.isNaN(value)) return;
            values[at] = value;
          }
          const [, high = 0, low = 0] = values;
          if (high < low)
            return row.refuse('high below low', 3, (text) => `${text} is below the low of ${low}`);
          bars.push(member, day, row.line, values);
        },
      },
      problems,
    );
    if (bars.length > firstRow) continue;
    const first = problems.shown.find((problem) => problem.file === file);
    throw new SourceError(`${file} has no valid bar${first ? ` (${first.message})` : ''}.`);
  }
  return bars.toMatrix(members, lastDay, (row, line, member, day) => {
    const file = files.findLast(({ firstRow }) => firstRow <= row)?.file ?? '';
    const symbol = members[member]?.symbol ?? '';
    problems.refuse('duplicate', { file, line }, `a second bar of ${symbol} on ${formatDay(day)}`);
  });
}

interface SeriesColumn {
  column: string;
  series: SeriesName;
  range: ValueRange;
  optional?: true;
}

/** The files with daily series, and their columns. Required columns come first. */
const SERIES_FILES: Readonly<Record<string, readonly SeriesColumn[]>> = {
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
    { column: 'advances', series: 'nyse_advances', range: 'count' },
    { column: 'declines', series: 'nyse_declines', range: 'count' },
    { column: 'unchanged', series: 'nyse_unchanged', range: 'count' },
  ],
  'nyse-highs-lows.csv': [
    { column: 'new_highs', series: 'nyse_new_highs', range: 'count' },
    { column: 'new_lows', series: 'nyse_new_lows', range: 'count' },
  ],
  'credit-spreads.csv': [
    { column: 'high_yield_oas', series: 'high_yield_oas', range: 'any' },
    { column: 'investment_grade_oas', series: 'investment_grade_oas', range: 'any' },
  ],
  'treasury-10y.csv': [{ column: 'yield', series: 'treasury_10y_yield', range: 'any' }],
};

export const SERIES_FILE_NAMES: readonly string[] = [...Object.keys(SERIES_FILES), 'indices.csv'];

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

interface Limits {
  /** Values of later days (days since 1970) are validated but left out. */
  readonly lastDay: number;
  readonly problems: Problems;
}

/** Reads the series of the known files among `files`, names in `dir`. Throws SourceError for a file without a value. */
export async function readSeries(
  dir: string,
  files: readonly string[],
  limits: Limits,
): Promise<SeriesTable> {
  const series: SeriesTable = new Map();
  for (const file of files) {
    const name = file.replace(/\.gz$/, '');
    const columns = SERIES_FILES[name];
    if (name === 'indices.csv') await readIndices(join(dir, file), series, limits);
    else if (columns !== undefined) await readSeriesFile(join(dir, file), columns, series, limits);
  }
  return series;
}

/** Adds a file of `SERIES_FILES` to `into`. Ignores days that are not sessions. Throws SourceError without a value. */
async function readSeriesFile(
  path: string,
  columns: readonly SeriesColumn[],
  into: SeriesTable,
  { lastDay, problems }: Limits,
): Promise<void> {
  const file = basename(path);
  const namesOf = (isOptional: boolean) =>
    columns.filter(({ optional = false }) => optional === isOptional).map(({ column }) => column);
  const targets = columns.map(({ series, range }) => ({ range, values: getOrAddValues(into, series) }));
  const seen = new Set<number>();
  let found = 0;
  await readTable(
    path,
    {
      columns: ['date', ...namesOf(false)],
      optional: namesOf(true),
      onRow(row) {
        const day = row.day(0);
        if (Number.isNaN(day))
          return row.refuse('date', 0, (text) => `'${text}' is not a day written YYYY-MM-DD`);
        if (seen.has(day))
          return problems.refuse('duplicate', { file, line: row.line }, `a second row of ${row.text(0)}`);
        seen.add(day);
        if (!isSessionDay(row.text(0))) return;
        for (const [index, { range, values }] of targets.entries()) {
          const value = row.hasValue(index + 1) ? row.number(index + 1, range) : Number.NaN;
          if (Number.isNaN(value)) continue;
          found += 1;
          if (day <= lastDay) values.set(day, value);
        }
      },
    },
    problems,
  );
  if (found === 0) throw new SourceError(`${file} has no valid value. Check its dates and numbers.`);
}

/** Adds `indices.csv` to `into`. The closes of `sp500.csv`, which is read later, replace those of the S&P 500 here. */
async function readIndices(path: string, into: SeriesTable, { problems }: Limits): Promise<void> {
  const file = basename(path);
  const seen = new Set<string>();
  await readTable(
    path,
    {
      columns: ['symbol', 'date', 'close'],
      onRow(row) {
        const series =
          INDEX_SYMBOLS[
            row
              .text(0)
              .replace(/^[.^$]/, '')
              .toUpperCase()
          ];
        if (series === undefined) {
          const why = 'is not an index shown here; use SPX, IXIC or DJI';
          return row.refuse('unknown symbol', 0, (symbol) => `${symbol} ${why}`);
        }
        const day = row.session(1);
        if (Number.isNaN(day)) return;
        const key = `${series} ${day}`;
        if (seen.has(key))
          return row.refuse('duplicate', 1, (date) => `a second close of ${shown(row.text(0))} on ${date}`);
        const value = row.number(2, 'positive');
        if (Number.isNaN(value)) return;
        seen.add(key);
        getOrAddValues(into, series).set(day, value);
      },
    },
    problems,
  );
  if (seen.size === 0) throw new SourceError(`${file} has no valid value. Check its symbols and dates.`);
}
