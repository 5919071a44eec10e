import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { lastSessions, sessionsBetween } from '#domain/calendar/sessions.ts';
import { BAR_HEADER, marketFolder } from '#tests/support/market-folder.ts';
import { readSource } from '#tests/support/read-source.ts';
import { createProblems } from '../problems.ts';
import { type CsvSourceOptions, createCsvSource } from './csv-source.ts';

const NOW = Date.parse('2024-03-08T22:00:00Z');
const UNIVERSE = 'symbol,name,sector\nAAA,"Alpha, Inc.",Energy\nBBB,Beta,Utilities\n';
const GOOD = 'AAA,2024-03-07,10,11,9,10.5,100';

const folders: { remove(): void }[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) folder.remove();
});

async function read(
  files: Readonly<Record<string, string | Uint8Array>>,
  options: Omit<CsvSourceOptions, 'dir'> = {},
  now = NOW,
) {
  const folder = marketFolder({ 'universe.csv': UNIVERSE, ...files });
  folders.push(folder);
  const problems = createProblems();
  const { history } = await readSource(createCsvSource({ dir: folder.dir, ...options }), now, { problems });
  return { history, problems };
}

const bars = (...rows: string[]) => ({ 'bars.csv': [BAR_HEADER, ...rows, ''].join('\n') });

