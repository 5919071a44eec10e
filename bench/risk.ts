import { join } from 'node:path';
import { blockBootstrap } from '#domain/risk/block-bootstrap.ts';
import { type JudgedWeek, judgeWeeks, type Skill, skill } from '#domain/risk/judgement.ts';
import { RISK_RULE, type RiskWeek, riskWeeks } from '#domain/risk/outlook.ts';
import { VIX_BANDS, type VixBand } from '#domain/risk/past-weeks.ts';
import { crps } from './crps.ts';
import type { Figure } from './figure.ts';
import { columnOf, readTable } from './real-history.ts';

/** Weeks until the outcome of a week is known. */
const OUTCOME_WEEKS = 4;
/** Ten years of weeks come before the first one that is judged. */
const WEEKS_BEFORE = 520;

/** Judges the risk outlook of every week since 2000 by real closes. */
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
  return [
    { what: `weeks judged by rule ${RISK_RULE}`, value: judged.length, unit: '' },
    { what: 'computing all outlooks', value: ms, unit: 'ms' },
    ...volatilityFigures('VIX and closes', judged, 0.5),
    ...volatilityFigures('closes only', fromCloses, 0.4),
    ...VIX_BANDS.flatMap((band) => lineFigures(band, judged)),
    ...withInterval('worst close: skill of the VIX bands by CRPS', worstCloseSkill(judged)),
  ];
}

/** The weeks whose outcome is known. */
const judgedOf = (weeks: readonly RiskWeek[]): JudgedWeek[] =>
  weeks.flatMap(({ outlook, outcome }) => (outcome === null ? [] : [{ outlook, outcome }]));

/** A figure with the ends of its 90 % interval. */
function withInterval(what: string, { value, low, high }: Skill, bound?: Figure['bound']): Figure[] {
  return [
    { what, value: 100 * value, unit: '%', ...(bound && { bound }) },
    { what: `${what}, 90 % interval from`, value: 100 * low, unit: '%' },
    { what: `${what}, to`, value: 100 * high, unit: '%' },
  ];
}

/** The share of weeks, with its interval. */
function shareOf(judged: readonly JudgedWeek[], is: (week: JudgedWeek) => boolean): Skill {
  const share = (drawn: readonly (JudgedWeek | undefined)[]) =>
    drawn.filter((week) => week !== undefined && is(week)).length / drawn.length;
  return {
    value: share(judged),
    ...blockBootstrap(judged.length, (drawn) => share(drawn.map((at) => judged[at]))),
  };
}

/** The share of the variance of the outcomes that the outlooks explain (R²). */
function explained(judged: readonly JudgedWeek[]): number {
  const logs = judged.map(({ outcome }) => Math.log(outcome.volatility));
  const mean = logs.reduce((sum, log) => sum + log, 0) / logs.length;
  return skill(
    judged.map(({ outlook }, at) => ((logs[at] ?? 0) - Math.log(outlook.volatility.middle)) ** 2),
    logs.map((log) => (log - mean) ** 2),
  );
}

function volatilityFigures(name: string, judged: readonly JudgedWeek[], leastExplained: number): Figure[] {
  const judgement = judgeWeeks(judged);
  if (judgement === null) throw new Error('The folder of market data has less than ten years of closes.');
  const { ours, usual, vix, overVix, needed, withinHalf, withinMost } = judgement;
  const percent = (what: string, value: number) => ({
    what: `${name}: ${what}`,
    value: 100 * value,
    unit: '%',
  });
  return [
    ...withInterval(`${name}: skill for log volatility`, judgement.skill, { atLeast: 45 }),
    { what: `${name}: R²`, value: explained(judged), unit: '', bound: { atLeast: leastExplained } },
    percent('skill by QLIKE', 1 - ours.qlike / usual.qlike),
    percent('skill by pinball at 50', 1 - ours.pinball[1] / usual.pinball[1]),
    percent('skill for a fall of 5 % (Brier)', 1 - ours.fall / usual.fall),
    ...(overVix === null ? [] : withInterval(`${name}: skill over the VIX alone`, overVix)),
    ...(vix === null ? [] : [percent('the range of the VIX alone covers', vix.covered)]),
    ...withInterval(
      `${name}: 80 % range covers`,
      shareOf(
        judged,
        ({ outlook: { volatility }, outcome }) =>
          volatility.low <= outcome.volatility && outcome.volatility <= volatility.high,
      ),
      { atLeast: 77, atMost: 83 },
    ),
    percent('moves over four weeks inside the fan of 50 %', withinHalf),
    percent('and inside the fan of 80 %', withinMost),
    { what: `${name}: weeks needed for a skill above its error`, value: needed ?? Number.NaN, unit: '' },
  ];
}

/**
 * The skill of the past worst closes of a week's VIX band against those of all past weeks. Only outcomes that were known in
 * the week count.
 */
function worstCloseSkill(judged: readonly JudgedWeek[]): Skill {
  const losses = judged.slice(WEEKS_BEFORE).map(({ outlook, outcome }, at) => {
    const past = judged.slice(0, WEEKS_BEFORE + at + 1 - OUTCOME_WEEKS);
    const loss = (weeks: readonly JudgedWeek[]) =>
      crps(Float64Array.from(weeks, (week) => week.outcome.worst).sort(), outcome.worst);
    return { band: loss(past.filter((week) => week.outlook.band === outlook.band)), all: loss(past) };
  });
  const skillOf = (drawn: typeof losses) =>
    skill(
      drawn.map(({ band }) => band),
      drawn.map(({ all }) => all),
    );
  return {
    value: skillOf(losses),
    ...blockBootstrap(losses.length, (drawn) => skillOf([...drawn].flatMap((at) => losses[at] ?? []))),
  };
}

function lineFigures(band: VixBand, judged: readonly JudgedWeek[]): Figure[] {
  const inBand = judged.filter(({ outlook }) => outlook.band === band);
  return withInterval(
    `VIX ${band}: worst close below its line, of ${inBand.length} weeks`,
    shareOf(inBand, ({ outlook, outcome }) => outcome.worst < outlook.worstLine),
    { atLeast: 8, atMost: 12 },
  );
}
