import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { DISPLAYED_DECIMALS } from '../bands/precision.ts';
import { VERDICTS } from '../bands/score-bands.ts';
import { decideSignal, ENOUGH_PARTS, ENOUGH_WEIGHT, SIGNAL_FORMULA } from './decide-signal.ts';
import {
  advancingShare,
  indicatorParts,
  SESSIONS_KEPT,
  SIGNAL_INPUTS,
  SIGNAL_WEIGHTS,
  type SignalInputs,
} from './inputs.ts';

/** The formula of the version. Never edit it: a changed formula is a new version. */
const FORMULAS: Record<string, unknown> = {
  '3': {
    weights:
      'fearGreed 20 overallStrength 20 marketExposure 10 sentiment 15 advancedIndicators 15 sectors 10 breadth 10',
    verdicts: '61 BUY 41 HOLD -Infinity SELL',
    shares: [70, 2 / 3],
    sessionsKept: 5,
    decimals: [1, 3, 2],
    indicators: '100/100/0 100/100/0 66/64/32 50/50/50 40/0/68 0/0/100 0/0/100',
    advancing: [54.48, 0, 100, null],
    decided: '37547394',
  },
};

/** A digest (eight characters) of signals for all kinds of inputs. */
function decided(): string {
  let seed = 11;
  const random = () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed / 2_147_483_647;
  };
  const hash = createHash('sha256');
  for (let round = 0; round < 500; round += 1) {
    const inputs = SIGNAL_INPUTS.map((input) => {
      const parts =
        input === 'sectors' ? 11 : input === 'sentiment' || input === 'advancedIndicators' ? 3 : 1;
      const scores = Array.from({ length: parts }, () => (random() < 0.1 ? null : 100 * random()));
      return [input, { session: null, parts: scores.map((score) => ({ name: input, score })) }];
    });
    const { verdict, score, range } = decideSignal(Object.fromEntries(inputs) as SignalInputs);
    hash.update(JSON.stringify([verdict, score, range]));
  }
  return hash.digest('hex').slice(0, 8);
}

it('has another version after a change of the formula', () => {
  const scores = [
    [0, 0.5, -80],
    [-1, 0.2, -50],
    [17, 0.86, -18],
    [25, 1, 0],
    [30, 1.5, 18],
    [50, 2, 50],
    [80, 3, 90],
  ].map(([vix = 0, putCallRatio = 0, mcclellanOscillator = 0]) =>
    indicatorParts({ vix, putCallRatio, mcclellanOscillator })
      .map(({ score }) => Number((score ?? Number.NaN).toFixed(6)))
      .join('/'),
  );
  expect(FORMULAS[SIGNAL_FORMULA]).toEqual({
    weights: Object.entries(SIGNAL_WEIGHTS).flat().join(' '),
    verdicts: VERDICTS.flatMap(({ from, verdict }) => [from, verdict]).join(' '),
    shares: [ENOUGH_WEIGHT, ENOUGH_PARTS],
    sessionsKept: SESSIONS_KEPT,
    decimals: [DISPLAYED_DECIMALS.score, DISPLAYED_DECIMALS.points, DISPLAYED_DECIMALS.weight],
    indicators: scores.join(' '),
    advancing: [
      advancingShare(1362, 1032, 106),
      advancingShare(0, 1, 0),
      advancingShare(5, 0, 0),
      advancingShare(0, 0, 0),
    ],
    decided: decided(),
  });
});
