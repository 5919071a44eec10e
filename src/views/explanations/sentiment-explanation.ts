import { RSI_EDGES, SENTIMENT_BANDS } from '#domain/bands/sentiment-bands.ts';
import { RANK_BARS, VOLUME_CONFIRMATION } from '#domain/sentiment/sentiment-reading.ts';
import { TIMEFRAMES, type TimeframeSpans } from '#domain/sentiment/timeframes.ts';
import { VOLUME_RATIO } from '#domain/sentiment/trends.ts';
import { bandsUnder } from './band-words.ts';
import type { Explanation } from './explanation.ts';

const BANDS = bandsUnder(SENTIMENT_BANDS.map(({ from, level }) => ({ from, label: level })));
const { gain, loss, otherwise } = VOLUME_CONFIRMATION;

/** The period of an indicator in each term; `unit` is the long term's if it is not days. */
function perTerm(write: (spans: TimeframeSpans) => string, unit = ''): string {
  const [short, medium, long] = TIMEFRAMES;
  return `${write(short)} trading days in the short term, ${write(medium)} in the medium term and ${write(long)}${unit} in the long term`;
}

function term(name: string, length: string, spans: TimeframeSpans): Explanation {
  const bars = spans.bars === 'weekly' ? 'weeks' : 'trading days';
  const { rsi, macd, averages, returnSessions } = spans;
  return {
    name,
    text: `The ${name} score reads the mood of the S&P 500 on the scale of ${length}, from 0 (very bearish) to 100 (very bullish). It is the average of four parts: the RSI over ${rsi} ${bars}; the ranks, in percent, of the MACD (${macd.fast} and ${macd.slow} ${bars}, relative to the close) and of the close relative to its ${averages.slow}-day average, each among its last ${RANK_BARS} values; and volume, which counts ${gain} when it increases with a gain of the index over ${returnSessions} trading days, ${loss} when it increases with a loss, and ${otherwise} otherwise.`,
    bands: BANDS,
  };
}

/** The three timeframes, their four indicators, and sentiment as one input of the signal. */
export const SENTIMENT_EXPLANATIONS = {
  sentiment: {
    name: 'Market Sentiment',
    text: 'Market Sentiment is the mood of the S&P 500 over days, months and a year in one score from 0 to 100. It is the average of the Short Term, Medium Term and Long Term scores, each made from the closes of the index and the volume traded.',
    bands: BANDS,
  },
  short: term('Short Term', '1 to 5 days', TIMEFRAMES[0]),
  medium: term('Medium Term', '1 to 3 months', TIMEFRAMES[1]),
  long: term('Long Term', '6 to 12 months', TIMEFRAMES[2]),
  rsi: {
    name: 'RSI',
    text: `RSI, the relative strength index, weighs the recent gains of the S&P 500 against its losses, from 0 (losses only) to 100 (gains only). It is the average gain as a percentage of average gain and average loss together, both smoothed by Wilder's method over ${perTerm(({ rsi }) => `${rsi}`, ' weeks')}.`,
    bands: `Over ${RSI_EDGES.positiveAbove} positive, under ${RSI_EDGES.negativeBelow} negative, else neutral.`,
  },
  macd: {
    name: 'MACD',
    text: `MACD tells in index points whether the S&P 500 has lately been rising (above 0) or falling. It is a faster less a slower average of its closes, both exponential, so that recent closes weigh more: over ${perTerm(({ macd }) => `${macd.fast} and ${macd.slow}`, ' weeks')}.`,
    bands: 'Over 0 positive, else negative.',
  },
  movingAverageTrend: {
    name: 'MA Trend',
    text: `MA Trend tells which way the S&P 500 is heading by its moving averages. It is Bullish when the close stands above a faster average of closes and that above a slower one, Bearish when neither holds and Neutral otherwise, over ${perTerm(({ averages }) => `${averages.fast} and ${averages.slow}`)}.`,
    bands: null,
  },
  volumeTrend: {
    name: 'Volume',
    text: `Volume tells whether more or fewer shares change hands than usual. It divides the average volume of recent trading days by that of a longer span, of the S&P 500 or, where that is missing, of the stocks followed: ${perTerm(({ volume }) => `${volume.short} against ${volume.long}`)}.`,
    bands: `Over ${VOLUME_RATIO.increasing} Increasing, under ${VOLUME_RATIO.decreasing} Decreasing, else Stable.`,
  },
} satisfies Record<string, Explanation>;
