import type { Tone } from '#domain/bands/band.ts';
import type { IndicatorKey } from '#domain/bands/indicator-bands.ts';
import type {
  FearGreedLabel,
  FearGreedZone,
  InsightDot,
  MetricBand,
  SectorBand,
  Verdict,
} from '#domain/bands/score-bands.ts';
import type { SentimentLevel, SentimentStep } from '#domain/bands/sentiment-bands.ts';
import type { FearGreedComponent } from '#domain/fear-greed/components.ts';
import type { SignalInput } from '#domain/signal/inputs.ts';
import type { Timeframe } from '#schema/market-source.ts';
import type { AsOf, PanelAsOf } from './day.ts';
import type { Figure } from './number.ts';

/*
 * The content of the page and the e-mail: plain data with all texts and numbers formatted. An unknown number has the
 * value null, the text '—' and no label. A panel without content is null and is omitted.
 */

/**
 * A displayed number with its status word. The tone is null if the number is unknown. The word is then null
 * too, unless it gives the reason.
 */
export interface LabelledFigure extends Figure {
  label: string | null;
  tone: Tone | null;
}

/** The strip of indices under the header (specification, reading 8). */
export interface IndicesView {
  asOf: PanelAsOf;
  items: readonly {
    symbol: string;
    name: string;
    price: Figure;
    /** '+41.42', '−12.00'. */
    change: Figure;
    /** '+0.62%'. */
    changePercent: Figure;
    tone: Tone | null;
  }[];
}

export interface SignalRow {
  input: SignalInput;
  name: string;
  /** The session of an input that is older than the newest one, `YYYY-MM-DD`. */
  olderSession?: string;
  /**
   * The input's share of the measured weight, such as '22.22%'. The specified weight if there is no verdict.
   */
  weightText: string;
  /** The input's own score of 0–100. */
  score: Figure;
  /** Score times weight, three decimals; the points of all rows add up to `totalText`. */
  points: Figure;
  /**
   * Weight times the distance of the score from 50, signed, with two decimals: the points by which the input raises the
   * signal's score above 50, or lowers it. The effects of all rows add up to `effectText`.
   */
  effect: Figure;
  /** 'as of Thu 12 Nov, without put/call'; null when the input is whole and of the newest session. */
  note: string | null;
}

/** The reasons of a score. */
export interface BreakdownView {
  /** One sentence with the two inputs that move the score most. */
  headline: string;
  rows: readonly SignalRow[];
  /** The sum of the rows' points; '—' without a verdict. The score is this sum rounded to one decimal. */
  totalText: string;
  /** The sum of the rows' effects; '—' without a verdict. */
  effectText: string;
}

export interface SignalView extends BreakdownView {
  verdict: Verdict | 'Insufficient data';
  /** 0–100, one decimal; null when there is no verdict. */
  score: Figure;
  /** The lowest and highest possible score, depending on the missing inputs; null if no input is missing. */
  range: { low: number; high: number; text: string } | null;
  /** The drawing of the score among the zones, in words. */
  scaleText: string;
  /** '7 of 7 inputs'. */
  inputsText: string;
  /** '7 of 7 inputs, all from the session of Fri 13 Nov 2026.', with a note on the counted stocks of an open session. */
  measuredText: string;
  asOf: AsOf | null;
  /** The distances to both other verdicts, from the lower to the higher; empty without a verdict. */
  distances: readonly {
    verdict: Verdict;
    direction: 'up' | 'down';
    /** 'from 40.9', 'from 61'. */
    edgeText: string;
    /** '7.6 away'. */
    text: string;
  }[];
  /** The way to the nearest other verdict; null without a verdict. */
  next: {
    verdict: Verdict;
    /** Points between the shown score and the nearest other verdict. */
    distance: Figure;
    /** 'Would turn to BUY'. */
    title: string;
    /** '2.2 points up. Fear & Greed alone is enough, from 62.4 to 73.4.' */
    text: string;
  } | null;
  /** 'Another verdict without one input in 2 of 7 cases.'; null without a verdict. */
  omittedText: string | null;
  /** The difference between the shown score and the score of a week ago; null if one of the two has no verdict. */
  sinceLastWeek: {
    /** 'Since last week'. */
    title: string;
    /** The earlier session. */
    session: string;
    /** 'Fri 6 Nov 2026'. */
    dateText: string;
    /** '+3.4', signed. */
    change: Figure;
    tone: Tone;
    /** The verdict of a week ago. */
    verdict: Verdict;
    /** 'Fear & Greed +1.9, breadth +0.8, others +0.7', which add up to the change; 'From HOLD to BUY: …'. */
    text: string;
  } | null;
  disclaimer: string;
}

