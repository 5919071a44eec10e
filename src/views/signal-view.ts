import { DISPLAYED_DECIMALS, roundTo } from '#domain/bands/precision.ts';
import { VERDICTS, verdictOf } from '#domain/bands/score-bands.ts';
import { apportion } from '#domain/signal/apportion.ts';
import { type BreakdownRow, decideSignal, type Signal } from '#domain/signal/decide-signal.ts';
import { PUT_CALL, SIGNAL_INPUTS, type SignalInput } from '#domain/signal/inputs.ts';
import type { NextVerdict } from '#domain/signal/next-verdict.ts';
import type { DashboardRows } from '#schema/dashboard.ts';
import { asOf, writeDate, writeDay } from './day.ts';
import type { SignalRow, SignalView } from './model.ts';
import { type Figure, figureOf, UNKNOWN, writeNumber } from './number.ts';
import { newestInstant } from './observed.ts';
import { otherSetText } from './other-set.ts';
import { signalHeadline } from './signal-headline.ts';
import { currentInputs, INPUT_NAMES, putCallDue, signalRows } from './signal-inputs.ts';
import { sinceLastWeek } from './since-last-week.ts';
import { SIGNAL_ZONES } from './zones.ts';

/** The sum of the displayed points, as text; '—' without a verdict. The score is this sum rounded to one decimal. */
export function pointsTotal({ score, rows }: { score: Figure; rows: readonly SignalRow[] }): string {
  if (score.value === null) return score.text;
  const total = rows.reduce((sum, { points }) => sum + (points.value ?? 0), 0);
  return total.toFixed(DISPLAYED_DECIMALS.points);
}

const WHOLE = 100;
/** With these decimals, the weights add up for every set of missing inputs. */
const MOST_DECIMALS = 4;

/** Stands wherever a verdict stands (specification, reading 29). */
export const DESCRIBES = 'It describes the market and does not forecast it.';
export const DISCLAIMER = `This signal is for informational purposes only and is not financial advice. ${DESCRIBES}`;
/** If more parts than this are missing, the text has their number instead of their names. */
const NAMED_PARTS = 2;
/** The parts of the inputs that have several. */
const PART_NAMES: Partial<Record<SignalInput, string>> = {
  sentiment: 'terms',
  advancedIndicators: 'indicators',
  sectors: 'sectors',
};

/** The missing parts of an input; null if it is complete. */
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

/** The session of an input that is older than the newest one, and its missing parts; null if neither applies. */
function noteOf(row: BreakdownRow, putCallIsDue: boolean): string | null {
  const { session, age } = row;
  const parts = partsNote(row, putCallIsDue);
  if (session === null || age === 'newest') return parts;
  if (age === 'expired') return `too old: ${writeDay(session)}`;
  const of = `as of ${writeDate(session)}`;
  return parts === null ? of : `${of}, ${parts}`;
}

/**
 * The weights as displayed: '20%', or '22.22%' if the weight of missing inputs is shared among the others. All have the
 * fewest decimals with which they add up to 100 (specification, reading 24).
 */
function weightTexts(weights: readonly (number | null)[]): string[] {
  let decimals: number = DISPLAYED_DECIMALS.weight;
  const sum = () => weights.reduce<number>((total, weight) => total + roundTo(weight ?? 0, decimals), 0);
  while (roundTo(sum(), decimals) !== WHOLE && decimals < MOST_DECIMALS) decimals += 1;
  return weights.map((weight) =>
    weight === null ? UNKNOWN : writeNumber(weight, Number.isInteger(weight) ? 0 : decimals, { suffix: '%' }),
  );
}

/** The rows of the breakdown. The displayed points add up. If there is no verdict, each weight is the specified one. */
export function breakdownOf({ rows, score }: Signal, putCallIsDue: boolean): SignalRow[] {
  const weights = weightTexts(rows.map(({ share, weight }) => (score === null ? weight : share)));
  const exact = rows.map(({ points }) => points ?? 0);
  const total = exact.reduce((sum, points) => sum + points, 0);
  const shown = apportion(exact, total, DISPLAYED_DECIMALS.points);
  return rows.map((row, at) => ({
    input: row.input,
    name: INPUT_NAMES[row.input],
    ...(row.age !== 'newest' && row.session !== null && { olderSession: row.session }),
    weightText: weights[at] ?? UNKNOWN,
    score: figureOf('score', row.score),
    points: figureOf('points', row.points === null ? null : (shown[at] ?? null)),
    note: noteOf(row, putCallIsDue),
  }));
}

