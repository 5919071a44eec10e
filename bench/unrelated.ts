import { createRandomStream } from '#collector/simulated/random.ts';
import { computeMarketReadings } from '#domain/readings/market-readings.ts';
import { baseRates, type HorizonRates, type IndexDay } from '#domain/record/base-rates.ts';
import {
  simulatedIndex,
  TABLE_SESSIONS,
  withChanges,
  withSimulatedChanges,
} from '#tests/support/unrelated-changes.ts';
import type { Figure, Peer } from './figure.ts';
import { NO_BARS, readHistory } from './real-history.ts';

const TABLES = 500;
/** Minimum number of sessions between the index and the changes of a table. */
const APART = 252;

/**
 * Measures the base rates of changes that are unrelated to the index, in tables of 260 weeks: the share of tables in
 * which a band stands out, and the share of intervals that contain zero, the true difference. With market data, the bands
 * are real, and the changes are real ones of another time. The second set has independent changes.
 */
export async function benchUnrelated(data: string): Promise<Figure[]> {
  const real = data === '' ? null : realTables(data);
  return [
    ...(real === null ? [] : figuresOf('real bands, real changes of another time', real, OF_REAL)),
    ...figuresOf(
      real === null ? 'simulated bands, independent changes' : 'real bands, independent changes',
      (at) =>
        withSimulatedChanges(
          real?.(at).map(({ fearGreed }) => fearGreed) ?? simulatedIndex(TABLE_SESSIONS, `index ${at}`),
          `changes ${at}`,
        ),
      OF_INDEPENDENT,
    ),
  ];
}

type Table = (at: number) => IndexDay[];
/** Percent of tables and of intervals. */
interface Result {
  readonly standOut: number;
  readonly contain: number;
}

/** The results of the earlier method, a circular block bootstrap of 26 weeks, in the first 250 of these tables. */
const OF_REAL: Result = { standOut: 68.8, contain: 84.6 };
const OF_INDEPENDENT: Result = { standOut: 65.2, contain: 85.7 };

function realTables(data: string): Table {
  const history = readHistory(data, NO_BARS);
  const readings = computeMarketReadings(history);
  const index = history.sessions.map((session) => {
    const value = readings.fearGreed.value[readings.positions.get(session) ?? -1] ?? Number.NaN;
    return Number.isNaN(value) ? null : value;
  });
  const first = index.findIndex((value) => value !== null);
  const known = index.slice(first, index.findLastIndex((value) => value !== null) + 1);
  const closes = history.series.sp500_close ?? new Float64Array();
  const changes = Array.from(
    closes.subarray(1),
    (close, at) => 100 * (close / (closes[at] ?? Number.NaN) - 1),
  );
  const { uniform } = createRandomStream('places');
  const places = Array.from({ length: TABLES }, () => {
    const start = Math.floor(uniform() * (known.length - TABLE_SESSIONS));
    const shift = APART + Math.floor(uniform() * (changes.length - 2 * APART));
    return { start, from: first + start + shift };
  });
  return (at) => {
    const { start, from } = places[at] ?? { start: 0, from: 0 };
    return withChanges(
      known.slice(start, start + TABLE_SESSIONS),
      Array.from(
        { length: TABLE_SESSIONS },
        (_, day) => changes[(from + day) % changes.length] ?? Number.NaN,
      ),
    );
  };
}

function resultOf(table: Table): Result {
  let standOut = 0;
  let intervals = 0;
  let contain = 0;
  for (let at = 0; at < TABLES; at += 1) {
    const differences = differencesOf(baseRates(table(at)));
    if (differences.some((one) => one.standsOut)) standOut += 1;
    intervals += differences.length;
    contain += differences.filter(({ low, high }) => low <= 0 && high >= 0).length;
  }
  return { standOut: (100 * standOut) / TABLES, contain: (100 * contain) / intervals };
}

const differencesOf = (rates: readonly HorizonRates[]) =>
  rates.flatMap(({ bands }) => bands.flatMap(({ difference }) => difference ?? []));

function figuresOf(name: string, table: Table, before: Result): Figure[] {
  const { standOut, contain } = resultOf(table);
  const peer = (value: number): Peer => ({ name: 'block bootstrap, 26 weeks', value });
  return [
    {
      what: `${name}: tables in which a band stands out`,
      value: standOut,
      unit: '%',
      peer: peer(before.standOut),
      bound: { atMost: 10 },
    },
    {
      what: `${name}: 90 % intervals that contain zero`,
      value: contain,
      unit: '%',
      peer: peer(before.contain),
      bound: { atLeast: 86, atMost: 94 },
    },
  ];
}
