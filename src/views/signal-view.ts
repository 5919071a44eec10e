import { DISPLAYED_DECIMALS, roundTo } from '#domain/bands/precision.ts';
import {
  fearGreedBand,
  metricBand,
  type Pull,
  pullOf,
  sentimentBand,
  VERDICTS,
  type Verdict,
  verdictOf,
} from '#domain/bands/score-bands.ts';
import { apportion } from '#domain/signal/apportion.ts';
import {
  type BreakdownRow,
  decideSignal,
  ENOUGH_WEIGHT,
  type Signal,
  verdictWithout,
} from '#domain/signal/decide-signal.ts';
import { PUT_CALL, SIGNAL_INPUTS, type SignalInput, type SignalInputs } from '#domain/signal/inputs.ts';
import { type NextVerdict, otherVerdicts } from '#domain/signal/next-verdict.ts';
import type { DashboardRows } from '#schema/dashboard.ts';
import { asOf, writeDay, writeDayWithoutYear } from './day.ts';
import { type Figure, figureOf, UNKNOWN, writeNumber } from './number.ts';
import { newestInstant } from './observed.ts';
import { otherSetText } from './other-set.ts';
import { currentInputs, INPUT_NAMES, putCallDue, signalRows } from './signal-inputs.ts';
import { sinceLastWeek, type WeeklyChange } from './since-last-week.ts';
import { SIGNAL_ZONES } from './zones.ts';

/** The sum of the displayed points, as text; '—' without a verdict. The score is this sum rounded to one decimal. */
export function pointsTotal(view: { score: Figure; rows: readonly Pick<SignalRow, 'points'>[] }): string {
  const { score, rows } = view;
  if (score.value === null) return score.text;
  const total = rows.reduce((sum, { points }) => sum + (points.value ?? 0), 0);
  return total.toFixed(DISPLAYED_DECIMALS.points);
}

const WHOLE = 100;
const MIDDLE = 50;
const EFFECT_DECIMALS = 2;
/** With these decimals, the weights add up for every set of missing inputs. */
const MOST_DECIMALS = 4;

/** Shown beside every verdict (specification, reading 29). */
export const DESCRIBES = 'It describes the market and does not forecast it.';
export const DISCLAIMER = `This signal is for informational purposes only and is not financial advice. ${DESCRIBES}`;
/** If more parts than this are missing, the text has their number instead of their names. */
const NAMED_PARTS = 2;
const PART_NAMES: Partial<Record<SignalInput, string>> = {
  sentiment: 'terms',
  advancedIndicators: 'indicators',
  sectors: 'sectors',
};

function partsNote({ input, score, parts, missing }: BreakdownRow, putCallIsDue: boolean): string | null {
  if (missing.length === 0) return null;
  const measured = parts - missing.length;
  if (measured === 0) return 'not measured';
  const counted = `${measured} of ${parts} ${PART_NAMES[input]}`;
  if (score === null) return `only ${counted}`;
  if (missing.length > NAMED_PARTS || missing.includes(null)) return counted;
  const until = putCallIsDue && missing.every((part) => part === PUT_CALL) ? ' until evening' : '';
  return `without ${missing.join(' and ')}${until}`;
}

function noteOf(row: BreakdownRow, putCallIsDue: boolean): string | null {
  const { session, age } = row;
  const parts = partsNote(row, putCallIsDue);
  if (session === null || age === 'newest') return parts;
  if (age === 'expired') return `too old: ${writeDay(session)}`;
  const of = `as of ${writeDayWithoutYear(session)}`;
  return parts === null ? of : `${of}, ${parts}`;
}

