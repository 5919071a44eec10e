import {
  macdStatus,
  movingAverageStatus,
  rsiStatus,
  sentimentBand,
  volumeStatus,
} from '#domain/bands/sentiment-bands.ts';
import type { MarketSentimentRow } from '#schema/columns.ts';
import { TIMEFRAMES, type Timeframe } from '#schema/market-source.ts';
import { panelAsOf } from './day.ts';
import type { SentimentCard, SentimentIndicator, SentimentView } from './model.ts';
import { capitalised, figureOf } from './number.ts';

const TITLES: Record<Timeframe, { title: string; span: string }> = {
  short: { title: 'Short Term', span: '1-5 Days' },
  medium: { title: 'Medium Term', span: '1-3 Months' },
  long: { title: 'Long Term', span: '6-12 Months' },
};

/** Section 4: the score shown for a timeframe without data. The signal does not use it. */
const DEFAULT_SCORE = 50;
const DEFAULT_DESCRIPTION = 'No data available';
/** The description for a row that has other values but no score. */
const NO_SCORE_DESCRIPTION = 'No score available';

/** The displayed word for volume that neither rises nor falls. */
const STEADY_VOLUME = 'Stable';

function indicatorsOf(row: MarketSentimentRow): SentimentIndicator[] {
  const rsi = figureOf('rsi', row.rsi);
  const macd = figureOf('macd', row.macd);
  const trend = row.moving_avg_trend;
  const volume = row.volume_trend;
  return [
    ...(rsi.value === null
      ? []
      : [{ key: 'rsi' as const, name: 'RSI', value: rsi.text, status: rsiStatus(rsi.value) }]),
    ...(macd.value === null
      ? []
      : [{ key: 'macd' as const, name: 'MACD', value: macd.text, status: macdStatus(macd.value) }]),
    ...(trend === null
      ? []
      : [
          {
            key: 'movingAverageTrend' as const,
            name: 'MA Trend',
            value: capitalised(trend),
            status: movingAverageStatus(trend),
          },
        ]),
    ...(volume === null
      ? []
      : [
          {
            key: 'volumeTrend' as const,
            name: 'Volume',
            value: volume === 'neutral' ? STEADY_VOLUME : capitalised(volume),
            status: volumeStatus(volume),
          },
        ]),
  ];
}

function descriptionOf(
  row: MarketSentimentRow | undefined,
  { score, level, indicators }: Pick<SentimentCard, 'score' | 'level' | 'indicators'>,
): string {
  if (row === undefined || row.score === null) {
    return indicators.length === 0 ? DEFAULT_DESCRIPTION : NO_SCORE_DESCRIPTION;
  }
  return row.description ?? `A score of ${score.text} of 100 means ${level}.`;
}

function cardOf(timeframe: Timeframe, row: MarketSentimentRow | undefined): SentimentCard {
  const measured = row?.score ?? null;
  const { level, step } = sentimentBand(measured ?? DEFAULT_SCORE);
  const card = {
    timeframe,
    ...TITLES[timeframe],
    score: figureOf('score', measured ?? DEFAULT_SCORE),
    level,
    step,
    measured: measured !== null,
    indicators: row === undefined ? [] : indicatorsOf(row),
  };
  return { ...card, description: descriptionOf(row, card) };
}

/** The three sentiment cards; null without a row. */
export function sentimentView(
  rows: readonly MarketSentimentRow[],
  newest: string | null,
): SentimentView | null {
  const [first] = rows;
  if (first === undefined) return null;
  return {
    title: 'Market Sentiment Analysis',
    asOf: panelAsOf(first.created_at, newest),
    cards: TIMEFRAMES.map((timeframe) =>
      cardOf(
        timeframe,
        rows.find((row) => row.timeframe === timeframe),
      ),
    ),
  };
}
