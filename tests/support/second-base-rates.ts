/**
 * A second implementation of the base rates, which shares no code with the product. It reads a CSV of
 * `date,fear_greed,close`, and draws the signs one by one.
 */

interface SecondRate {
  readonly weeks: number;
  readonly mean: number;
  readonly median: number;
  readonly higher: number;
  readonly difference: number;
  readonly low: number;
  readonly high: number;
  readonly worst: number;
}

const DAY_MS = 86_400_000;
const RESAMPLES = 12_000;
const EDGES: readonly (readonly [label: string, below: number])[] = [
  ['Extreme Fear', 25],
  ['Fear', 45],
  ['Neutral', 55],
  ['Greed', 75],
  ['Extreme Greed', Number.POSITIVE_INFINITY],
];

/** The number of the week of a date, counted from a Monday. */
const weekOf = (date: string) => Math.floor((Date.parse(date) / DAY_MS + 3) / 7);

/**
 * The rates by `horizon label`. Expects a line for each session, and complete weeks. `random` returns numbers from 0 to
 * below 1.
 */
export function secondBaseRates(csv: string, random: () => number): ReadonlyMap<string, SecondRate> {
  const lines = csv.trim().split('\n').slice(1).sort();
  const indexOf = new Map<number, number>();
  /** The logarithm of the first close of each week. */
  const logOf = new Map<number, number>();
  const begun = new Set<number>();
  for (const line of lines) {
    const [date = '', index, close] = line.split(',');
    const week = weekOf(date);
    if (index) indexOf.set(week, Number(index));
    if (!begun.has(week) && close) logOf.set(week, Math.log(Number(close)));
    begun.add(week);
  }
  const priced = [...logOf.keys()].sort((a, b) => a - b);
  const rates = new Map<string, SecondRate>();
  for (const horizon of [1, 4, 13]) {
    const samples = [...indexOf].flatMap(([week, index]) => {
      const [entry, exit] = [logOf.get(week + 1), logOf.get(week + 1 + horizon)];
      if (entry === undefined || exit === undefined) return [];
      const shown = Math.round(index * 10 + 1e-9) / 10;
      const label = EDGES.find(([, below]) => shown < below)?.[0] ?? '';
      return [{ week, label, change: 100 * Math.expm1(exit - entry) }];
    });
    const mean = average(samples.map(({ change }) => change));
    for (const [label] of EDGES) {
      const own = samples.filter((sample) => sample.label === label);
      if (own.length === 0) continue;
      const changes = own.map(({ change }) => change).sort((a, b) => a - b);
      const difference = average(changes) - mean;
      // The share of the band's windows that contain a change, minus the share of all windows.
      const covering = (among: typeof samples, from: number, to: number) =>
        among.filter(({ week }) => week < from && to <= week + 1 + horizon).length / among.length;
      const parts = priced.slice(1).map((to, at) => {
        const from = priced[at] ?? Number.NaN;
        const share = covering(own, from, to) - covering(samples, from, to);
        return share * ((logOf.get(to) ?? Number.NaN) - (logOf.get(from) ?? Number.NaN)) * 100;
      });
      const half = halfWidth(parts, random);
      rates.set(`${horizon} ${label}`, {
        weeks: own.length,
        mean: average(changes),
        median: average([
          changes[(own.length - 1) >> 1] ?? Number.NaN,
          changes[own.length >> 1] ?? Number.NaN,
        ]),
        higher: (100 * changes.filter((change) => change > 0).length) / own.length,
        difference,
        low: difference - half,
        high: difference + half,
        worst: changes[0] ?? Number.NaN,
      });
    }
  }
  return rates;
}

const average = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** The 90 % quantile of the absolute sum of numbers whose signs are drawn. */
function halfWidth(parts: readonly number[], random: () => number): number {
  const drawn = Array.from({ length: RESAMPLES }, () =>
    Math.abs(parts.reduce((sum, part) => sum + (random() < 0.5 ? part : -part), 0)),
  );
  return drawn.sort((a, b) => a - b)[Math.round(0.9 * (RESAMPLES - 1))] ?? Number.NaN;
}
