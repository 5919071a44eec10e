import { mean } from '../statistics.ts';
import { BLOCK, blockBootstrap } from './block-bootstrap.ts';
import { hasFallen, type RiskOutlook, type RiskRange } from './outlook.ts';
import type { RiskOutcome } from './past-weeks.ts';

/** The loss of a forecast of variance: 0 if it is exact (QLIKE, Patton 2011, Journal of Econometrics 160). */
export function qlike(forecast: number, actual: number): number {
  const ratio = (actual / forecast) ** 2;
  return ratio - Math.log(ratio) - 1;
}

/** The loss of a quantile at `level` (Koenker and Bassett 1978, Econometrica 46). */
export function pinball(forecast: number, level: number, actual: number): number {
  return (actual - forecast) * (level - (actual < forecast ? 1 : 0));
}

/** The loss of a probability of an event that occurred or not (Brier 1950, Monthly Weather Review 78). */
export function brier(probability: number, hasOccurred: boolean): number {
  return (probability - (hasOccurred ? 1 : 0)) ** 2;
}

/** The part of the reference's loss that a forecast avoids: 1 is perfect, 0 no better than the reference; NaN without losses. */
export function skill(losses: readonly number[], reference: readonly number[]): number {
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
  return 1 - sum(losses) / sum(reference);
}

/** Minimum number of weeks for an interval: four blocks, about a year. */
export const LEAST_WEEKS = 4 * BLOCK;
/** The two-sided 90 % quantile of the normal distribution. */
const NORMAL_90 = 1.645;
/** Width of the groups of stated probabilities. */
const GROUP = 0.1;

/** The fields of an outlook and its outcome that the scores use. */
export interface JudgedWeek {
  readonly outlook: Omit<RiskOutlook, 'close' | 'vix' | 'inputs' | 'weeks' | 'weeksAlike'>;
  readonly outcome: RiskOutcome;
}

type Forecast = (outlook: JudgedWeek['outlook']) => { readonly range: RiskRange; readonly fall: number };

const ours: Forecast = ({ volatility, fall }) => ({ range: volatility, fall });
const usual: Forecast = (outlook) => ({ range: outlook.usual, fall: outlook.usualFall });
/** The probability of a fall is that of the band of the VIX, so it is also that of the VIX alone. */
const vixAlone: Forecast = ({ vixAlone: range, usual: other, fall }) => ({ range: range ?? other, fall });

const squaredLogErrors = (weeks: readonly JudgedWeek[], forecast: Forecast) =>
  weeks.map(({ outlook, outcome }) => Math.log(outcome.volatility / forecast(outlook).range.middle) ** 2);

/** The mean losses of one forecaster: lower is better. */
function scoresOf(weeks: readonly JudgedWeek[], forecast: Forecast) {
  const meanOf = (loss: (made: ReturnType<Forecast>, outcome: RiskOutcome) => number) =>
    mean(weeks.map(({ outlook, outcome }) => loss(forecast(outlook), outcome)));
  const pinballAt = (end: keyof RiskRange, level: number) =>
    meanOf(({ range }, { volatility }) => 100 * pinball(range[end], level, volatility));
  return {
    // Squared error of log volatility.
    error: mean(squaredLogErrors(weeks, forecast)),
    qlike: meanOf(({ range }, { volatility }) => qlike(range.middle, volatility)),
    // Pinball losses of volatility at 10, 50 and 90 %, in percent of a day.
    pinball: [pinballAt('low', 0.1), pinballAt('middle', 0.5), pinballAt('high', 0.9)] as const,
    // Share of weeks whose volatility was in the 80 % range. Not a loss: it should be 0.8.
    covered: meanOf(({ range }, { volatility }) =>
      range.low <= volatility && volatility <= range.high ? 1 : 0,
    ),
    // Brier score of a fall of 5 %.
    fall: meanOf(({ fall }, outcome) => brier(fall, hasFallen(outcome))),
  };
}

/** The skill of the outlooks (1 is perfect, 0 is no better than the other forecast) with its 90 % interval. */
function skillAgainst(weeks: readonly JudgedWeek[], other: Forecast) {
  const [own, reference] = [squaredLogErrors(weeks, ours), squaredLogErrors(weeks, other)];
  const pick = (losses: readonly number[], at: readonly number[]) => at.map((index) => losses[index] ?? 0);
  const interval = blockBootstrap(weeks.length, (drawn) => skill(pick(own, drawn), pick(reference, drawn)));
  return { value: skill(own, reference), ...interval };
}
export type Skill = ReturnType<typeof skillAgainst>;

