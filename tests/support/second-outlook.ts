/* A second implementation of the risk outlook (rule r1), for comparison: written from the rule's description, with other methods. It
   computes every week anew from the start, and solves the regression by Gaussian elimination with pivots over centred columns. */

import type { RiskOutlook } from '#domain/risk/outlook.ts';

export interface SecondOutlook {
  readonly session: string;
  readonly low: number;
  readonly middle: number;
  readonly high: number;
  readonly usual: number;
  readonly vixAlone: number;
  readonly line: number;
  readonly fall: number;
  /** The size of 80 % of the moves over four weeks. */
  readonly move: number;
}

interface Week {
  readonly at: number;
  readonly logs: readonly number[];
  readonly band: number;
  readonly logActual: number | null;
  readonly worst: number | null;
  readonly change: number;
}

const AHEAD = 20;

function quantileOf(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const place = (sorted.length - 1) * share;
  const [low, high] = [sorted[Math.floor(place)] ?? Number.NaN, sorted[Math.ceil(place)] ?? Number.NaN];
  return low * (1 - (place % 1)) + high * (place % 1);
}

const meanOf = (values: readonly number[]) => values.reduce((sum, one) => sum + one, 0) / values.length;

/** The intercept and slopes of `y` over the columns of `x`. */
function regress(
  x: readonly (readonly number[])[],
  y: readonly number[],
): (row: readonly number[]) => number {
  const width = x[0]?.length ?? 0;
  const centre = Array.from({ length: width }, (_, k) => meanOf(x.map((row) => row[k] ?? Number.NaN)));
  const middle = meanOf(y);
  const rows = x.map((row) => row.map((value, k) => value - (centre[k] ?? 0)));
  const system = centre.map((_, i) => [
    ...centre.map((__, k) => rows.reduce((sum, row) => sum + (row[i] ?? 0) * (row[k] ?? 0), 0)),
    rows.reduce((sum, row, at) => sum + (row[i] ?? 0) * ((y[at] ?? 0) - middle), 0),
  ]);
  for (let i = 0; i < width; i += 1) {
    const pivot = system
      .slice(i)
      .reduce((best, row) => (Math.abs(row[i] ?? 0) > Math.abs(best[i] ?? 0) ? row : best));
    const from = system.indexOf(pivot);
    [system[i], system[from]] = [pivot, system[i] ?? []];
    for (const row of system) {
      if (row === pivot) continue;
      const times = (row[i] ?? 0) / (pivot[i] ?? 0);
      pivot.forEach((value, k) => {
        row[k] = (row[k] ?? 0) - times * value;
      });
    }
  }
  const slopes = system.map((row, i) => (row[width] ?? 0) / (row[i] ?? 0));
  return (row) => slopes.reduce((sum, slope, k) => sum + slope * ((row[k] ?? 0) - (centre[k] ?? 0)), middle);
}

const mondayOf = (day: string) => {
  const date = Date.parse(`${day}T00:00:00Z`);
  return date - ((new Date(date).getUTCDay() + 6) % 7) * 86_400_000;
};

