import { join } from 'node:path';
import { fearGreedBand } from '#domain/bands/score-bands.ts';
import { countAdvances, flagMoves } from '#domain/breadth/member-counts.ts';
import { readRawColumns, scoreFearGreed } from '#domain/fear-greed/score.ts';
import type { BarMatrix, MarketHistory } from '#domain/market-history.ts';
import { computeMarketReadings, snapshotAt } from '#domain/readings/market-readings.ts';
import type { Bound, Figure } from './figure.ts';
import { median } from './median.ts';
import { columnOf, NO_BARS, readBars, readHistory, readTable } from './real-history.ts';

/** The first compared session. From then on each of the seven published components has 624 earlier sessions. */
const COMPARED_FROM = '2023-08-01';

/** The limits for a value that is published with two decimals. A difference of 1 in the last decimal is allowed. */
const about = (value: number): Bound => ({ atLeast: value - 0.015, atMost: value + 0.015 });

/** Compares Fear & Greed and breadth with published values in the data folder, and times the readings. */
export async function benchFearGreed(data: string): Promise<Figure[]> {
  const bars = readBars(
    join(data, 'bars', 'sp500-2013-2018.csv.gz'),
    join(data, 'bars', 'sp500-2013-2018-universe.csv'),
  );
  const history = readHistory(data, bars, bars.sessions.at(-1));
  return [...againstPublished(data), ...checkBars(bars, history), ...timeReadings(history)];
}

function againstPublished(data: string): Figure[] {
  const table = readTable(join(data, 'fear-greed', 'published-2021-02-to-2024-12.csv'));
  const sessions = [...(table.get('composite') ?? new Map<string, number>()).keys()];
  const column = (name: string): Float64Array => columnOf(table, name, sessions);
  const published = column('composite');
  const ours = scoreFearGreed(readRawColumns(column)).value;
  const from = sessions.findIndex((session) => session >= COMPARED_FROM);
  const same = compare(ours.subarray(from), published.subarray(from));

  const history = readHistory(data, NO_BARS);
  const readings = computeMarketReadings(history);
  const independent = Float64Array.from(
    sessions,
    (session) => readings.fearGreed.value[readings.positions.get(session) ?? -1] ?? Number.NaN,
  );
  const other = compare(independent.subarray(from), published.subarray(from));
  return [
    { what: 'published raw series: sessions compared', value: same.count, unit: '' },
    {
      what: 'published raw series: mean absolute error',
      value: same.error,
      unit: 'points',
      bound: { atMost: 0.1 },
    },
    { what: 'published raw series: same band', value: same.sameBand, unit: '%', bound: { atLeast: 99 } },
    { what: 'independent inputs: sessions compared', value: other.count, unit: '' },
    { what: 'independent inputs: correlation', value: other.correlation, unit: '', bound: { atLeast: 0.95 } },
    {
      what: 'independent inputs: mean absolute error',
      value: other.error,
      unit: 'points',
      bound: { atMost: 5 },
    },
    { what: 'independent inputs: same band', value: other.sameBand, unit: '%' },
  ];
}

/**
 * Checks the bars as far as the data allows: advances and declines by the exchange's, the members' returns by the index.
 */
function checkBars(bars: BarMatrix, history: MarketHistory): Figure[] {
  const readings = computeMarketReadings(history);
  const from = history.sessions.length - bars.sessions.length;
  const { leftOut } = flagMoves(bars);
  const counts = countAdvances(bars, leftOut);
  const share = (up: Float64Array, down: Float64Array): Float64Array =>
    up.map((value, at) => value / (value + (down[at] ?? Number.NaN)));
  const nyse = share(readings.exchangeBreadth.advancing, readings.exchangeBreadth.declining).subarray(from);
  const net = compare(share(counts.advancing, counts.declining), nyse);

  const close = history.series.sp500_close ?? new Float64Array();
  const indexReturn = close.map((value, at) => value / (close[at - 1] ?? Number.NaN) - 1).subarray(from);
  const trin = [...readings.indicators.trin.value]
    .filter((value) => !Number.isNaN(value))
    .sort((a, b) => a - b);
  const quantile = (share: number): number => trin[Math.floor(share * trin.length)] ?? Number.NaN;
  return [
    { what: 'bars: members × sessions', value: bars.close.length, unit: '' },
    { what: 'bars: one-day moves left out', value: readings.flaggedMoves.length, unit: '' },
    { what: 'advancing share, S&P 500 members and NYSE: correlation', value: net.correlation, unit: '' },
    {
      what: 'mean member return and index return: correlation',
      value: compare(meanReturn(bars, leftOut), indexReturn).correlation,
      unit: '',
    },
    { what: 'TRIN: median', value: quantile(0.5), unit: '', bound: about(1.03) },
    { what: 'TRIN: 5th percentile', value: quantile(0.05), unit: '', bound: about(0.6) },
    { what: 'TRIN: 95th percentile', value: quantile(0.95), unit: '', bound: about(1.73) },
  ];
}

function timeReadings(history: MarketHistory): Figure[] {
  const runs = [0, 1, 2, 3, 4].map(() => {
    const started = performance.now();
    const readings = computeMarketReadings(history);
    const read = performance.now();
    for (const session of history.bars.sessions) snapshotAt(readings, session);
    return { read: read - started, snapshots: performance.now() - read };
  });
  const middle = (pick: (run: { read: number; snapshots: number }) => number): number =>
    median(runs.map(pick));
  return [
    { what: 'sessions on the axis', value: history.sessions.length, unit: '' },
    {
      what: 'reading the market, median of 5',
      value: middle(({ read }) => read),
      unit: 'ms',
      bound: { atMost: 400 },
    },
    {
      what: `${history.bars.sessions.length} snapshots, median of 5`,
      value: middle(({ snapshots }) => snapshots),
      unit: 'ms',
    },
  ];
}

/**
 * Correlation, mean absolute difference and share of equal bands, over the sessions in which both series have a value.
 */
function compare(
  ours: Float64Array,
  theirs: Float64Array,
): { count: number; correlation: number; error: number; sameBand: number } {
  const pairs = Array.from(ours, (value, at) => [value, theirs[at] ?? Number.NaN] as const).filter(
    ([a, b]) => !Number.isNaN(a + b),
  );
  const mean = (pick: (pair: readonly [number, number]) => number): number =>
    pairs.reduce((sum, pair) => sum + pick(pair), 0) / pairs.length;
  const [meanA, meanB] = [mean(([a]) => a), mean(([, b]) => b)];
  const spread = Math.sqrt(mean(([a]) => (a - meanA) ** 2) * mean(([, b]) => (b - meanB) ** 2));
  return {
    count: pairs.length,
    correlation: mean(([a, b]) => (a - meanA) * (b - meanB)) / spread,
    error: mean(([a, b]) => Math.abs(a - b)),
    sameBand: 100 * mean(([a, b]) => Number(fearGreedBand(a).label === fearGreedBand(b).label)),
  };
}

function meanReturn(bars: BarMatrix, leftOut: Uint8Array): Float64Array {
  const width = bars.sessions.length;
  return Float64Array.from(bars.sessions, (_, session) => {
    let sum = 0;
    let count = 0;
    for (let row = 0; session > 0 && row < bars.close.length; row += width) {
      const change =
        (bars.close[row + session] ?? Number.NaN) / (bars.close[row + session - 1] ?? Number.NaN) - 1;
      if (Number.isNaN(change) || leftOut[row + session] === 1) continue;
      sum += change;
      count++;
    }
    return sum / count;
  });
}