/**
 * The number of weeks after which the mean advantage is larger than its error at 90 %, if it stays as large and varies as much as
 * the means of the blocks so far; at least a year. Null if it is not above zero.
 */
function weeksNeeded(weeks: readonly JudgedWeek[]): number | null {
  const [own, other] = [squaredLogErrors(weeks, ours), squaredLogErrors(weeks, usual)];
  const gains = other.map((loss, at) => loss - (own[at] ?? 0));
  const gain = mean(gains);
  if (!(gain > 0)) return null;
  const blocks: number[] = [];
  for (let at = 0; at + BLOCK <= gains.length; at += BLOCK) blocks.push(mean(gains.slice(at, at + BLOCK)));
  if (blocks.length < 2) return LEAST_WEEKS;
  const variance = blocks.reduce((sum, block) => sum + (block - mean(blocks)) ** 2, 0) / (blocks.length - 1);
  return Math.max(LEAST_WEEKS, BLOCK * Math.ceil((NORMAL_90 ** 2 * variance) / gain ** 2));
}

/** Stated probabilities of a fall beside the share of weeks in which it happened. */
function fallsOf(weeks: readonly JudgedWeek[]) {
  const groups = new Map<number, JudgedWeek[]>();
  for (const week of weeks) {
    const group = Math.floor(week.outlook.fall / GROUP);
    groups.set(group, [...(groups.get(group) ?? []), week]);
  }
  return [...groups]
    .sort(([one], [other]) => one - other)
    .map(([, own]) => ({
      stated: mean(own.map(({ outlook }) => outlook.fall)),
      happened: mean(own.map(({ outcome }) => (hasFallen(outcome) ? 1 : 0))),
      weeks: own.length,
    }));
}

/** Judges outlooks whose outcome is known, oldest first, by scores, skills and reliability; null without any. */
export function judgeWeeks(weeks: readonly JudgedWeek[]) {
  const [first] = weeks;
  const last = weeks.at(-1);
  if (first === undefined || last === undefined) return null;
  const shareOf = (is: (week: JudgedWeek) => boolean) => mean(weeks.map((week) => (is(week) ? 1 : 0)));
  const isMoveWithin = (part: 'half' | 'most') =>
    shareOf(({ outlook, outcome }) => Math.abs(outcome.changes.at(-1) ?? 0) <= (outlook[part].at(-1) ?? 0));
  const below = (end: keyof RiskRange, stated: number) => ({
    stated,
    happened: shareOf(({ outlook, outcome }) => outcome.volatility < outlook.volatility[end]),
    weeks: weeks.length,
  });
  const hasVix = weeks.every(({ outlook }) => outlook.vixAlone !== null);
  return {
    weeks: weeks.length,
    // The sessions of the first and the last week.
    ...{ first: first.outlook.session, last: last.outlook.session },
    ours: scoresOf(weeks, ours),
    usual: scoresOf(weeks, usual),
    // Null unless each week had a VIX.
    vix: hasVix ? scoresOf(weeks, vixAlone) : null,
    // Skill for log volatility against the mean of the past, and against the VIX alone.
    skill: skillAgainst(weeks, usual),
    overVix: hasVix ? skillAgainst(weeks, vixAlone) : null,
    needed: weeksNeeded(weeks),
    // Share of weeks with a close below `worstLine`, which one week in ten should have.
    crossed: shareOf(({ outlook, outcome }) => outcome.worst < outlook.worstLine),
    // Share of weeks whose move over four weeks was in the inner and the outer part of the fan.
    withinHalf: isMoveWithin('half'),
    withinMost: isMoveWithin('most'),
    // Share of weeks with a volatility below the low end, the middle and the high end of the range: stated as 10, 50, 90 %.
    ranges: [below('low', 0.1), below('middle', 0.5), below('high', 0.9)],
    // Falls of 5 %, by groups of the stated probability.
    falls: fallsOf(weeks),
  };
}
export type RiskJudgement = NonNullable<ReturnType<typeof judgeWeeks>>;
