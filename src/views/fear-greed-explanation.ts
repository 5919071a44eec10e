import { FEAR_GREED_BANDS } from '#domain/bands/score-bands.ts';
import { EXCHANGE } from '#domain/breadth/universe.ts';
import { type FearGreedComponent, mapComponents } from '#domain/fear-greed/components.ts';
import {
  HAVEN_SESSIONS,
  PUT_CALL_SESSIONS,
  STRENGTH_SESSIONS,
  TREASURY_DURATION,
} from '#domain/fear-greed/raw-series.ts';
import { LEAST_COMPONENTS, RANK_SESSIONS, VOLATILITY, Z_SESSIONS } from '#domain/fear-greed/score.ts';
import { describeBandsUpward, type Explanation } from './band-words.ts';
import { COMPONENT_NAMES } from './fear-greed-view.ts';

const BANDS = describeBandsUpward(FEAR_GREED_BANDS);
const { zSessions, calmScore, raised, alarming } = VOLATILITY;

/** The computation of a component's score, as text. If higher values mean fear, the score counts the higher values. */
const ranked = (counted: 'lower' | 'higher') =>
  `measured in standard deviations from its ${Z_SESSIONS}-day average. The score is the percentage of the last ${RANK_SESSIONS} such values that were ${counted} than today’s`;

const COMPONENTS: Readonly<Record<FearGreedComponent, string>> = {
  market_momentum: `Market momentum shows how far the S&P 500 is above or below its recent average. Its close is ${ranked('lower')}.`,
  stock_price_strength: `Price strength shows whether more stocks are at their highest or at their lowest price in a year. It is the number of new 52-week highs less new lows, in percent of all stocks, averaged over ${STRENGTH_SESSIONS} trading days. The counts are those of the ${EXCHANGE} if available, otherwise those of the stocks followed. The average is ${ranked('lower')}.`,
  stock_price_breadth: `Price breadth shows whether many stocks rise with the market or only a few. It is a running total of the McClellan Oscillator. The oscillator uses ${EXCHANGE} counts of rising and falling stocks if available, otherwise the volume traded in the rising and falling stocks followed. The total is ${ranked('lower')}.`,
  put_call_options: `Put and call options shows whether traders buy more protection against falling prices (puts) or more bets on rising prices (calls). It is the put/call ratio of all options, or of options on single stocks if that is missing, averaged over ${PUT_CALL_SESSIONS} trading days. The average is ${ranked('higher')}.`,
  junk_bond_demand: `Junk bond demand shows how much extra interest investors require for lending to weak companies. Little extra interest means that they accept risks. The yield spread of high-yield bonds less that of investment-grade bonds is ${ranked('higher')}.`,
  market_volatility: `Volatility shows whether the S&P 500 is expected to move unusually far. The VIX is measured in standard deviations from its ${zSessions}-day average. Up to ${raised.aboveDeviations} deviations above the average the score is ${calmScore}, so calm adds no greed. Beyond that the score is half the percentage of the last ${RANK_SESSIONS} such values that were higher than today’s. With the VIX at ${alarming.fromVix} or more it is a fifth of that percentage.`,
  safe_haven_demand: `Safe haven demand shows whether stocks did better than safe government bonds. It is the S&P 500’s gain over ${HAVEN_SESSIONS} trading days less the gain of ten-year Treasuries. The gain of Treasuries is that of a bond fund if available, otherwise −${TREASURY_DURATION} times the change of the ten-year yield. The difference is ${ranked('lower')}.`,
};

export const FEAR_GREED_EXPLANATIONS = {
  fearGreed: {
    name: 'Fear & Greed',
    text: `The Fear & Greed index shows on a scale from 0 to 100 whether fear (low) or greed (high) drives investors. It is the average of seven components, of which at least ${LEAST_COMPONENTS} must be known. Each component ranks today’s value among those of the last ${RANK_SESSIONS} trading days.`,
    bands: BANDS,
  },
  ...mapComponents(
    (key): Explanation => ({ name: COMPONENT_NAMES[key], text: COMPONENTS[key], bands: BANDS }),
  ),
};
