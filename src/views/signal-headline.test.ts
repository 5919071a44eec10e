import { expect, it } from 'vitest';
import { decideSignal } from '#domain/signal/decide-signal.ts';
import { SIGNAL_INPUTS, type SignalInput, type SignalInputs } from '#domain/signal/inputs.ts';
import { CLOSE, FULL, fullWith } from '#tests/support/dashboard-rows.ts';
import { dashboardView } from './dashboard-view.ts';
import { signalHeadline } from './signal-headline.ts';
import { breakdownOf } from './signal-view.ts';

function headlineOf(scores: Partial<Record<SignalInput, number | null>>, rest: number | null = 50): string {
  const inputs = SIGNAL_INPUTS.map((input) => [
    input,
    { session: null, parts: [{ name: input, score: input in scores ? (scores[input] ?? null) : rest }] },
  ]);
  const signal = decideSignal(Object.fromEntries(inputs) as SignalInputs);
  return signalHeadline(signal, breakdownOf(signal, false));
}

const MIXED = {
  fearGreed: 30,
  marketExposure: 20,
  sectors: 44,
  overallStrength: 70,
  breadth: 85,
  sentiment: 60,
};
const NEAR = /^Every input of the score is near the middle\.$/;

it.each<[Parameters<typeof headlineOf>[0], string | RegExp]>([
  [MIXED, 'Held back by fear among investors (−4.00 points), lifted by high overall strength (+4.00).'],
  // No input pulls the other way.
  [{ sentiment: 80 }, 'Lifted by very bullish sentiment (+4.50 points); nothing holds it back.'],
  [{ advancedIndicators: 10 }, 'Held back by the advanced indicators (−6.00 points); nothing lifts it.'],
  [{ sentiment: 80, breadth: 49 }, /^Lifted by very bullish sentiment \(\+4\.50 points\)\.$/],
  [{ sentiment: 80, breadth: 49.99 }, /; nothing holds it back\.$/],
  [{}, NEAR],
  // The shown number decides.
  [{ fearGreed: 54.94 }, NEAR],
  [{ fearGreed: 54.95 }, /^Lifted by greed/],
  [{ fearGreed: 44.95 }, NEAR],
  [{ fearGreed: 44.94 }, /^Held back by fear/],
])('names the two inputs that move the score most, with their points: %j', (scores, sentence) => {
  expect(headlineOf(scores)).toMatch(sentence);
});

it('has the word that the page shows beside the same number [R28]', () => {
  const rows = fullWith({ metrics: { overall_strength: 38.6, market_exposure: 30 } });
  const { signal, metrics: cards } = dashboardView(rows, Date.parse('2026-11-13T21:30:00Z'));
  expect(cards?.cards.map(({ label }) => label)).toEqual(['Low', 'Moderate']);
  expect(signal.headline).toMatch(/held back by moderate overall strength \(−2\.28\)\.$/);
  expect(headlineOf({ fearGreed: 20, sentiment: 40 })).toMatch(
    /^Held back by extreme fear among investors \(−6\.00 points\) and bearish sentiment \(−1\.50\);/,
  );
});

it('states the weight that decides if there is no verdict: an input with missing parts counts in part', () => {
  const { headline } = dashboardView({ ...FULL, metrics: null }, Date.parse(CLOSE)).signal;
  // Without both metrics, a third of the sentiment and a sector of eleven: 100 − 30 − 5 − 10 / 11.
  const reason = (share: string) =>
    `Too little of the market has been measured: ${share} of the weight. A signal needs 70%.`;
  expect([headline, headlineOf({}, null)]).toEqual([reason('64.1%'), reason('0%')]);
});
