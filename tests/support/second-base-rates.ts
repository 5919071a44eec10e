/**
 * A second implementation of the base rates, which shares no code with the product. It reads a CSV of
 * `date,fear_greed,close`, and resamples week by week.
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
const BLOCK = 26;
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
 * The rates by `horizon label`. Expects each week of the file to be complete. `random` returns numbers from 0 to below 1.
 */
export function secondBaseRates(csv: string, random: () => number): ReadonlyMap<string, SecondRate> {
  const lines = csv.trim().split('\n').slice(1);
  const samples = new Map<number, { index: number; close: number; date: string }>();
  for (const line of lines) {
    const [date = '', index, close] = line.split(',');
    if (!index || !close) continue;
    const before = samples.get(weekOf(date));
    if (before !== undefined && before.date > date) continue;
    samples.set(weekOf(date), { index: Number(index), close: Number(close), date });
  }
  const weeks = [...samples.keys()].sort((a, b) => a - b);
  const rates = new Map<string, SecondRate>();
  for (const horizon of [1, 4, 13]) {
    const labels: string[] = [];
    const changes: number[] = [];
    for (const week of weeks) {
      const entry = samples.get(week);
      const exit = samples.get(week + horizon);
      if (entry === undefined || exit === undefined) continue;
      const shown = Math.round(entry.index * 10 + 1e-9) / 10;
      labels.push(EDGES.find(([, below]) => shown < below)?.[0] ?? '');
      changes.push((100 * (exit.close - entry.close)) / entry.close);
    }
    const resampled = resample(labels, changes, random);
    for (const [label] of EDGES) {
      const own = changes.filter((_, at) => labels[at] === label).sort((a, b) => a - b);
      const differences = resampled.get(label);
      if (own.length === 0 || differences === undefined) continue;
      const mean = average(own);
      rates.set(`${horizon} ${label}`, {
        weeks: own.length,
        mean,
        median: average([own[(own.length - 1) >> 1] ?? Number.NaN, own[own.length >> 1] ?? Number.NaN]),
        higher: (100 * own.filter((change) => change > 0).length) / own.length,
        difference: mean - average(changes),
        low: differences[Math.round(0.05 * (differences.length - 1))] ?? Number.NaN,
        high: differences[Math.round(0.95 * (differences.length - 1))] ?? Number.NaN,
        worst: own[0] ?? Number.NaN,
      });
    }
  }
  return rates;
}

const average = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** The differences of resampled series by label, ascending. */
function resample(
  labels: readonly string[],
  changes: readonly number[],
  random: () => number,
): ReadonlyMap<string, readonly number[]> {
  const count = changes.length;
  const places = labels.map((label) => EDGES.findIndex(([name]) => name === label));
  const found: number[][] = EDGES.map(() => []);
  for (let round = 0; round < RESAMPLES; round += 1) {
    const sums = EDGES.map(() => 0);
    const sizes = EDGES.map(() => 0);
    let all = 0;
    for (let taken = 0; taken < count; ) {
      const start = Math.floor(random() * count);
      for (let step = 0; step < BLOCK && taken < count; step += 1, taken += 1) {
        const at = (start + step) % count;
        const place = places[at] ?? 0;
        const change = changes[at] ?? Number.NaN;
        all += change;
        sums[place] = (sums[place] ?? 0) + change;
        sizes[place] = (sizes[place] ?? 0) + 1;
      }
    }
    for (const [place, size] of sizes.entries()) {
      if (size > 0) found[place]?.push((sums[place] ?? 0) / size - all / count);
    }
  }
  return new Map(EDGES.map(([label], place) => [label, (found[place] ?? []).sort((a, b) => a - b)]));
}