describe('a folder of CSV files', () => {
  it('has bars by member and session, with NaN for missing bars', async () => {
    const { history } = await read(
      bars(
        'BBB,2024-03-08,5,6,4,5.5,7',
        'AAA,2024-03-07,10,11,9,10.5,100',
        'AAA,2024-03-08,10.5,12,10,11.25,0',
      ),
    );
    expect(history.bars.sessions).toEqual(['2024-03-07', '2024-03-08']);
    expect(history.bars.members).toEqual([
      { symbol: 'AAA', name: 'Alpha, Inc.', sector: 'Energy' },
      { symbol: 'BBB', name: 'Beta', sector: 'Utilities' },
    ]);
    expect([...history.bars.close]).toEqual([10.5, 11.25, Number.NaN, 5.5]);
    expect([...history.bars.volume]).toEqual([100, 0, Number.NaN, 7]);
    expect(history.universe).toBe('2 stocks');
  });

  it('accepts gzip, CRLF, a byte order mark and columns in any order', async () => {
    const { history: plain } = await read(bars(GOOD));
    const gzipped = gzipSync(`\uFEFF${BAR_HEADER}\r\n${GOOD}\r\n`);
    expect((await read({ 'bars-2024.csv.gz': gzipped })).history).toEqual(plain);
    const reordered = 'date,close,symbol,open,high,low,volume\n2024-03-07,10.5,AAA,10,11,9,100\n';
    expect((await read({ 'bars.csv': reordered })).history).toEqual(plain);
  });

  it('reports a second bar of a day in several bar files', async () => {
    const { history, problems } = await read({
      'bars-1.csv': `${BAR_HEADER}\n${GOOD}\n`,
      'bars-2.csv': `${BAR_HEADER}\nAAA,2024-03-08,1,1,1,1,1\nAAA,2024-03-07,1,1,1,1,1\n`,
    });
    expect([...history.bars.close]).toEqual([10.5, 1]);
    expect(problems.shown.map(({ message }) => message)).toEqual([
      'bars-2.csv, line 3: a second bar of AAA on 2024-03-07',
    ]);
  });

  it.each([
    ['a bad number', 'AAA,2024-03-08,10,11,9,1O.5,100', "column close: '1O.5' is not a number"],
    ['an empty field', 'AAA,2024-03-08,,11,9,10,100', 'column open: there is no value'],
    [
      'a bad date',
      'AAA,08.03.2024,10,11,9,10,100',
      "column date: '08.03.2024' is not a day written YYYY-MM-DD",
    ],
    [
      'a Sunday',
      'AAA,2024-03-03,10,11,9,10,100',
      "column date: '2024-03-03' is not a session of the exchange",
    ],
    ['high below low', 'AAA,2024-03-08,10,9,11,10,100', 'column high: 9 is below the low of 11'],
    ['a price of zero', 'AAA,2024-03-08,10,11,0,10,100', "column low: '0' is zero"],
    ['a negative price', 'AAA,2024-03-08,-10,11,9,10,100', "column open: '-10' is negative"],
    ['a negative volume', 'AAA,2024-03-08,10,11,9,10,-1', "column volume: '-1' is negative"],
    ['an unknown symbol', 'ZZZ,2024-03-08,10,11,9,10,100', 'column symbol: ZZZ is not in universe.csv'],
    ['a missing field', 'AAA,2024-03-08,10,11,9,10', '6 fields where the header has 7'],
    ['a duplicate', GOOD, 'a second bar of AAA on 2024-03-07'],
  ])('refuses a row with %s and names file, line and column', async (_, row, message) => {
    const { history, problems } = await read(bars(GOOD, row));
    const place = message.startsWith('column') ? 'bars.csv, line 3, ' : 'bars.csv, line 3: ';
    expect(problems.shown.map((problem) => problem.message)).toEqual([place + message]);
    expect(problems.refused).toBe(1);
    expect([...history.bars.close]).toEqual([10.5]);
  });

  const goodRows = (count: number) =>
    lastSessions('2024-03-07', count).map((session) => `AAA,${session},1,1,1,1,1`);
  const unknownRows = (count: number) =>
    Array.from({ length: count }, (_, at) => `NOPE${at},2024-03-07,1,1,1,1,1`);

  it('fails if more than a tenth of the rows of a file is refused', async () => {
    await expect(read(bars(...goodRows(270), ...unknownRows(31)))).rejects.toThrow(
      'Only 270 of 301 rows of bars.csv can be used (bars.csv, line 272, column symbol: NOPE0 is not in universe.csv). Correct the refused rows or remove them.',
    );
    await expect(read(bars(...unknownRows(21)))).rejects.toThrow(/^None of the 21 rows of bars\.csv/);
  });

  it('accepts a file of which twenty rows are refused', async () => {
    expect((await read(bars(GOOD, ...unknownRows(20)))).problems.refused).toBe(20);
  });

  it('counts a row once that lacks two values', async () => {
    const series = lastSessions('2024-03-07', 150).map(
      (session, at) => `${session},${at < 12 ? 'x,x' : '1,1'}`,
    );
    const { problems } = await read({
      ...bars(GOOD),
      'put-call.csv': ['date,total,equity', ...series, ''].join('\n'),
    });
    expect(problems.refused).toBe(24);
  });

  it.each([
    ['no bars file', {}, /has no bars\*\.csv \(symbol,date,open,high,low,close,volume\)\. Add one\.$/],
    [
      'a wrong header',
      { 'bars.csv': `ticker,date,open,high,low,close,volume\n${GOOD}\n` },
      /^bars\.csv, line 1: the header must have the columns symbol,date,.*; column symbol is not in 'ticker,/,
    ],
    ['an empty file', { 'bars.csv': '' }, /^bars\.csv has no rows below its header/],
    [
      'a file without one good row',
      { 'bars.csv': `${BAR_HEADER}\nZZZ,2024-03-08,1,1,1,1,1\n` },
      /^bars\.csv has no valid bar \(bars\.csv, line 2, column symbol: ZZZ is not in universe\.csv\)\.$/,
    ],
    [
      'a cut gzip file',
      { 'bars.csv.gz': gzipSync(`${BAR_HEADER}\n${GOOD}\n`).subarray(0, 40) },
      /^bars\.csv\.gz is not a complete gzip file/,
    ],
    [
      'bytes that are no text',
      { 'bars.csv': Uint8Array.of(0, 159, 146, 150, 10, 1, 2) },
      /^bars\.csv, line 1: the header/,
    ],
    [
      'a name longer than a line',
      { ...bars(GOOD), 'universe.csv': `symbol,name,sector\nAAA,${'x'.repeat(201)},Energy\n` },
      /^universe\.csv names no company/,
    ],
    [
      'only names with terminal escape sequences',
      { ...bars(GOOD), 'universe.csv': 'symbol,name,sector\nAAA,Alpha\u001b[2J,Energy\nBBB,Be\0ta,Energy\n' },
      /^universe\.csv names no company/,
    ],
    [
      'only refused and future bars',
      bars('ZZZ,2024-03-08,1,1,1,1,1', 'AAA,2024-03-11,1,1,1,1,1'),
      /has no bar up to the newest closed session, and 1 of its rows cannot be used \(bars\.csv, line 2, column symbol: ZZZ is not in universe\.csv\)\. Add/,
    ],
    [
      'a series without its column',
      { ...bars(GOOD), 'vix.csv': 'date,open\n2024-03-07,14\n' },
      /^vix\.csv, line 1: the header must have the columns date,close; column close is not in 'date,open'\.$/,
    ],
    [
      'a series without a value',
      { ...bars(GOOD), 'vix.csv': 'date,close\n2024-03-07,\n' },
      /^vix\.csv has no valid value/,
    ],
  ])('fails with one sentence for %s', async (_, files, message) => {
    await expect(read(files)).rejects.toThrow(message);
  });

  it('fails with one sentence without its folder or universe', async () => {
    const missing = readSource(createCsvSource({ dir: '/nowhere/at-all' }), NOW);
    await expect(missing).rejects.toThrow(
      /\/nowhere\/at-all does not exist\. Set MARKET_CSV_DIR to the folder of the files\.$/,
    );
    const folder = marketFolder(bars(GOOD));
    folders.push(folder);
    const bare = readSource(createCsvSource({ dir: folder.dir }), NOW);
    await expect(bare).rejects.toThrow(/has no universe\.csv/);
  });

  it('has series that begin before the bars and end with the bars', async () => {
    const { history, problems } = await read({
      ...bars(GOOD),
      'vix.csv':
        'date,open,high,low,close\n2024-03-05,1,1,1,14.5\n2024-03-07,1,1,1,14.4\n2024-03-08,1,1,1,99\n',
      'put-call.csv': 'date,equity,index,total\n2024-03-06,0.6,,\n2024-03-07,,1.2,0.95\n2024-03-10,1,1,1\n',
      'treasury-10y.csv': 'date,yield\n2024-03-06,.\n2024-03-07,4.09\n2024-03-07,4.1\n2024-03-05,x\n',
      'indices.csv':
        'symbol,name,date,close\nIXIC,Nasdaq,2024-03-07,16273.38\n^DJI,Dow,2024-03-07,38791.35\nFTSE,FTSE,2024-03-07,1\n',
    });
    expect(history.sessions).toEqual(['2024-03-05', '2024-03-06', '2024-03-07']);
    const series = Object.fromEntries(
      Object.entries(history.series).map(([name, column]) => [name, [...column]]),
    );
    expect(series).toEqual({
      vix_close: [14.5, Number.NaN, 14.4],
      put_call_equity: [Number.NaN, 0.6, Number.NaN],
      put_call_total: [Number.NaN, Number.NaN, 0.95],
      treasury_10y_yield: [Number.NaN, Number.NaN, 4.09],
      nasdaq_composite_close: [Number.NaN, Number.NaN, 16273.38],
      dow_jones_close: [Number.NaN, Number.NaN, 38791.35],
    });
    expect(problems.shown.map(({ message }) => message)).toEqual([
      'indices.csv, line 4, column symbol: FTSE is not an index shown here; use SPX, IXIC or DJI',
      'treasury-10y.csv, line 4: a second row of 2024-03-07',
      "treasury-10y.csv, line 5, column yield: 'x' is not a number",
    ]);
  });

  it('rejects a count that is not a whole number up to 20,000', async () => {
    const { history, problems } = await read({
      ...bars(GOOD),
      'nyse-advance-decline.csv':
        'date,advances,declines,unchanged\n2024-03-06,1700.5,3000000000,-1\n2024-03-07,0,20000,20001\n',
      'nyse-highs-lows.csv': 'date,new_highs,new_lows\n2024-03-07,0.5,1e300\n2024-03-06,3,4\n',
    });
    expect(history.sessions).toEqual(['2024-03-06', '2024-03-07']);
    expect(history.series).toEqual({
      nyse_advances: Float64Array.of(Number.NaN, 0),
      nyse_declines: Float64Array.of(Number.NaN, 20_000),
      nyse_new_highs: Float64Array.of(3, Number.NaN),
      nyse_new_lows: Float64Array.of(4, Number.NaN),
    });
    expect(problems.refused).toBe(6);
    expect(problems.shown[0]?.message).toBe(
      "nyse-advance-decline.csv, line 2, column advances: '1700.5' is not a whole number up to 20000",
    );
  });

  it('is read up to the requested day', async () => {
    const { history } = await read(bars(GOOD, 'AAA,2024-03-08,1,1,1,1,1'), { asOf: '2024-03-07' });
    expect(history.bars.sessions).toEqual(['2024-03-07']);
  });

  it('fails if few companies of the session before have a bar of its newest session', async () => {
    const companies = Array.from({ length: 4 }, (_, at) => `S${at}`);
    const files = (count: number) => ({
      'universe.csv': `symbol,name,sector\n${companies.map((symbol) => `${symbol},Company,Energy\n`).join('')}`,
      ...bars(
        ...companies.map((symbol) => `${symbol},2024-03-07,1,1,1,1,1`),
        ...companies.slice(0, count).map((symbol) => `${symbol},2024-03-08,1,1,1,1,1`),
      ),
    });
    expect((await read(files(3))).history.bars.sessions).toHaveLength(2);
    await expect(read(files(2))).rejects.toThrow(
      /^Only 2 of 4 symbols have a bar of 2024-03-08\. The published rows stay/,
    );
  });

  it('is replayed on the consecutive sessions up to the newest closed session', () => {
    const { relabel, name } = createCsvSource({ dir: '.', replay: true });
    expect(name).toBe('replay');
    const sessions = sessionsBetween('2017-01-03', '2018-02-07');
    const replayed = relabel?.(sessions, Date.parse('2026-11-23T15:00:00Z')) ?? [];
    expect(replayed).toHaveLength(sessions.length);
    expect(replayed.at(-1)).toBe('2026-11-20');
    expect(sessionsBetween(replayed[0] ?? '', '2026-11-20')).toEqual(replayed);
  });
});
