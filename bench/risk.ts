import { join } from 'node:path';
import { carryForward } from '#domain/indicators/windows.ts';
import { blockBootstrap } from '#domain/risk/block-bootstrap.ts';
import {
  type DailyCloses,
  RISK_RULE,
  type RiskOutcome,
  type RiskOutlook,
  type RiskWeek,
  riskWeeks,
  type VixBand,
} from '#domain/risk/outlook.ts';
import { brier, pinball, qlike, skill } from '#domain/risk/scores.ts';
import { noise } from '#tests/support/bars.ts';
import { secondOutlooks } from '#tests/support/second-outlook.ts';
import type { Figure } from './figure.ts';
import { columnOf, readTable } from './real-history.ts';

/** Weeks per block: windows of four weeks overlap, and rough spells last for months. */
const BLOCK = 13;
/** Twelve years, because each of the 500 histories is computed from its start. */
const SHORT_HISTORY = 3_060;
const BANDS: readonly VixBand[] = ['below 15', '15 to 25', '25 or more'];

interface Judged {
  readonly outlook: RiskOutlook;
  readonly outcome: RiskOutcome;
}

/** Judges the risk outlook of every week since 2000 by real closes, and compares it with a second implementation. */
export async function benchRisk(data: string): Promise<Figure[]> {
  const index = readTable(join(data, 'series', 'sp500.csv'));
  const sessions = [...(index.get('close')?.keys() ?? [])];
  const closes = columnOf(index, 'close', sessions);
  const vix = columnOf(readTable(join(data, 'series', 'vix.csv')), 'close', sessions);
  const startedAt = performance.now();
  const weeks = riskWeeks({ sessions, closes, vix });
  const ms = performance.now() - startedAt;
  const judged = judgedOf(weeks);
  const noVix = new Float64Array(closes.length).fill(Number.NaN);
  const fromCloses = judgedOf(riskWeeks({ sessions, closes, vix: noVix }));
  const second = secondOutlooks(sessions, [...closes], [...carryForward(vix)]);
  return [
    { what: `weeks judged by rule ${RISK_RULE}`, value: judged.length, unit: '' },
    { what: 'computing all outlooks', value: ms, unit: 'ms' },
    ...volatilityFigures('VIX and closes', judged, 0.5),
    ...volatilityFigures('closes only', fromCloses, 0.4),
    ...BANDS.map((band) => lineFigure(band, judged)),
    ...withInterval('fall of 5 %, skill of the probability (Brier)', judged, fallSkill),
    {
      what: 'weeks that say something else after 500 later sessions were removed one by one',
      value: changedByLaterSessions(first({ sessions, closes, vix }, SHORT_HISTORY)),
      unit: '',
      bound: { exactly: 0 },
    },
    {
      what: 'weeks of the second implementation',
      value: second.length,
      unit: '',
      bound: { exactly: weeks.length },
    },
    {
      what: 'largest relative difference from it',
      value: largestDifference(
        weeks.map(({ outlook }) => outlook),
        second,
      ),
      unit: '',
      bound: { atMost: 1e-9 },
    },
  ];
}

/** The weeks whose outcome is known. */
const judgedOf = (weeks: readonly RiskWeek[]): Judged[] =>
  weeks.flatMap(({ outlook, outcome }) => (outcome === null ? [] : [{ outlook, outcome }]));

const first = ({ sessions, closes, vix }: DailyCloses, count: number): DailyCloses => ({
  sessions: sessions.slice(0, count),
  closes: closes.slice(0, count),
  vix: vix.slice(0, count),
});

/** The number of outlooks that differ if later sessions are missing, over the last 500 sessions. */
function changedByLaterSessions(history: DailyCloses): number {
  const { sessions } = history;
  const written = (weeks: readonly RiskWeek[]) =>
    new Map(weeks.map(({ outlook }) => [outlook.session, JSON.stringify(outlook)]));
  const all = written(riskWeeks(history));
  let changed = 0;
  for (let count = sessions.length - 500; count < sessions.length; count += 1) {
    for (const [session, outlook] of written(riskWeeks(first(history, count)))) {
      // The last week of a shorter history may be unfinished.
      if (session !== sessions[count - 1] && outlook !== all.get(session)) changed += 1;
    }
  }
  return changed;
}

