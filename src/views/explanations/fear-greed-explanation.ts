import { FEAR_GREED_BANDS } from '#domain/bands/fear-greed-band.ts';
import { EXCHANGE } from '#domain/breadth/universe.ts';
import {
  HAVEN_SESSIONS,
  PUT_CALL_SESSIONS,
  STRENGTH_SESSIONS,
  TREASURY_DURATION,
} from '#domain/fear-greed/raw-series.ts';
import { LEAST_COMPONENTS, RANK_SESSIONS, VOLATILITY, Z_SESSIONS } from '#domain/fear-greed/score.ts';
import { bandsUnder } from './band-words.ts';
import type { Explanation } from './explanation.ts';

const BANDS = bandsUnder(FEAR_GREED_BANDS);
const { zSessions, calmScore, raised, alarming } = VOLATILITY;

/** The computation of a component's score. If higher values mean fear, the score counts the higher readings. */
const ranked = (counted: 'lower' | 'higher') =>
  `measured in usual swings (standard deviations) from its ${Z_SESSIONS}-day average, and the score is the percentage of the last ${RANK_SESSIONS} such readings that were ${counted} than today's`;

/** The index and its seven components, by the column each is stored in. */
export const FEAR_GREED_EXPLANATIONS = {
  fearGreed: {
    name: 'Fear & Greed',
    text: `The Fear & Greed index tells on a scale from 0 to 100 whether fear (low) or greed (high) drives investors. It is the plain average of seven components, each of which ranks a reading of today's market among its last ${RANK_SESSIONS} trading days, and takes at least ${LEAST_COMPONENTS} of them.`,
    bands: BANDS,
  },
  market_momentum: {
    name: 'Market momentum',
    text: `Market momentum tells how far the S&P 500 has moved above or below its recent average. Its close is ${ranked('lower')}.`,
    bands: BANDS,
  },
  stock_price_strength: {
    name: 'Price strength',
    text: `Price strength tells whether more stocks stand at their highest or at their lowest price in a year. The surplus of new 52-week highs over new lows, as a percentage of all stocks counted (${EXCHANGE} counts where available, else the stocks followed) and averaged over ${STRENGTH_SESSIONS} trading days, is ${ranked('lower')}.`,
    bands: BANDS,
  },
  stock_price_breadth: {
    name: 'Price breadth',
    text: `Price breadth tells whether the many stocks go along with the market or only a few carry it. A running total of the McClellan Oscillator, over ${EXCHANGE} counts of rising and falling stocks where available, else over the volume traded in the rising and falling stocks followed, is ${ranked('lower')}.`,
    bands: BANDS,
  },
  put_call_options: {
    name: 'Put and call options',
    text: `Put and call options tells whether traders rather buy protection against falling prices (puts) or bets on rising ones (calls). The put/call ratio of all options, or of those on single stocks where that is missing, averaged over ${PUT_CALL_SESSIONS} trading days, is ${ranked('higher')}.`,
    bands: BANDS,
  },
  junk_bond_demand: {
    name: 'Junk bond demand',
    text: `Junk bond demand tells how little extra interest investors ask for lending to weak companies, and so how willing they are to take risks. The yield spread of high-yield bonds less that of investment-grade bonds is ${ranked('higher')}.`,
    bands: BANDS,
  },
  market_volatility: {
    name: 'Volatility',
    text: `Volatility tells whether the swings expected of the S&P 500, the VIX, are alarmingly high; calm adds no greed. The VIX is measured in usual swings (standard deviations) from its ${zSessions}-day average: up to ${raised.aboveDeviations} the score is ${calmScore}, above that it is half the percentage of the last ${RANK_SESSIONS} such readings that were higher than today's, and with the VIX at ${alarming.fromVix} or more a fifth of it.`,
    bands: BANDS,
  },
  safe_haven_demand: {
    name: 'Safe haven demand',
    text: `Safe haven demand tells whether stocks have lately done better than safe government bonds. The S&P 500's gain over ${HAVEN_SESSIONS} trading days less that of Treasuries of about ten years (a bond fund where available, else −${TREASURY_DURATION} times the change of the ten-year yield) is ${ranked('lower')}.`,
    bands: BANDS,
  },
} satisfies Record<string, Explanation>;
