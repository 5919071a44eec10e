import {
  macdStatus,
  movingAverageStatus,
  rsiStatus,
  sentimentBand,
  type Tone,
  volumeStatus,
} from '#domain/bands/score-bands.ts';
import type { MarketSentimentRow } from '#schema/columns.ts';
import { TIMEFRAMES, type Timeframe } from '#schema/market-source.ts';
import { panelAsOf } from './day.ts';
import { capitalised, figureOf } from './number.ts';

export const SENTIMENT_TITLE = 'Market Sentiment Analysis';
const TITLES: Record<Timeframe, { title: string; span: string }> = {
  short: { title: 'Short Term', span: '1-5 Days' },
  medium: { title: 'Medium Term', span: '1-3 Months' },
  long: { title: 'Long Term', span: '6-12 Months' },
};

/** Section 4: the score shown for a timeframe without data. The signal does not use it. */
const DEFAULT_SCORE = 50;
const DEFAULT_DESCRIPTION = 'No data available';
const NO_SCORE_DESCRIPTION = 'No score available';

const STEADY_VOLUME = 'Stable';

const indicator = <Key extends string>(key: Key, name: string, value: string, status: Tone) => ({
  ...{ key, name, value, status },
});

function indicatorsOf({ rsi, macd, moving_avg_trend: trend, volume_trend: volume }: MarketSentimentRow) {
  const [strength, momentum] = [figureOf('rsi', rsi), figureOf('macd', macd)];
  const volumeWord = volume === 'neutral' ? STEADY_VOLUME : capitalised(volume ?? '');
  return [
    strength.value !== null && indicator('rsi', 'RSI', strength.text, rsiStatus(strength.value)),
    momentum.value !== null && indicator('macd', 'MACD', momentum.text, macdStatus(momentum.value)),
    trend !== null &&
      indicator('movingAverageTrend', 'MA Trend', capitalised(trend), movingAverageStatus(trend)),
    volume !== null && indicator('volumeTrend', 'Volume', volumeWord, volumeStatus(volume)),
  ].filter((known) => known !== false);
}

function cardOf(timeframe: Timeframe, row: MarketSentimentRow | undefined) {
  const measured = row?.score ?? null;
  const score = figureOf('score', measured ?? DEFAULT_SCORE);
  const { level, step } = sentimentBand(measured ?? DEFAULT_SCORE);
  const indicators = row === undefined ? [] : indicatorsOf(row);
  const missing = indicators.length === 0 ? DEFAULT_DESCRIPTION : NO_SCORE_DESCRIPTION;
  return {
    timeframe,
    ...TITLES[timeframe],
    score,
    level,
    step,
    indicators,
    description:
      measured === null ? missing : (row?.description ?? `A score of ${score.text} of 100 means ${level}.`),
  };
}

export function sentimentView(rows: readonly MarketSentimentRow[], newest: string | null) {
  const [first] = rows;
  if (first === undefined) return null;
  return {
    title: SENTIMENT_TITLE,
    asOf: panelAsOf(first.created_at, newest),
    cards: TIMEFRAMES.map((timeframe) =>
      cardOf(
        timeframe,
        rows.find((row) => row.timeframe === timeframe),
      ),
    ),
  };
}
export type SentimentView = NonNullable<ReturnType<typeof sentimentView>>;
export type SentimentCard = SentimentView['cards'][number];
