import { asDisplayed } from '../bands/precision.ts';
import {
  macdStatus,
  movingAverageStatus,
  pullOf,
  rsiStatus,
  type Tone,
  volumeStatus,
} from '../bands/score-bands.ts';
import type { MovingAverageTrend, Timeframe, VolumeTrend } from './sentiment-reading.ts';

/** The four indicators that a description mentions: RSI 0–100, MACD in index points; null if missing. */
export interface SentimentParts {
  readonly rsi: number | null;
  readonly macd: number | null;
  readonly movingAverageTrend: MovingAverageTrend | null;
  readonly volumeTrend: VolumeTrend | null;
}

/** The score of a timeframe, and the parts of it that a card does not show: each 0–100; null if missing. */
export interface ScoreReasons {
  readonly score: number | null;
  readonly macdRank: number | null;
  readonly stretchRank: number | null;
  readonly volumeConfirmation: number | null;
}

const NO_DATA = 'No data available';

const OPENING = {
  short: 'Over the past days',
  medium: 'Over the past months',
  long: 'Over the past year',
} as const satisfies Record<Timeframe, string>;

const TREND = {
  bullish: 'the trend is up',
  neutral: 'the trend is undecided',
  bearish: 'the trend is down',
} as const satisfies Record<MovingAverageTrend, string>;

/** The sentences by the status of the RSI, then by the status of the MACD. */
const MOMENTUM = {
  positive: {
    positive: 'buyers are in charge',
    neutral: 'buyers are in charge',
    negative: 'buying has picked up',
  },
  neutral: {
    positive: 'momentum is mildly positive',
    neutral: 'momentum is even',
    negative: 'momentum is mildly negative',
  },
  negative: {
    positive: 'selling has picked up',
    neutral: 'sellers are in charge',
    negative: 'sellers are in charge',
  },
} as const;

const VOLUME = {
  increasing: 'more shares are changing hands than usual',
  neutral: 'trading is as busy as usual',
  decreasing: 'fewer shares are changing hands than usual',
} as const satisfies Record<VolumeTrend, string>;

/** One sentence about the indicators with a value. A second names the parts that explain the level (reading 28). */
export function describeSentiment(
  timeframe: Timeframe,
  parts: SentimentParts,
  reasons: ScoreReasons,
): string {
  const clauses: string[] = [];
  if (parts.movingAverageTrend !== null) clauses.push(TREND[parts.movingAverageTrend]);
  if (parts.rsi !== null || parts.macd !== null) clauses.push(momentum(parts.rsi, parts.macd));
  if (parts.volumeTrend !== null) clauses.push(VOLUME[parts.volumeTrend]);
  const last = clauses.pop();
  if (last === undefined) return NO_DATA;
  return `${OPENING[timeframe]} ${listOf([...clauses, last])}.${explained(parts, reasons)}`;
}

function listOf(clauses: readonly string[]): string {
  const last = clauses.at(-1) ?? '';
  return clauses.length < 2 ? last : `${clauses.slice(0, -1).join(', ')} and ${last}`;
}

/** The side of the scale on which a score of 0–100 is: the sides of the bands 'Bullish' and 'Bearish'. */
const TONES = { lifts: 'positive', neither: 'neutral', holdsBack: 'negative' } as const;
const toneOf = (score: number): Tone => TONES[pullOf(score)];

/** ' But MACD ranks low in its past (12 of 100).', or '' if the indicators explain the score. */
function explained(parts: SentimentParts, { score, ...hidden }: ScoreReasons): string {
  if (score === null) return '';
  const { macdRank: macd, stretchRank: stretch, volumeConfirmation: volume } = hidden;
  const tone = toneOf(score);
  const others = [
    parts.rsi === null ? null : rsiStatus(parts.rsi),
    parts.macd === null ? null : macdStatus(parts.macd),
    parts.movingAverageTrend === null ? null : movingAverageStatus(parts.movingAverageTrend),
  ].filter((status) => status !== null);
  const volumeTone = parts.volumeTrend === null ? null : volumeStatus(parts.volumeTrend);
  const shown = volumeTone === null ? others : [...others, volumeTone];
  const [first] = shown;
  const isMixed = shown.some((one) => one !== first);
  // The score counts the volume confirmation, which is neutral for decreasing volume and low for rising volume with a loss.
  const isVolumeReason = volumeTone === tone && volume !== null && toneOf(volume) === tone;
  if (others.includes(tone) || isVolumeReason || (tone === 'neutral' && isMixed)) return '';
  // Indicators that all point one way hide the parts that brought the score back to the middle.
  const side = tone !== 'neutral' ? tone : first === 'positive' ? 'negative' : 'positive';
  const onSide = (value: number | null): value is number => value !== null && toneOf(value) === side;
  const ranks = (value: number) =>
    `ranks ${side === 'negative' ? 'low' : 'high'} in its past (${asDisplayed('tick', value)} of 100)`;
  // Two parts are enough, and fit the column of the database.
  if (onSide(macd) && onSide(stretch))
    return ` But MACD ${ranks(macd)}, price to average too (${asDisplayed('tick', stretch)}).`;
  const named = [
    onSide(macd) ? `MACD ${ranks(macd)}` : null,
    onSide(stretch) ? `price to average ${ranks(stretch)}` : null,
    onSide(volume) ? `volume scores ${asDisplayed('tick', volume)} of 100` : null,
  ].filter((text) => text !== null);
  return named.length === 0 ? '' : ` But ${named.join(', ')}.`;
}

function momentum(rsi: number | null, macd: number | null): string {
  const strength = rsi === null ? 'neutral' : rsiStatus(rsi);
  const direction = macd === null ? 'neutral' : macdStatus(macd);
  return MOMENTUM[strength][direction];
}