/** The weights as displayed: '20%', '22.22%'. All have the fewest decimals with which they add up to 100 (specification, reading 24). */
function weightTexts(weights: readonly (number | null)[]): string[] {
  let decimals: number = DISPLAYED_DECIMALS.weight;
  const sum = () => weights.reduce<number>((total, weight) => total + roundTo(weight ?? 0, decimals), 0);
  while (roundTo(sum(), decimals) !== WHOLE && decimals < MOST_DECIMALS) decimals += 1;
  return weights.map((weight) =>
    weight === null ? UNKNOWN : writeNumber(weight, Number.isInteger(weight) ? 0 : decimals, { suffix: '%' }),
  );
}

const effectOf = (points: readonly number[]) =>
  roundTo(
    roundTo(
      points.reduce((sum, one) => sum + one, -MIDDLE),
      DISPLAYED_DECIMALS.points,
    ),
    EFFECT_DECIMALS,
  );

const effectFigure = (value: number | null): Figure => ({
  value,
  text: value === null ? UNKNOWN : writeNumber(value, EFFECT_DECIMALS, { signed: true }),
});

/**
 * The rows of the breakdown. An effect is the weight times the distance of the score from 50. Displayed points and effects
 * add up to their totals. Without a verdict, each weight is the specified one.
 */
export function breakdownOf({ rows, score }: Signal, putCallIsDue: boolean) {
  const weights = weightTexts(rows.map(({ share, weight }) => (score === null ? weight : share)));
  const exact = rows.map(({ points }) => points ?? 0);
  const total = exact.reduce((sum, points) => sum + points, 0);
  const shown = apportion(exact, total, DISPLAYED_DECIMALS.points);
  const pulls = rows.map(({ points, share }) => (points ?? 0) - ((share ?? 0) * MIDDLE) / WHOLE);
  const effects = apportion(pulls, effectOf(shown), EFFECT_DECIMALS);
  return rows.map((row, at) => ({
    input: row.input,
    name: INPUT_NAMES[row.input],
    ...(row.age !== 'newest' && row.session !== null && { olderSession: row.session }),
    weightText: weights[at] ?? UNKNOWN,
    score: figureOf('score', row.score),
    points: figureOf('points', row.points === null ? null : (shown[at] ?? null)),
    effect: effectFigure(row.points === null ? null : (effects[at] ?? null)),
    note: noteOf(row, putCallIsDue),
  }));
}

export type SignalRow = ReturnType<typeof breakdownOf>[number];

function breakdownView(signal: Signal, putCallIsDue: boolean) {
  const rows = breakdownOf(signal, putCallIsDue);
  const score = figureOf('score', signal.score);
  const effect = score.value === null ? null : effectOf(rows.map(({ points }) => points.value ?? 0));
  return {
    headline: signalHeadline(signal, rows),
    rows,
    totalText: pointsTotal({ score, rows }),
    effectText: effectFigure(effect).text,
  };
}

/** The breakdown of a stored score. Null if the formula computes another score from the stored inputs. */
export function storedBreakdown(inputs: SignalInputs, score: number) {
  const signal = decideSignal(inputs);
  return signal.score === score ? breakdownView(signal, false) : null;
}
export type BreakdownView = NonNullable<ReturnType<typeof storedBreakdown>>;

function distancesOf(score: number | null) {
  if (score === null) return [];
  return otherVerdicts(score).map(({ verdict, direction, line, distance }) => ({
    verdict,
    direction,
    edgeText: figureOf('score', line).text,
    text: `${figureOf('score', distance).text} away`,
  }));
}

function nextOf(next: NextVerdict | null) {
  if (next === null) return null;
  const distance = figureOf('score', next.distance);
  const { lever } = next;
  const way =
    lever === null
      ? 'only if several inputs changed.'
      : `if ${INPUT_NAMES[lever.input]} alone went from ${figureOf('score', lever.from).text} to ${figureOf('score', lever.to).text}.`;
  return {
    verdict: next.verdict,
    distance,
    title: `Would turn to ${next.verdict}`,
    direction: next.direction,
    text: way,
  };
}

/** '6.1 points up, if Breadth alone went from 40.0 to 55.0.'. */
export const nextText = ({ distance, direction, text }: NonNullable<ReturnType<typeof nextOf>>): string =>
  `${distance.text} points ${direction}, ${text}`;