/** The scores of the last weeks, and how often the verdict changed. */
export interface TrailView {
  /**
   * The path of an SVG line through the scores, one week per unit from 0, with 0 at the bottom and 100 at the top as
   * `100 - score`. A week without a score leaves a gap in the numbers, not in the line.
   */
  path: string;
  /** Number of weeks in the path; the next unit is the score of now. */
  weeks: number;
  low: number;
  high: number;
  /** '26 weeks'. */
  text: string;
  /** 'Another verdict a week later in 36% of 187 weeks.'; null with too few weeks. */
  stabilityText: string | null;
}

export interface SentimentIndicator {
  key: 'rsi' | 'macd' | 'movingAverageTrend' | 'volumeTrend';
  name: string;
  value: string;
  status: Tone;
}

export interface SentimentCard {
  timeframe: Timeframe;
  /** For example 'Short Term' and '1-5 Days'. */
  title: string;
  span: string;
  score: Figure;
  level: SentimentLevel;
  /** The colour step of the score. */
  step: SentimentStep;
  description: string;
  /** False for the specified default of a timeframe without a score. */
  measured: boolean;
  /** The indicators RSI, MACD, MA Trend and Volume, without those that are unknown. */
  indicators: readonly SentimentIndicator[];
}

export interface SentimentView {
  title: string;
  asOf: PanelAsOf;
  cards: readonly SentimentCard[];
}

/** A Fear & Greed value with its label and zone. */
export interface FearGreedReading {
  value: number;
  text: string;
  label: FearGreedLabel;
  zone: FearGreedZone;
}

export interface FearGreedView {
  asOf: PanelAsOf;
  /** True if a component uses a value of an earlier session. */
  mixed: boolean;
  current: FearGreedReading;
  /** Value of the second needle; null without a value of a year ago. */
  yearAgo: FearGreedReading | null;
  /** Previous close, 1 week ago, 1 month ago, 1 year ago: those that are present. */
  earlier: readonly (FearGreedReading & {
    key: 'previousClose' | 'oneWeekAgo' | 'oneMonthAgo' | 'oneYearAgo';
    name: string;
    session: string;
    /** 'Thu 12 Nov 2026'. */
    dateText: string;
  })[];
  /** The seven components. A missing component has the value null, the text '—' and no label. */
  components: readonly {
    key: FearGreedComponent;
    name: string;
    value: number | null;
    text: string;
    label: FearGreedLabel | null;
    zone: FearGreedZone | null;
    /** The change since the previous close; null if one of the two values is missing. */
    direction: { change: Figure; word: 'Rising' | 'Falling' | 'Unchanged'; tone: Tone } | null;
  }[];
  /** A description of the gauge in one sentence, for assistive technology. */
  summary: string;
}

/** A point as drawn. */
export interface TimelinePoint {
  /** Epoch milliseconds. */
  at: number;
  value: number;
}

/** The day of a point and its change, as text. */
interface PointReading {
  /** 'Fri 13 Nov 2026'; 'Fri 13 Nov 2026, 14:05' (New York time) if the day has several points. */
  dateText: string;
  /** '+1.2 since Thu 12 Nov', the change from the point before; null for the first point. */
  changeText: string | null;
}