/** A figure with the ends of its 90 % interval. */
function withInterval(
  what: string,
  judged: readonly Judged[],
  statistic: (judged: readonly Judged[]) => number,
  bound?: Figure['bound'],
): Figure[] {
  const drawn = (indices: readonly number[]) => statistic(indices.flatMap((at) => judged[at] ?? []));
  const { low, high } = blockBootstrap({ count: judged.length, length: BLOCK }, drawn, noise(1));
  return [
    { what, value: 100 * statistic(judged), unit: '%', ...(bound && { bound }) },
    { what: `${what}, 90 % interval from`, value: 100 * low, unit: '%' },
    { what: `${what}, to`, value: 100 * high, unit: '%' },
  ];
}

const logErrors = (judged: readonly Judged[], forecast: (outlook: RiskOutlook) => number) =>
  judged.map(({ outlook, outcome }) => Math.log(outcome.volatility / forecast(outlook)) ** 2);
const middle = ({ volatility }: RiskOutlook) => volatility.middle;
const usual = ({ usualVolatility }: RiskOutlook) => usualVolatility;
const share = (judged: readonly Judged[], is: (one: Judged) => boolean) =>
  judged.filter(is).length / judged.length;

/** The share of the variance of the outcomes that the outlooks explain (R²). */
function explained(judged: readonly Judged[]): number {
  const logs = judged.map(({ outcome }) => Math.log(outcome.volatility));
  const mean = logs.reduce((sum, log) => sum + log, 0) / logs.length;
  return skill(
    logErrors(judged, middle),
    logs.map((log) => (log - mean) ** 2),
  );
}

function volatilityFigures(name: string, judged: readonly Judged[], leastExplained: number): Figure[] {
  const covered = (some: readonly Judged[]) =>
    share(
      some,
      ({ outlook: { volatility }, outcome }) =>
        volatility.low <= outcome.volatility && outcome.volatility <= volatility.high,
    );
  const ofScore = (score: (forecast: number, actual: number) => number) =>
    skill(
      judged.map(({ outlook, outcome }) => score(middle(outlook), outcome.volatility)),
      judged.map(({ outlook, outcome }) => score(usual(outlook), outcome.volatility)),
    );
  return [
    ...withInterval(
      `${name}: skill for log volatility`,
      judged,
      (some) => skill(logErrors(some, middle), logErrors(some, usual)),
      {
        atLeast: 45,
      },
    ),
    { what: `${name}: R²`, value: explained(judged), unit: '', bound: { atLeast: leastExplained } },
    { what: `${name}: skill by QLIKE`, value: 100 * ofScore(qlike), unit: '%' },
    {
      what: `${name}: skill by pinball at 50`,
      value: 100 * ofScore((forecast, actual) => pinball(forecast, 0.5, actual)),
      unit: '%',
    },
    ...withInterval(`${name}: 80 % range covers`, judged, covered, { atLeast: 77, atMost: 83 }),
  ];
}

function lineFigure(band: VixBand, judged: readonly Judged[]): Figure {
  const inBand = judged.filter(({ outlook }) => outlook.band === band);
  const crossed = share(inBand, ({ outlook, outcome }) => outcome.worst < outlook.worstLine);
  return {
    what: `VIX ${band}: worst close below its line, of ${inBand.length} weeks`,
    value: 100 * crossed,
    unit: '%',
    bound: { atLeast: 8, atMost: 12 },
  };
}

const fallSkill = (judged: readonly Judged[]) => {
  const losses = (forecast: (outlook: RiskOutlook) => number) =>
    judged.map(({ outlook, outcome }) => brier(forecast(outlook), outcome.worst <= -0.05));
  return skill(
    losses(({ fall }) => fall),
    losses(({ usualFall }) => usualFall),
  );
};

function largestDifference(
  outlooks: readonly RiskOutlook[],
  second: ReturnType<typeof secondOutlooks>,
): number {
  return Math.max(
    ...outlooks.map((outlook, at) => {
      const other = second[at];
      if (other?.session !== outlook.session) return Number.POSITIVE_INFINITY;
      const { volatility, usualVolatility, worstLine, fall } = outlook;
      const pairs = [
        [volatility.low, other.low],
        [volatility.middle, other.middle],
        [volatility.high, other.high],
        [usualVolatility, other.usual],
        [worstLine, other.line],
        [fall, other.fall],
      ] as const;
      return Math.max(...pairs.map(([one, two]) => (one === two ? 0 : Math.abs(one / two - 1))));
    }),
  );
}
