import { join } from 'node:path';
import type { BarMatrix } from '#domain/market-history.ts';
import {
  type Market,
  marketOf,
  memberStatistics,
  type Statistics,
  seriesStatistics,
  WINDOW,
} from '#tests/support/market-statistics.ts';
import { quantile } from '#tests/support/statistics.ts';
import type { Figure } from './figure.ts';
import { NO_BARS, readBars, readHistory } from './real-history.ts';

/** Distance between the starts of windows, in sessions. */
const STEP = 5;

/** Number of groups of the index members. Each group has as many members of a sector as the simulated market has. */
const GROUPS = 5;
const OF_A_SECTOR = 10;

/**
 * Prints the reference range of each statistic of the simulated market: the 5 % and 95 % quantiles over all windows of
 * the real series. simulated-years.proof.test.ts contains them as literals.
 */
export async function benchDemoRanges(data: string): Promise<Figure[]> {
  const index = marketOf(readHistory(data, NO_BARS));
  return [...rangesOf([index], seriesStatistics), ...rangesOf(groupsOf(data), memberStatistics)];
}

function rangesOf(
  markets: readonly Market[],
  statistics: (market: Market, last: number) => Statistics,
): Figure[] {
  const windows: Statistics[] = [];
  for (const market of markets) {
    for (let last = WINDOW - 1; last < market.history.sessions.length; last += STEP) {
      windows.push(statistics(market, last));
    }
  }
  return Object.keys(windows[0] ?? {}).flatMap((name) => {
    const values = windows.map((each) => each[name] ?? Number.NaN).filter((value) => !Number.isNaN(value));
    return [
      { what: `${name}: windows`, value: values.length, unit: '' },
      { what: `${name}: 5 %`, value: quantile(values, 0.05), unit: '' },
      { what: `${name}: 95 %`, value: quantile(values, 0.95), unit: '' },
    ];
  });
}

/** Groups of members with the index, without the exchange's counts, which would replace those of the members. */
function groupsOf(data: string): Market[] {
  const file = join(data, 'bars', 'sp500-2013-2018');
  const bars = readBars(`${file}.csv.gz`, `${file}-universe.csv`);
  const { sessions, series } = readHistory(data, NO_BARS, bars.sessions.at(-1));
  const close = series.sp500_close?.subarray(sessions.indexOf(bars.sessions[0] ?? ''));
  return Array.from({ length: GROUPS }, (_, group) =>
    marketOf({
      sessions: bars.sessions,
      series: close === undefined ? {} : { sp500_close: close },
      bars: only(bars, groupMembers(bars.members, group)),
      universe: 'S&P 500',
    }),
  );
}

/** Positions of a group's members: ten of each sector, different from the previous group if there are enough. */
function groupMembers(members: BarMatrix['members'], group: number): ReadonlySet<number> {
  const sectors = new Map<string, number[]>();
  for (const [at, { sector }] of members.entries()) sectors.set(sector, [...(sectors.get(sector) ?? []), at]);
  return new Set(
    [...sectors.values()].flatMap((all) =>
      Array.from({ length: OF_A_SECTOR }, (_, at) => all[(group * OF_A_SECTOR + at) % all.length] ?? -1),
    ),
  );
}

/** The bars of the members at these positions. */
export function only(bars: BarMatrix, chosen: ReadonlySet<number>): BarMatrix {
  const width = bars.sessions.length;
  const column = (values: Float64Array) => values.filter((_, cell) => chosen.has(Math.floor(cell / width)));
  return {
    sessions: bars.sessions,
    members: bars.members.filter((_, member) => chosen.has(member)),
    open: column(bars.open),
    high: column(bars.high),
    low: column(bars.low),
    close: column(bars.close),
    volume: column(bars.volume),
  };
}