/** The outlooks of all weeks of a complete history. */
export function secondOutlooks(
  days: readonly string[],
  closes: readonly number[],
  vix: readonly number[],
): SecondOutlook[] {
  const change = closes.map((close, at) => (at === 0 ? 0 : Math.log(close / (closes[at - 1] ?? Number.NaN))));
  const logOver = (end: number, count: number) =>
    Math.log(Math.max(Math.hypot(...change.slice(end + 1 - count, end + 1)) / Math.sqrt(count), 1e-4));
  const weeks = days.flatMap((day, at): Week[] => {
    const next = days[at + 1];
    if (at < 22 || (next !== undefined && mondayOf(next) === mondayOf(day))) return [];
    const level = vix[at] ?? Number.NaN;
    const isOver = at + AHEAD < days.length;
    return [
      {
        at,
        logs: [Math.log(level), logOver(at, 1), logOver(at, 5), logOver(at, 22)],
        band: level < 15 ? 0 : level < 25 ? 1 : 2,
        logActual: isOver ? logOver(at + AHEAD, AHEAD) : null,
        worst: isOver
          ? Math.min(...closes.slice(at + 1, at + AHEAD + 1)) / (closes[at] ?? Number.NaN) - 1
          : null,
        change: Math.abs((closes[at + AHEAD] ?? Number.NaN) / (closes[at] ?? Number.NaN) - 1),
      },
    ];
  });
  const made: (SecondOutlook & { week: Week; tail: number | 'any' })[] = [];
  for (const week of weeks) {
    const past = weeks.filter(({ at }) => at + AHEAD <= week.at);
    if (past[0] === undefined || week.at - past[0].at < 2_520) continue;
    const actual = past.map(({ logActual }) => logActual ?? Number.NaN);
    const predict = regress(
      past.map(({ logs }) => logs),
      actual,
    );
    const byVix = regress(
      past.map(({ logs }) => logs.slice(0, 1)),
      actual,
    );
    const errors = past.map(({ logs }, at) => (actual[at] ?? Number.NaN) - predict(logs));
    const sameBand = past.filter(({ band }) => band === week.band);
    const tail = sameBand.length < 50 ? 'any' : week.band;
    const alike = tail === 'any' ? past : sameBand;
    /** The level of a tail after all outcomes that are known now. */
    const level = (isMissed: (one: (typeof made)[number]) => boolean | null) => {
      const outcomes = made
        .filter((one) => one.week.at + AHEAD <= week.at)
        .map(isMissed)
        .filter((one) => one !== null);
      const moved = outcomes.reduce((sum, missed) => sum + 0.02 * (0.1 - (missed ? 1 : 0)), 0.1);
      return Math.min(0.3, Math.max(0.005, moved));
    };
    const middle = predict(week.logs);
    made.push({
      week,
      tail,
      session: days[week.at] ?? '',
      low: Math.exp(
        middle +
          quantileOf(
            errors,
            level((one) => Math.exp(one.week.logActual ?? 0) < one.low),
          ),
      ),
      middle: Math.exp(middle),
      high: Math.exp(
        middle + quantileOf(errors, 1 - level((one) => Math.exp(one.week.logActual ?? 0) > one.high)),
      ),
      usual: Math.exp(meanOf(actual)),
      vixAlone: Math.exp(byVix(week.logs.slice(0, 1))),
      line: quantileOf(
        alike.map(({ worst }) => worst ?? Number.NaN),
        level((one) => (one.tail === tail ? (one.week.worst ?? 0) < one.line : null)),
      ),
      fall: meanOf(alike.map(({ worst }) => ((worst ?? 0) <= -0.05 ? 1 : 0))),
      move:
        Math.exp(middle) *
        quantileOf(
          past.map(({ logs, change }) => change / Math.exp(predict(logs))),
          0.8,
        ),
    });
  }
  return made.map(({ week: _, tail: __, ...outlook }) => outlook);
}

/** The largest relative difference between the figures of the outlooks of both implementations; infinite if their weeks differ. */
export function largestDifference(
  outlooks: readonly RiskOutlook[],
  second: readonly SecondOutlook[],
): number {
  if (outlooks.length !== second.length) return Number.POSITIVE_INFINITY;
  const differences = outlooks.flatMap((outlook, at) => {
    const other = second[at];
    if (other?.session !== outlook.session) return [Number.POSITIVE_INFINITY];
    const { volatility, usual, vixAlone, worstLine, fall, most } = outlook;
    const pairs = [
      [volatility.low, other.low],
      [volatility.middle, other.middle],
      [volatility.high, other.high],
      [usual.middle, other.usual],
      [vixAlone?.middle ?? Number.NaN, other.vixAlone],
      [worstLine, other.line],
      [fall, other.fall],
      [most.at(-1) ?? Number.NaN, other.move],
    ] as const;
    return pairs.map(([one, two]) => (one === two ? 0 : Math.abs(one / two - 1)));
  });
  return Math.max(...differences);
}