/** The number of inputs without which the verdict would be another one, each left out alone; null if none can be. */
function omittedTextOf(signal: Signal): string | null {
  const verdicts = SIGNAL_INPUTS.map((input) => verdictWithout(signal, input)).filter(
    (verdict) => verdict !== null,
  );
  if (verdicts.length === 0) return null;
  const others = verdicts.filter((verdict) => verdict !== signal.verdict).length;
  if (others === 0) return `Still ${signal.verdict} if any one input is left out.`;
  return `Another verdict if one input is left out: ${others} of ${verdicts.length}.`;
}

function rangeOf({ range, rows }: Signal) {
  if (range === null) return null;
  const { low, high } = range;
  const first = VERDICTS.findIndex(({ verdict }) => verdict === verdictOf(high));
  const last = VERDICTS.findIndex(({ verdict }) => verdict === verdictOf(low));
  const verdicts = VERDICTS.slice(first, last + 1).map(({ verdict }) => verdict);
  const span = `from ${figureOf('score', low).text} to ${figureOf('score', high).text}`;
  const reading = verdicts.length === 1 ? `${verdicts[0]} throughout` : verdicts.reverse().join(' or ');
  const absent = rows.filter(({ score }) => score === null).map(({ input }) => INPUT_NAMES[input]);
  const subject = absent.length > 1 ? `${absent.length} inputs` : (absent[0] ?? 'Part of an input');
  const chipText = `${subject} missing: ${verdicts.length === 1 ? `still ${verdicts[0]}` : `${reading} possible`}`;
  return {
    low,
    high,
    chipText,
    text: `With every input measured, the score could be anywhere ${span}: ${reading}.`,
  };
}

/** The sessions of the inputs that count. `mixed`: a part of Fear & Greed is older than its row. `otherSet` is a note on the stocks. */
function sessionsTextOf({ rows }: Signal, mixed: boolean, otherSet: string | null): string | null {
  const counted = rows.filter(({ age }) => age !== 'expired');
  const sessions = counted.flatMap(({ session }) => session ?? []).sort();
  const [first] = sessions;
  const last = sessions.at(-1);
  if (first === undefined || last === undefined) return null;
  const span =
    first === last
      ? `from the session of ${writeDay(first)}`
      : `from the sessions of ${writeDay(first)} to ${writeDay(last)}`;
  const isPart = counted.some(({ input, score }) => input === 'fearGreed' && score !== null);
  const all = first === last ? `all ${span}` : span;
  const text = mixed && isPart ? `${span}, Fear & Greed in part from an earlier one` : all;
  return otherSet === null ? text : `${text}. ${otherSet}`;
}

/** Only the mail lists the parts. */
const withoutParts = ({ parts: _, ...shown }: WeeklyChange) => shown;

/** 'SELL 0 to 41, HOLD 41 to 61, BUY 61 to 100'. */
const CUTS = SIGNAL_ZONES.map(({ verdict, from, to }) => `${verdict} ${from} to ${to}`).join(', ');

