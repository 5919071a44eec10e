import { DISPLAYED_DECIMALS, roundTo } from '#domain/bands/precision.ts';
import { pullOf, VERDICTS, type Verdict, verdictOf } from '#domain/bands/score-bands.ts';
import { isSessionClose } from '#domain/calendar/sessions.ts';
import { decideSignal } from '#domain/signal/decide-signal.ts';
import type { MarketIndexRow } from '#schema/columns.ts';
import type { DashboardRows } from '#schema/dashboard.ts';
import { writeClock } from './day.ts';
import { fearGreedView } from './fear-greed-view.ts';
import { figureOf, writeNumber } from './number.ts';
import { currentInputs, sp500Row } from './signal-inputs.ts';
import { signalView } from './signal-view.ts';
import { sinceLastWeek } from './since-last-week.ts';
import { demoView } from './sources-view.ts';
import { SIGNAL_ZONES } from './zones.ts';

const rankOf = (verdict: Verdict) => VERDICTS.findIndex((one) => one.verdict === verdict);

/** '54', or '60.9' if the rounded number would belong to another verdict. */
function shortScore(score: number, verdict: Verdict): string {
  const whole = roundTo(score, 0);
  return verdictOf(whole) === verdict ? writeNumber(whole, 0) : writeNumber(score, DISPLAYED_DECIMALS.score);
}

function newsOf(verdict: Verdict, { sinceLastWeek, next }: ReturnType<typeof signalView>): string | null {
  if (sinceLastWeek !== null) {
    const { verdict: then, change } = sinceLastWeek;
    if (then !== verdict) return `${rankOf(verdict) < rankOf(then) ? 'up' : 'down'} from ${then} last week`;
    const moved = change.value ?? 0;
    if (moved === 0) return 'unchanged since last week';
    return `${moved > 0 ? 'up' : 'down'} ${figureOf('score', Math.abs(moved)).text} since last week`;
  }
  return next === null ? null : `${next.distance.text} points to ${next.verdict}`;
}

function subjectOf(verdict: Verdict, score: number, news: string | null, isDemo: boolean): string {
  const about = `${verdict} ${shortScore(score, verdict)}${isDemo ? ' (demo data)' : ''}`;
  return news === null ? about : `${about}: ${news}`;
}

function sp500Of({ name, price, created_at }: MarketIndexRow) {
  const instant = Date.parse(created_at);
  const atText = isSessionClose(instant) ? 'at the close' : `at ${writeClock(instant)} New York time`;
  return { name, price: figureOf('price', price), atText };
}

/** The weekly signal with the texts of the page; null without a verdict. `now` is epoch ms. */
export function weeklySignalView(rows: DashboardRows, now: number, riskText: string | null = null) {
  const signal = signalView(rows, now);
  const { verdict, score, asOf, range, inputsText, measuredText, headline, next, disclaimer } = signal;
  if (verdict === 'Insufficient data' || score.value === null || asOf === null) return null;
  const demo = demoView(rows);
  // The mail has one date, so Fear & Greed of another session is left out, as is the S&P 500.
  // Its week ends with that session, like the week of the score.
  const shown = fearGreedView({ ...rows.fearGreed, oneWeekAgo: rows.weekAgo.fearGreed }, null);
  const fearGreed = shown?.asOf.session === asOf.session ? shown : null;
  const [lastWeek = null] = (fearGreed?.earlier ?? []).flatMap(({ key, name: _, session: __, ...reading }) =>
    key === 'oneWeekAgo' ? [reading] : [],
  );
  const sp500 = sp500Row(rows, asOf.session);
  return {
    ...{
      subject: subjectOf(verdict, score.value, newsOf(verdict, signal), demo !== null),
      verdict,
      score,
      // The mail has no chip.
      range: range && { low: range.low, high: range.high, text: range.text },
      asOf,
    },
    ...{ inputsText, measuredText, headline, zones: SIGNAL_ZONES, next },
    // The headline names effects unless every input is near the middle.
    effectsNote: signal.rows.some((row) => row.score.value !== null && pullOf(row.score.value) !== 'neither')
      ? 'In brackets: points against a score of 50.'
      : null,
    // The mail has no bars.
    rows: signal.rows.map(({ effect: _, ...row }) => row),
    sinceLastWeek: sinceLastWeek(decideSignal(currentInputs(rows)), rows),
    fearGreed: fearGreed && { current: fearGreed.current, lastWeek },
    sp500: sp500 && sp500Of(sp500),
    ...{ riskText, demo, disclaimer },
  };
}
export type WeeklySignalView = NonNullable<ReturnType<typeof weeklySignalView>>;