/** A point as text. */
export interface TimelineReading extends PointReading {
  /** The value as shown: '62.4'. */
  text: string;
  /** The word for the value, and its tone of the tokens. */
  label: string;
  tone: string;
  /** The session of the point; null if it has not closed by the last point. */
  session: string | null;
}

/** A component of Fear & Greed over a year. */
export interface SparklineView {
  /** One per session, ascending; at least two. */
  points: readonly TimelinePoint[];
  /** The ends of the x axis (epoch ms): a year. */
  from: number;
  to: number;
  /** The zone of the last point. */
  zone: FearGreedZone;
  /** The text of the point with an index. Throws if there is no such point. */
  describe: (index: number) => FearGreedReading & PointReading;
  /** 'lowest 4.4, highest 97.0', for assistive technology. */
  summary: string;
}

/** A figure over a year. */
export interface TimelineView {
  /** 'Fear & Greed index'. */
  name: string;
  /** Ascending; empty without history. */
  points: readonly TimelinePoint[];
  /** The text of the point with an index. Throws if there is no such point. */
  describe: (index: number) => TimelineReading;
  /** The ends of the x axis (epoch ms); equal without points. */
  from: number;
  to: number;
  /** The first of each month within the axis: 'Nov 2026'. */
  ticks: readonly { at: number; text: string }[];
  /** The ends of the y axis. */
  scale: { readonly low: number; readonly high: number };
  /** Lines across the chart with their text, dashed at the borders of the zones. */
  levels: readonly { value: number; text: string; dashed: boolean }[];
  /** The named bands of the value within the y axis, from the lowest up. */
  zones: readonly { from: number; to: number; text: string; tone: string }[];
  /** Text without points. */
  emptyText: string;
  /** The chart in a sentence, for assistive technology. */
  summary: string;
}

export interface MetricCard {
  key: 'marketExposure' | 'overallStrength';
  title: string;
  description: string;
  /** Rounded; the count-up ends here. Null when not known. */
  value: number | null;
  /** The value without its suffix: '54.0', or '—'. */
  text: string;
  decimals: number;
  suffix: string;
  label: MetricBand['label'] | null;
  color: MetricBand['color'] | null;
}

export interface MetricsView {
  asOf: PanelAsOf;
  cards: readonly MetricCard[];
}

export interface IndicatorItem extends LabelledFigure {
  key: IndicatorKey;
  name: string;
  /** The counted stocks: 'NYSE'; null if that is clear. */
  universe: string | null;
  /** The text for an unknown value: 'Not measured'; absent with a value. */
  missingText?: string;
}

export interface SectorItem {
  name: string;
  /** The value in points from 0 to 100, which are percent as well; null if it is not known. */
  value: number | null;
  /** The value as text, without a unit: '55.2', or '—'. */
  text: string;
  label: SectorBand['label'] | null;
  tone: Tone | null;
}

export interface BreadthView {
  asOf: PanelAsOf;
  universe: string | null;
  /** Advancing / max(declining, 1). */
  ratio: LabelledFigure;
  parts: readonly {
    key: 'advancing' | 'unchanged' | 'declining';
    name: string;
    count: Figure;
    /**
     * Share of all stocks in percent, with one decimal. The bar grows from 0 to this value; 0 if the share is
     * unknown.
     */
    share: number;
    shareText: string;
  }[];
}

export interface AdvancedView {
  title: string;
  /** The number of indicators plus the number of sectors, plus 1 for breadth. */
  metricCount: number;
  /** '19 metrics'. */
  metricCountText: string;
  indicators: { asOf: PanelAsOf; items: readonly IndicatorItem[] } | null;
  sectors: {
    asOf: PanelAsOf;
    /** The sectors, strongest first, unknown strengths last. */
    items: readonly SectorItem[];
    /** '9 of 11 sectors. No data for Energy, Utilities.'; null when every expected sector has a row. */
    absentText: string | null;
  } | null;
  breadth: BreadthView | null;
}