/** The signal card. Not null even if nothing is measured. */
export function signalView(rows: DashboardRows, now: number) {
  const signal = decideSignal(currentInputs(rows));
  const newest = newestInstant(signalRows(rows));
  const score = figureOf('score', signal.score);
  const verdict: Verdict | 'Insufficient data' =
    signal.verdict === 'insufficient' ? 'Insufficient data' : signal.verdict;
  const range = rangeOf(signal);
  const place = score.value === null ? verdict : `Score ${score.text} of 100: ${verdict}`;
  const incomplete = signal.rows.filter(({ score, missing }) => score !== null && missing.length > 0).length;
  const inputsText = `${signal.present} of ${SIGNAL_INPUTS.length} inputs${incomplete === 0 ? '' : `, ${incomplete} incomplete`}`;
  const isMixed = rows.fearGreed.current?.earlier_components != null;
  const sessions = sessionsTextOf(signal, isMixed, otherSetText(rows));
  const change = sinceLastWeek(signal, rows);
  return {
    verdict,
    score,
    range,
    scaleText: `${place}. ${range === null ? '' : `${range.text} `}Scale: ${CUTS}.`,
    inputsText,
    measuredText: `${inputsText}${sessions === null ? '' : `, ${sessions}`}.`,
    asOf: newest === null ? null : asOf(newest),
    ...breakdownView(signal, putCallDue(rows, now)),
    distances: distancesOf(score.value),
    next: nextOf(signal.next),
    omittedText: omittedTextOf(signal),
    sinceLastWeek: change && withoutParts(change),
    changeNote: change?.parts === null ? ', with other inputs' : '',
    disclaimer: DISCLAIMER,
  };
}
export type SignalView = ReturnType<typeof signalView>;

type Side = Exclude<Pull, 'neither'>;

/** The name of an input in the sentence. A judging word is that of the input's own bands (specification, reading 28). */
const PHRASES: Record<SignalInput, (score: number, side: Side) => string> = {
  fearGreed: (score) => `${fearGreedBand(score).label} among investors`,
  overallStrength: (score) => `${metricBand(score).label} overall strength`,
  marketExposure: (score) => `${metricBand(score).label} market exposure`,
  sentiment: (score) => `${sentimentBand(score).level} sentiment`,
  advancedIndicators: () => 'the advanced indicators',
  sectors: () => 'the sectors',
  breadth: (_, side) => (side === 'lifts' ? 'most stocks advancing' : 'fewer than half of stocks advancing'),
};

const NAMED = 2;
const WORDS = { lifts: 'lifted', holdsBack: 'held back' } as const satisfies Record<Side, string>;
const NOTHING = {
  lifts: 'nothing holds it back',
  holdsBack: 'nothing lifts it',
} as const satisfies Record<Side, string>;

/** 'the sectors (+3.30 points)'. */
const nameOf = ({ input, score, effect }: SignalRow, side: Side, unit = '') =>
  `${PHRASES[input](score.value ?? 0, side).toLowerCase()} (${effect.text}${unit})`;

/** One sentence with the two inputs that move the score most away from 50. Without a score, the weight that is measured. */
export function signalHeadline(
  { score, weightMeasured }: Pick<Signal, 'score' | 'weightMeasured'>,
  rows: readonly SignalRow[],
): string {
  if (score === null) {
    const measured = roundTo(weightMeasured, DISPLAYED_DECIMALS.score);
    return `Too little of the market has been measured: ${measured}% of the weight. A signal needs ${ENOUGH_WEIGHT}%.`;
  }
  const pulls = rows
    .flatMap((row) => {
      const side = row.score.value === null ? 'neither' : pullOf(row.score.value);
      return side === 'neither' ? [] : [{ side, row, size: Math.abs(row.effect.value ?? 0) }];
    })
    .sort((a, b) => b.size - a.size);
  const [first, second] = pulls.slice(0, NAMED);
  if (first === undefined) return 'Every input of the score is near the middle.';
  const { side } = first;
  const begin = `${WORDS[side]} by ${nameOf(first.row, side, ' points')}`;
  const others = second === undefined ? '' : nameOf(second.row, second.side);
  const both = second === undefined || second.side !== side ? begin : `${begin} and ${others}`;
  // The breakdown shows effects of inputs near the middle too.
  const isOneSided = rows.every(({ effect }) => (effect.value ?? 0) * (first.row.effect.value ?? 0) >= 0);
  const end = second === undefined || second.side === side ? '' : `, ${WORDS[second.side]} by ${others}`;
  const sentence = `${both}${end}${isOneSided ? `; ${NOTHING[side]}` : ''}.`;
  return sentence.charAt(0).toUpperCase() + sentence.slice(1);
}
