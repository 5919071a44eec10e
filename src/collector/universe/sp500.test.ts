import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { readUniverse } from '../csv/market-files.ts';
import { createProblems } from '../problems.ts';

const FILE = fileURLToPath(new URL('sp500.csv', import.meta.url));

/** The GICS sectors with the least and the greatest plausible number of members. */
const COUNTS: Readonly<Record<string, readonly [number, number]>> = {
  'Communication Services': [20, 26],
  'Consumer Discretionary': [45, 53],
  'Consumer Staples': [33, 39],
  Energy: [20, 25],
  Financials: [70, 78],
  'Health Care': [56, 64],
  Industrials: [75, 83],
  'Information Technology': [65, 76],
  Materials: [24, 29],
  'Real Estate': [30, 32],
  Utilities: [30, 33],
};

it('lists the 503 shares of the S&P 500 without an invalid row', async () => {
  const problems = createProblems();
  const members = await readUniverse(FILE, problems);
  expect([problems.shown, members.length]).toEqual([[], 503]);

  const symbols = members.map(({ symbol }) => symbol);
  expect(symbols).toEqual([...symbols].sort());
  expect(symbols.filter((symbol) => !/^[A-Z]{1,5}(\.[A-Z])?$/.test(symbol))).toEqual([]);
  expect(symbols).toEqual(
    expect.arrayContaining(['BF.B', 'BRK.B', 'FOX', 'FOXA', 'GOOG', 'GOOGL', 'NWS', 'NWSA']),
  );
  expect(new Set(members.map(({ name }) => name)).size).toBe(503);
});

it('has one of the eleven sectors for each share', async () => {
  const members = await readUniverse(FILE, createProblems());
  const sectors = [...new Set(members.map(({ sector }) => sector))].sort();
  expect(sectors).toEqual(Object.keys(COUNTS));
  for (const [name, [least, most]] of Object.entries(COUNTS)) {
    const count = members.filter(({ sector }) => sector === name).length;
    expect(count >= least && count <= most, `${name} has ${count}`).toBe(true);
  }
});
