import { RSI_EDGES, SENTIMENT_BANDS } from '#domain/bands/sentiment-bands.ts';
import { VOLUME_CONFIRMATION, VOLUME_RATIO } from '#domain/sentiment/sentiment-reading.ts';
import { RANK_BARS, TIMEFRAMES, type TimeframeSpans } from '#domain/sentiment/timeframes.ts';
import { describeBandsUpward, type Explanation } from './band-words.ts';

const BANDS = describeBandsUpward(SENTIMENT_BANDS.map(({ from, level }) => ({ from, label: level })));
const { gain, loss, otherwise } = VOLUME_CONFIRMATION;

/** Text with the period of an indicator in each term. `unit` is that of the long term if it is not days. */
function perTerm(write: (spans: TimeframeSpans) => string, unit = ''): string {
  const [short, medium, long] = TIMEFRAMES;
  return `${write(short)} trading days in the short term, ${write(medium)} in the medium term and ${write(long)}${unit} in the long term`;
}

function term(name: string, length: string, spans: TimeframeSpans): Explanation {
  const bars = spans.bars === 'weekly' ? 'weeks' : 'trading days';
  const { rsi, macd, averages, returnSessions } = spans;
  return {
    name,
    text: `The ${name} score shows the mood of the S&P 500 over ${length}, from 0 (very bearish) to 100 (very bullish). It is the average of four parts. The first part is the RSI over ${rsi} ${bars}. Two parts are ranks among their last ${RANK_BARS} values, in percent: the MACD (${macd.fast} and ${macd.slow} ${bars}, relative to the close), and the close relative to its ${averages.slow}-day average. The fourth part is volume: ${gain} if it increases with a gain of the index over ${returnSessions} trading days, ${loss} if it increases with a loss, ${otherwise} otherwise.`,
    bands: BANDS,
  };
}

export const SENTIMENT_EXPLANATIONS = {
  sentiment: {
    name: 'Market Sentiment',
    text: 'Market Sentiment is the mood of the S&P 500 over days, months and a year, as one score from 0 to 100. It is the average of the Short Term, Medium Term and Long Term scores. Each score is computed from the closes of the index and the volume traded.',
    bands: BANDS,
  },
  short: term('Short Term', '1 to 5 days', TIMEFRAMES[0]),
  medium: term('Medium Term', '1 to 3 months', TIMEFRAMES[1]),
  long: term('Long Term', '6 to 12 months', TIMEFRAMES[2]),
  rsi: {
    name: 'RSI',
    text: `RSI, the relative strength index, compares the recent gains of the S&P 500 with its losses, from 0 (losses only) to 100 (gains only). It is the average gain in percent of the sum of average gain and average loss. Both averages are smoothed by Wilder’s method over ${perTerm(({ rsi }) => `${rsi}`, ' weeks')}.`,
    bands: `Over ${RSI_EDGES.positiveAbove} positive, under ${RSI_EDGES.negativeBelow} negative, else neutral.`,
  },
  macd: {
    name: 'MACD',
    text: `MACD shows in index points whether the S&P 500 has recently risen (above 0) or fallen. It is a fast exponential average of its closes less a slow one. The averages cover ${perTerm(({ macd }) => `${macd.fast} and ${macd.slow}`, ' weeks')}.`,
    bands: 'Over 0 positive, else negative.',
  },
  movingAverageTrend: {
    name: 'MA Trend',
    text: `MA Trend shows the direction of the S&P 500 by its moving averages. It is Bullish if the close is above a fast average of closes, and that average is above a slow one. It is Bearish if neither is true, and Neutral otherwise. The averages cover ${perTerm(({ averages }) => `${averages.fast} and ${averages.slow}`)}.`,
  },
  volumeTrend: {
    name: 'Volume',
    text: `Volume shows whether more or fewer shares than usual are traded. It divides the average volume of recent trading days by that of a longer period: ${perTerm(({ volume }) => `${volume.short} by ${volume.long}`)}. The volume is that of the S&P 500, or of the stocks followed if that is missing.`,
    bands: `Over ${VOLUME_RATIO.increasing} Increasing, under ${VOLUME_RATIO.decreasing} Decreasing, else Stable.`,
  },
} satisfies Record<string, Explanation>;