function nextOf(next: NextVerdict | null): SignalView['next'] {
  if (next === null) return null;
  const distance = figureOf('score', next.distance);
  const { lever } = next;
  const way =
    lever === null
      ? 'Several inputs would have to change.'
      : `${INPUT_NAMES[lever.input]} alone is enough, from ${figureOf('score', lever.from).text} to ${figureOf('score', lever.to).text}.`;
  return {
    verdict: next.verdict,
    distance,
    title: `Would turn to ${next.verdict}`,
    text: `${distance.text} points ${next.direction}. ${way}`,
  };
}

/** The least and greatest score, and every verdict between them. */
function rangeOf(range: Signal['range']): SignalView['range'] {
  if (range === null) return null;
  const { low, high } = range;
  const first = VERDICTS.findIndex(({ verdict }) => verdict === verdictOf(high));
  const last = VERDICTS.findIndex(({ verdict }) => verdict === verdictOf(low));
  const verdicts = VERDICTS.slice(first, last + 1).map(({ verdict }) => verdict);
  const span = `from ${figureOf('score', low).text} to ${figureOf('score', high).text}`;
  const reading = verdicts.length === 1 ? `${verdicts[0]} throughout` : verdicts.reverse().join(' or ');
  return { low, high, text: `With every input measured, the score could be anywhere ${span}: ${reading}.` };
}

/** 'Score 56.9 of 100: HOLD. Scale: SELL 0 to 41, HOLD 41 to 61, BUY 61 to 100.' */
function scaleTextOf({ score, range, verdict }: Pick<SignalView, 'score' | 'range' | 'verdict'>): string {
  const cuts = SIGNAL_ZONES.map((zone) => `${zone.verdict} ${zone.from} to ${zone.to}`).join(', ');
  const place = score.value === null ? verdict : `Score ${score.text} of 100: ${verdict}`;
  return `${place}. ${range === null ? '' : `${range.text} `}Scale: ${cuts}.`;
}

/**
 * The sessions of the inputs that count, and `otherSet`, the note on the stocks that an open session counts. `mixed` is
 * true if a part of Fear & Greed is from an earlier session than its row.
 */
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

/** The change since last week without its parts, which only the mail lists. */
function changeOf(signal: Signal, rows: DashboardRows): SignalView['sinceLastWeek'] {
  const change = sinceLastWeek(signal, rows);
  if (change === null) return null;
  const { parts: _, ...shown } = change;
  return shown;
}

const inputsTextOf = ({ present }: Signal) => `${present} of ${SIGNAL_INPUTS.length} inputs`;

function measuredTextOf(signal: Signal, mixed: boolean, otherSet: string | null): string {
  const sessions = sessionsTextOf(signal, mixed, otherSet);
  return `${inputsTextOf(signal)}${sessions === null ? '' : `, ${sessions}`}.`;
}

/** The signal card. Not null even if nothing is measured. */
export function signalView(rows: DashboardRows, now: number): SignalView {
  const signal = decideSignal(currentInputs(rows));
  const newest = newestInstant(signalRows(rows));
  const putCallIsDue = putCallDue(rows, now);
  const score = figureOf('score', signal.score);
  const breakdown = breakdownOf(signal, putCallIsDue);
  const verdict = signal.verdict === 'insufficient' ? 'Insufficient data' : signal.verdict;
  const range = rangeOf(signal.range);
  return {
    verdict,
    score,
    range,
    scaleText: scaleTextOf({ score, range, verdict }),
    inputsText: inputsTextOf(signal),
    measuredText: measuredTextOf(signal, rows.fearGreed.current?.mixed_sessions === true, otherSetText(rows)),
    asOf: newest === null ? null : asOf(newest),
    headline: signalHeadline(signal),
    rows: breakdown,
    totalText: pointsTotal({ score, rows: breakdown }),
    next: nextOf(signal.next),
    sinceLastWeek: changeOf(signal, rows),
    disclaimer: DISCLAIMER,
  };
}
