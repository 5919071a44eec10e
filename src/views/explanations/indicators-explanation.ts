import {
  HIGH_LOW_BANDS,
  MCCLELLAN_BANDS,
  PUT_CALL_BANDS,
  TICK_BANDS,
  TRIN_BANDS,
  VIX_BANDS,
} from '#domain/bands/indicator-bands.ts';
import { EXCHANGE } from '#domain/breadth/universe.ts';
import { SMOOTHING_SESSIONS } from '#domain/indicators/high-low-index.ts';
import { FAST_SPAN, SLOW_SPAN } from '#domain/indicators/mcclellan.ts';
import { EXCHANGE_ISSUES } from '#domain/indicators/tick.ts';
import { writeNumber } from '../number.ts';
import { bandsOver, bandsUnder } from './band-words.ts';
import type { Explanation } from './explanation.ts';

/** The weight of the newest value in an exponential average over `span` values, as text. */
const percentOf = (span: number) => `${200 / (span + 1)}%`;

/** The seven advanced indicators. */
export const INDICATOR_EXPLANATIONS = {
  vix: {
    name: 'VIX',
    text: 'The VIX is how much the S&P 500 is expected to swing over the next 30 days, in percent a year. The options exchange Cboe computes it from the prices of options on the S&P 500, and it stands here as the data source gives it.',
    bands: bandsUnder(VIX_BANDS),
  },
  vixChange: {
    name: 'VIX Change',
    text: 'VIX Change tells whether the expected swings have grown, which usually means worry, or shrunk. It is the VIX less the VIX of the trading day before, in points.',
    bands: null,
  },
  putCallRatio: {
    name: 'Put/Call Ratio',
    text: 'The Put/Call Ratio sets options that gain when prices fall (puts) against options that gain when prices rise (calls). It is the number of all puts traded in the day divided by the number of all calls, as the data source gives it.',
    bands: bandsUnder(PUT_CALL_BANDS),
  },
  trin: {
    name: 'TRIN',
    text: `TRIN, the Arms index, tells whether trading favours rising stocks (below 1) or falling ones (above 1). It is the ratio of advancing to declining stocks divided by the ratio of the volume traded in them, as the ${EXCHANGE} publishes it after the close where available, else over the stocks followed.`,
    bands: bandsUnder(TRIN_BANDS),
  },
  mcclellanOscillator: {
    name: 'McClellan Oscillator',
    text: `The McClellan Oscillator tells whether the balance of rising and falling stocks is improving (above 0) or worsening (below 0). Advancing less declining stocks, per thousand of both together, are averaged twice, with a weight of ${percentOf(FAST_SPAN)} and of ${percentOf(SLOW_SPAN)} for the newest day, and the slower average is taken from the faster: over ${EXCHANGE} counts where available, else over the stocks followed.`,
    bands: bandsOver(MCCLELLAN_BANDS),
  },
  highLowIndex: {
    name: 'High/Low Index',
    text: `The High/Low Index tells whether more stocks reach a new high or a new low. Each day's new 52-week highs are taken as a percentage of its new highs and lows together and averaged over ${SMOOTHING_SESSIONS} trading days, over ${EXCHANGE} counts where available, else over the stocks followed.`,
    bands: bandsOver(HIGH_LOW_BANDS),
  },
  tickIndex: {
    name: 'TICK Index',
    text: `The TICK Index is how many more stocks traded up than down at their last trade, at one moment of the day. It stands here as a proxy where the data source has one-minute prices: the stocks followed whose last one-minute close was higher than the one before, less those whose was lower, scaled to ${writeNumber(EXCHANGE_ISSUES, 0)} stocks of the exchange.`,
    bands: `${bandsOver(TICK_BANDS).slice(0, -1)}, whether above 0 or below it.`,
  },
} satisfies Record<string, Explanation>;
