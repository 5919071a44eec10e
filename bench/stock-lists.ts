import { join } from 'node:path';
import { createRandomStream, type RandomStream } from '#collector/simulated/random.ts';
import type { MarketHistory } from '#domain/market-history.ts';
import { computeMarketReadings, type Snapshot, snapshotAt } from '#domain/readings/market-readings.ts';
import { decideSignal } from '#domain/signal/decide-signal.ts';
import { signalInputs } from '#views/signal-inputs.ts';
import { only } from './demo-ranges.ts';
import type { Figure } from './figure.ts';
import { median } from './median.ts';
import { readBars, readHistory } from './real-history.ts';

const LISTS = 50;
const LENGTH = 50;

/**
 * The noise of the list of stocks: the share of sessions on which a random 50 of the companies of the index give another
 * verdict than all of them. Once with the counts of the exchange, once with counts of the list only.
 */
export async function benchStockLists(data: string): Promise<Figure[]> {
  const file = join(data, 'bars', 'sp500-2013-2018');
  const all = readBars(`${file}.csv.gz`, `${file}-universe.csv`);
  const history = readHistory(data, all, all.sessions.at(-1));
  const { series } = history;
  const ownCounts = Object.fromEntries(Object.entries(series).filter(([name]) => !name.startsWith('nyse_')));
  const random = createRandomStream('lists of stocks');
  const lists = Array.from({ length: LISTS }, () => only(all, drawn(random, all.members.length)));
  const sets = [
    { name: 'counts of the exchange', market: history },
    { name: 'counts of the list', market: { ...history, series: ownCounts } },
  ];
  return sets.flatMap(({ name, market }): Figure[] => {
    const expected = verdictsOf(market);
    const shares = lists.map((bars) => percentOther(expected, verdictsOf({ ...market, bars })));
    return [
      { what: `${name}: sessions with a verdict`, value: expected.size, unit: '' },
      {
        what: `${name}: sessions on which 50 of ${all.members.length} stocks give another verdict`,
        value: median(shares),
        runs: shares,
        unit: '%',
      },
    ];
  });
}

/** Positions of a list of stocks, drawn without repetition. */
function drawn(random: RandomStream, count: number): ReadonlySet<number> {
  const positions = new Set<number>();
  while (positions.size < LENGTH) positions.add(Math.floor(random.uniform() * count));
  return positions;
}

/** The verdict of each session of the bars that has one. */
function verdictsOf(market: MarketHistory): Map<string, string> {
  const readings = computeMarketReadings(market);
  return new Map(
    market.bars.sessions.flatMap((session) => {
      const snapshot = snapshotAt(readings, session);
      const verdict = snapshot === null ? 'insufficient' : verdictAt(snapshot);
      return verdict === 'insufficient' ? [] : [[session, verdict] as const];
    }),
  );
}

function verdictAt({ session, breadth, fearGreed, indicators, ...snapshot }: Snapshot): string {
  const created_at = `${session}T21:00:00Z`;
  const rows = {
    metrics: {
      market_exposure: snapshot.marketExposure,
      overall_strength: snapshot.overallStrength,
      source: null,
      created_at,
    },
    sectors: snapshot.sectors.map((each) => ({ ...each, created_at })),
    indicators: { ...indicators, created_at },
    sentiment: snapshot.sentiment.map(({ timeframe, score }) => ({ timeframe, score, created_at })),
    breadth: breadth && {
      advancing_stocks: breadth.advancing,
      declining_stocks: breadth.declining,
      unchanged_stocks: breadth.unchanged,
      universe: breadth.universe,
      created_at,
    },
  };
  const index = fearGreed && { index_value: fearGreed.value, created_at };
  return decideSignal(signalInputs(rows, index)).verdict;
}

/** The share (percent) of sessions with a verdict in both, on which the two differ. */
function percentOther(expected: ReadonlyMap<string, string>, others: ReadonlyMap<string, string>): number {
  const both = [...others].filter(([session]) => expected.has(session));
  const changed = both.filter(([session, verdict]) => expected.get(session) !== verdict);
  return (100 * changed.length) / both.length;
}
