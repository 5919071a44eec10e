import { DISPLAYED_DECIMALS } from '#domain/bands/precision.ts';
import { apportion } from '#domain/signal/apportion.ts';
import { decideSignal, type Signal } from '#domain/signal/decide-signal.ts';
import type { SignalInput } from '#domain/signal/inputs.ts';
import type { DashboardRows } from '#schema/dashboard.ts';
import { asOf, writeDay } from './day.ts';
import { capitalised, figureOf, toneOfChange } from './number.ts';
import { newestInstant, observedMarket } from './observed.ts';
import { INPUT_NAMES, signalInputs, signalRows } from './signal-inputs.ts';

const SHORT_NAMES: Record<SignalInput, string> = {
  fearGreed: 'Fear & Greed',
  overallStrength: 'overall strength',
  marketExposure: 'exposure',
  sentiment: 'sentiment',
  advancedIndicators: 'indicators',
  sectors: 'sectors',
  breadth: 'breadth',
};
const OTHERS = 'others';
const NAMED = 2;

const signed = (change: number | null) => figureOf('score', change, { signed: true });

function unlike(now: Signal, then: Signal): string | null {
  const same = now.rows.every((row, index) => (row.points === null) === (then.rows[index]?.points === null));
  if (same) return null;
  return `${then.present} of ${then.rows.length} inputs were measured then, ${now.present} now, so the parts cannot be compared`;
}

/** The differences of the points of each input, rounded so that they add up to the change of the shown scores. */
function partsOf(now: Signal, then: Signal) {
  const differences = now.rows.map(({ points }, index) => (points ?? 0) - (then.rows[index]?.points ?? 0));
  const change = (now.score ?? 0) - (then.score ?? 0);
  const changes = apportion(differences, change, DISPLAYED_DECIMALS.score);
  return now.rows.map(({ input, points }, index) => ({
    input,
    name: INPUT_NAMES[input],
    change: signed(points === null ? null : (changes[index] ?? null)),
  }));
}

function contributions(parts: ReturnType<typeof partsOf>): string {
  const moved = parts
    .map(({ input, change }) => ({ name: SHORT_NAMES[input], change: change.value ?? 0 }))
    .filter(({ change }) => change !== 0)
    .sort((a, b) => Math.abs(b.change) - Math.abs(a.change));
  if (moved.length === 0) return 'no part has moved';
  // If only one input remains, its name replaces 'others'.
  const named = moved.length === NAMED + 1 ? moved : moved.slice(0, NAMED);
  const rest = moved.slice(named.length);
  const others = rest.reduce((sum, { change }) => sum + change, 0);
  return [...named, ...(rest.length === 0 ? [] : [{ name: OTHERS, change: others }])]
    .map(({ name, change }) => `${name} ${signed(change).text}`)
    .join(', ');
}

/** The signal compared with that of a week ago; null without both verdicts, or if no newer rows exist. */
export function sinceLastWeek(now: Signal, rows: DashboardRows) {
  const then = decideSignal(signalInputs(rows.weekAgo, rows.weekAgo.fearGreed));
  if (now.score === null || then.score === null || then.verdict === 'insufficient') return null;
  const observed = newestInstant(observedMarket(rows.weekAgo));
  const newest = newestInstant(signalRows(rows));
  if (observed === null || newest === null || newest <= observed) return null;
  const { session } = asOf(observed);
  const change = signed(now.score - then.score);
  const parts = partsOf(now, then);
  const incomparable = unlike(now, then);
  const told = incomparable ?? contributions(parts);
  return {
    title: 'Since last week',
    session,
    dateText: writeDay(session),
    change,
    tone: toneOfChange(change.value ?? 0),
    verdict: then.verdict,
    text:
      then.verdict === now.verdict ? capitalised(told) : `From ${then.verdict} to ${now.verdict}: ${told}`,
    parts: incomparable === null ? parts : null,
  };
}
export type WeeklyChange = NonNullable<ReturnType<typeof sinceLastWeek>>;
