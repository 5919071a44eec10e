import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { BarMatrix, MarketHistory, Member, SeriesName } from '#domain/market-history.ts';

/** Column name → values by date. */
type Table = ReadonlyMap<string, ReadonlyMap<string, number>>;

/** File and column of each series in `data/series`. */
const SOURCES: Partial<Record<SeriesName, readonly [file: string, column: string]>> = {
  sp500_close: ['sp500.csv', 'close'],
  vix_close: ['vix.csv', 'close'],
  put_call_total: ['put-call.csv', 'total'],
  put_call_equity: ['put-call.csv', 'equity'],
  nyse_advances: ['nyse-advance-decline.csv', 'advances'],
  nyse_declines: ['nyse-advance-decline.csv', 'declines'],
  nyse_unchanged: ['nyse-advance-decline.csv', 'unchanged'],
  nyse_new_highs: ['nyse-highs-lows.csv', 'new_highs'],
  nyse_new_lows: ['nyse-highs-lows.csv', 'new_lows'],
  high_yield_oas: ['credit-spreads.csv', 'high_yield_oas'],
  investment_grade_oas: ['credit-spreads.csv', 'investment_grade_oas'],
  treasury_10y_yield: ['treasury-10y.csv', 'yield'],
};

/**
 * Parses a CSV of numbers by date, without quotes. An empty field is a missing value. Decompresses a name that ends
 * with .gz.
 */
export function readTable(file: string): Table {
  const bytes = readFileSync(file);
  const [header, ...lines] = (file.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString().trim().split('\n');
  const columns = new Map((header ?? '').split(',').map((name) => [name, new Map<string, number>()]));
  for (const line of lines) {
    const fields = line.split(',');
    let at = 0;
    for (const column of columns.values()) {
      const field = fields[at++] ?? '';
      if (field !== '') column.set(fields[0] ?? '', Number(field));
    }
  }
  return columns;
}

/** The values of a column on the sessions; NaN for missing ones. */
export function columnOf(table: Table, column: string, sessions: readonly string[]): Float64Array {
  const values = table.get(column);
  if (values === undefined) throw new Error(`The market data have no column ${column}.`);
  return Float64Array.from(sessions, (session) => values.get(session) ?? Number.NaN);
}

/** The daily series of the data folder on the sessions of its index closes, up to `last`, combined with these bars. */
export function readHistory(data: string, bars: BarMatrix, last = '9999-12-31'): MarketHistory {
  const index = readTable(join(data, 'series', 'sp500.csv')).get('close') ?? new Map<string, number>();
  const sessions = [...index.keys()].filter((session) => session <= last);
  const series: Partial<Record<SeriesName, Float64Array>> = {};
  for (const [name, [file, column]] of Object.entries(SOURCES) as [SeriesName, readonly [string, string]][]) {
    series[name] = columnOf(readTable(join(data, 'series', file)), column, sessions);
  }
  return { sessions, series, bars, universe: 'S&P 500' };
}

/** A market without members, for readings that need only the series. */
export const NO_BARS: BarMatrix = {
  sessions: [],
  members: [],
  open: new Float64Array(),
  high: new Float64Array(),
  low: new Float64Array(),
  close: new Float64Array(),
  volume: new Float64Array(),
};

/** The bars of a `symbol,date,open,high,low,close,volume` file, with the sectors of the universe file. */
export function readBars(barsFile: string, universeFile: string): BarMatrix {
  const rows = gunzipSync(readFileSync(barsFile)).toString().trim().split('\n').slice(1);
  const members: Member[] = readFileSync(universeFile, 'utf8')
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => {
      const fields = line.split(',');
      return { symbol: fields[0] ?? '', name: fields[1] ?? '', sector: (fields.at(-1) ?? '').trim() };
    });
  const memberOf = new Map(members.map(({ symbol }, at) => [symbol, at]));
  const split = rows.map((row) => row.split(','));
  const sessions = [...new Set(split.map((fields) => fields[1] ?? ''))].sort();
  const sessionOf = new Map(sessions.map((session, at) => [session, at]));
  const column = (): Float64Array => new Float64Array(members.length * sessions.length).fill(Number.NaN);
  const [open, high, low, close, volume] = [column(), column(), column(), column(), column()];
  for (const [symbol = '', session = '', ...prices] of split) {
    const at =
      (memberOf.get(symbol) ?? Number.NaN) * sessions.length + (sessionOf.get(session) ?? Number.NaN);
    const [o, h, l, c, v] = prices.map((field) => (field.trim() === '' ? Number.NaN : Number(field)));
    if (h === undefined || l === undefined || h < l) continue;
    open[at] = o ?? Number.NaN;
    high[at] = h;
    low[at] = l;
    close[at] = c ?? Number.NaN;
    volume[at] = v ?? Number.NaN;
  }
  return { sessions, members, open, high, low, close, volume };
}
