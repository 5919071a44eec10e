import { DISPLAYED_DECIMALS } from '#domain/bands/precision.ts';
import { VERDICTS, verdictOf } from '#domain/bands/verdict.ts';
import { PUT_CALL, SIGNAL_INPUTS } from '#domain/signal/inputs.ts';
import type { NextVerdict } from '#domain/signal/next-verdict.ts';
import { type BreakdownRow, decideSignal, type Signal } from '#domain/signal/signal.ts';
import type { DashboardRows } from '#schema/dashboard.ts';
import { asOf, writeDay } from './day.ts';
import { INPUT_NAMES } from './input-names.ts';
import type { SignalRow, SignalView } from './model.ts';
import { figureOf, UNKNOWN, writeNumber } from './number.ts';
import { newestInstant, type Observed } from './observed.ts';
import { putCallDue } from './put-call-due.ts';
import { signalHeadline } from './signal-headline.ts';
import { signalInputs, signalRows } from './signal-inputs.ts';
import { sinceLastWeek } from './since-last-week.ts';
import { zonesOf } from './zones.ts';

const DISCLAIMER = 'This signal is for informational purposes only and is not financial advice.';
/** More missing parts than this are counted, not named. */
const NAMED_PARTS = 2;

function noteOf({ score, missing }: BreakdownRow, putCallIsDue: boolean): string | null {
  if (score === null) return 'not measured';
  if (missing.length === 0) return null;
  const until = putCallIsDue && missing.every((part) => part === PUT_CALL) ? ' until evening' : '';
  return `without ${missing.length > NAMED_PARTS ? `${missing.length} parts` : missing.join(' and ')}${until}`;
}

/** 20%, or 22.2% where missing inputs left their weight to the others. */
function writeWeight(weight: number | null): string {
  if (weight === null) return UNKNOWN;
  return writeNumber(weight, Number.isInteger(weight) ? 0 : DISPLAYED_DECIMALS.score, { suffix: '%' });
}

/** Without a verdict every weight stands as specified: there is nothing to share it among. */
function rowOf(row: BreakdownRow, decided: boolean, putCallIsDue: boolean): SignalRow {
  return {
    input: row.input,
    name: INPUT_NAMES[row.input],
    weight: row.weight,
    weightText: writeWeight(decided ? row.share : row.weight),
    score: figureOf('score', row.score),
    points: figureOf('score', row.points),
    note: noteOf(row, putCallIsDue),
  };
}

function nextOf(next: NextVerdict | null): SignalView['next'] {
  if (next === null) return null;
  const distance = figureOf('score', next.distance);
  const { lever } = next;
  const way =
    lever === null
      ? 'Several inputs would have to change.'
      : `${INPUT_NAMES[lever.input]} alone would do it, from ${figureOf('score', lever.from).text} to ${figureOf('score', lever.to).text}.`;
  return {
    verdict: next.verdict,
    distance,
    title: `To ${next.verdict}`,
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
  return { low, high, text: `Once everything is measured, anywhere ${span}: ${reading}.` };
}

/** Which sessions the inputs are of; `mixed` where a part of Fear & Greed is of an earlier one than its row. */
function sessionsTextOf(observed: readonly Observed[], mixed: boolean): string | null {
  const sessions = observed.map((row) => asOf(row.created_at).session).sort();
  const [first] = sessions;
  const last = sessions.at(-1);
  if (first === undefined || last === undefined) return null;
  const text =
    first === last
      ? `from the session of ${writeDay(first)}`
      : `from the sessions of ${writeDay(first)} to ${writeDay(last)}`;
  if (mixed) return `${text}, Fear & Greed in part from an earlier one`;
  return first === last ? `all ${text}` : text;
}

/** The signal card. Always there: with nothing measured it says so. */
export function signalView(rows: DashboardRows, now: number): SignalView {
  const signal = decideSignal(signalInputs(rows, rows.fearGreed.current?.index_value ?? null));
  const observed = signalRows(rows);
  const newest = newestInstant(observed);
  const putCallIsDue = putCallDue(rows, now);
  return {
    verdict: signal.verdict === 'insufficient' ? 'Insufficient data' : signal.verdict,
    score: figureOf('score', signal.score),
    range: rangeOf(signal.range),
    inputsText: `${signal.present} of ${SIGNAL_INPUTS.length} inputs`,
    sessionsText: sessionsTextOf(observed, rows.fearGreed.current?.mixed_sessions === true),
    asOf: newest === null ? null : asOf(newest),
    headline: signalHeadline(signal),
    rows: signal.rows.map((row) => rowOf(row, signal.score !== null, putCallIsDue)),
    zones: zonesOf(VERDICTS),
    next: nextOf(signal.next),
    sinceLastWeek: sinceLastWeek(signal, rows),
    disclaimer: DISCLAIMER,
  };
}
