import {
  HIGH_LOW_BANDS,
  INDICATORS,
  type IndicatorKey,
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
import { bandsOver, describeBandsUpward, type Explanation } from './band-words.ts';
import { writeNumber } from './number.ts';

/** The weight of the newest value in an exponential average over `span` values, as text. */
const newestWeightText = (span: number) => `${200 / (span + 1)}%`;

const TEXTS: Readonly<Record<IndicatorKey, string>> = {
  vix: 'The VIX is the expected move of the S&P 500 over the next 30 days, in percent per year. The options exchange Cboe computes it from the prices of options on the S&P 500. The page shows the value of the data source.',
  vixChange:
    'VIX Change shows whether the expected moves have grown, which usually means worry, or shrunk. It is the VIX less the VIX of the previous trading day, in points.',
  putCallRatio:
    'The Put/Call Ratio compares options that gain when prices fall (puts) with options that gain when prices rise (calls). It is the number of puts traded in the day divided by the number of calls. The page shows the value of the data source.',
  trin: `TRIN, the Arms index, shows whether trading favours rising stocks (below 1) or falling stocks (above 1). It is the ratio of advancing to declining stocks divided by the ratio of the volume traded in them. The page shows the value that the ${EXCHANGE} publishes after the close if available, otherwise a value computed over the stocks followed.`,
  mcclellanOscillator: `The McClellan Oscillator shows whether the balance of rising and falling stocks improves (above 0) or worsens (below 0). It averages the advancing less the declining stocks, per thousand of both together, twice: with a weight of ${newestWeightText(FAST_SPAN)} and of ${newestWeightText(SLOW_SPAN)} for the newest day. The oscillator is the faster average less the slower one. The counts are those of the ${EXCHANGE} if available, otherwise those of the stocks followed.`,
  highLowIndex: `The High/Low Index shows whether more stocks reach a new high or a new low. It is the percentage of new 52-week highs among the new highs and lows of a day, averaged over ${SMOOTHING_SESSIONS} trading days. The counts are those of the ${EXCHANGE} if available, otherwise those of the stocks followed.`,
  tickIndex: `The TICK Index shows how many more stocks traded up than down at their last trade, at one moment of the day. The page shows a substitute if the data source has one-minute prices. The substitute is the number of stocks followed whose last one-minute close was higher than the one before, less those whose close was lower, scaled to ${writeNumber(EXCHANGE_ISSUES, 0)} stocks of the exchange.`,
};

const BANDS: Partial<Record<IndicatorKey, string>> = {
  vix: describeBandsUpward(VIX_BANDS),
  putCallRatio: describeBandsUpward(PUT_CALL_BANDS),
  trin: describeBandsUpward(TRIN_BANDS),
  mcclellanOscillator: bandsOver(MCCLELLAN_BANDS),
  highLowIndex: bandsOver(HIGH_LOW_BANDS),
  tickIndex: `${bandsOver(TICK_BANDS).slice(0, -1)}; the sign does not count.`,
};

export const INDICATOR_EXPLANATIONS = Object.fromEntries(
  (Object.keys(INDICATORS) as IndicatorKey[]).map((key): [IndicatorKey, Explanation] => [
    key,
    { name: INDICATORS[key].name, text: TEXTS[key], bands: BANDS[key] },
  ]),
) as Readonly<Record<IndicatorKey, Explanation>>;