export interface InsightsView {
  title: string;
  /** Fear & Greed, participation, sector leadership. */
  items: readonly {
    key: 'fearGreed' | 'participation' | 'sectors';
    /** Null if the input is not measured. */
    dot: InsightDot | null;
    /** The meaning of the dot: 'Bullish'. */
    dotText: string | null;
    text: string;
  }[];
}

export interface DataAgeView {
  asOf: AsOf;
  /**
   * Number of sessions that have closed since the newest row, at the time of the view; 0 if the data are current.
   * `staleText` has the text for later times.
   */
  sessionsBehind: number;
  /** The instants, ascending, at which the next sessions count as behind. */
  overdueAt: readonly number[];
}

/** The next sessions of the exchange, ascending, including the current one. */
export interface MarketHoursView {
  sessions: readonly {
    /** Epoch milliseconds. */
    opensAt: number;
    closesAt: number;
    /** 'Mon 23 Nov at 09:30', New York time. */
    opensText: string;
    /** '16:00', on half-days '13:00', New York time. */
    closesText: string;
  }[];
}

/** The chip for demonstration data. */
export interface DemoView {
  kind: 'simulated' | 'replay';
  /** 'Demo data: invented numbers'. */
  text: string;
  title: string;
}

/** The source of the numbers, without the origins of each input. */
export interface SourcesView {
  /** The instant of the newest rows, ISO; the key for reading the origins of their inputs. */
  createdAt: string;
  /** The stocks followed: 'S&P 500'. */
  universe: string;
  /** Text about the source; null if each input's origin is recorded. */
  text: string | null;
}

/** The change of the score since last week with its parts. */
export type WeeklyChange = NonNullable<SignalView['sinceLastWeek']> & {
  /**
   * Points that each input added to the change, in the order of the rows. They add up to the change. '—' for an input
   * that was not measured at both times. Null if the measured inputs differ.
   */
  parts: readonly { input: SignalInput; name: string; change: Figure }[] | null;
};

/** The weekly signal by mail, as the page shows it when the signal is issued. */
export interface WeeklySignalView {
  /** 'HOLD 54: up 3.4 since last week'; the score agrees with the verdict. Marks demonstration data as such. */
  subject: string;
  verdict: Verdict;
  score: Figure;
  /** The text about missing inputs, as on the signal card; null if no input is missing. */
  range: { low: number; high: number; text: string } | null;
  /** The session from which the signal was decided: 'Fri 20 Nov 2026, close'. */
  asOf: AsOf;
  inputsText: string;
  measuredText: string;
  headline: string;
  /** The zones of the scale, from 0 up. */
  zones: readonly { verdict: Verdict; from: number; to: number }[];
  rows: readonly Omit<SignalRow, 'effect'>[];
  next: SignalView['next'];
  sinceLastWeek: WeeklyChange | null;
  fearGreed: { current: FearGreedReading; lastWeek: (FearGreedReading & { dateText: string }) | null } | null;
  /**
   * The S&P 500's price, 'at the close' or 'at 13:05 New York time' of a session that is open; null where it is not
   * measured.
   */
  sp500: { name: string; price: Figure; atText: string } | null;
  /** A sentence about the moves of the next four weeks; null without a current outlook. */
  riskText: string | null;
  demo: DemoView | null;
  disclaimer: string;
}

/** The whole page, in the order of its sections. */
export interface DashboardView {
  /** Null when every table is empty. */
  age: DataAgeView | null;
  hours: MarketHoursView;
  demo: DemoView | null;
  /** Null when every table is empty. */
  sources: SourcesView | null;
  indices: IndicesView | null;
  signal: SignalView;
  sentiment: SentimentView | null;
  fearGreed: FearGreedView | null;
  metrics: MetricsView | null;
  advanced: AdvancedView | null;
  insights: InsightsView | null;
}
