import { VERDICTS } from '#domain/bands/score-bands.ts';
import { ENOUGH_WEIGHT } from '#domain/signal/decide-signal.ts';
import { SESSIONS_KEPT, SIGNAL_INPUTS, SIGNAL_WEIGHTS, type SignalInput } from '#domain/signal/inputs.ts';
import { describeBandsUpward, type Explanation } from './band-words.ts';
import { INPUT_NAMES } from './signal-inputs.ts';

const weighted = (input: SignalInput) => `${INPUT_NAMES[input]} (${SIGNAL_WEIGHTS[input]}%)`;
const WEIGHTED = SIGNAL_INPUTS.map(weighted);

export const SIGNAL_EXPLANATIONS = {
  signal: {
    name: 'Market Signal',
    text: `The Market Signal summarises the whole page in one score from 0 to 100 and a verdict: BUY, HOLD or SELL. The score is the weighted average of seven inputs, each from 0 to 100: ${WEIGHTED.slice(0, -1).join(', ')} and ${WEIGHTED.at(-1)}.`,
    bands: describeBandsUpward(VERDICTS.map(({ from, verdict }) => ({ from, label: verdict }))),
  },
  breakdown: {
    name: 'Signal Breakdown',
    text: `The Signal Breakdown shows how many points each input adds to the score of the Market Signal. Points are the shown score times the weight. Their exact sum, rounded once to one decimal, is the score of the signal. An input that is missing or more than ${SESSIONS_KEPT} trading days older than the newest one leaves its weight to the others. With less than ${ENOUGH_WEIGHT}% of the weight measured there is no verdict.`,
  },
  advancedIndicators: {
    name: 'Advanced Indicators',
    text: 'Advanced Indicators is the part of the Market Signal that covers expected moves, option trading, and rising against falling stocks, as one score from 0 to 100. It is the average of 100 − 2 × VIX, (1.5 − Put/Call Ratio) × 100 and McClellan Oscillator + 50, each limited to 0 to 100.',
  },
} satisfies Record<string, Explanation>;
