import { SECTOR_TOTAL } from '#domain/bands/score-bands.ts';
import type { SignalInput } from '#domain/signal/inputs.ts';
import type { DashboardView } from './dashboard-view.ts';
import { SENTIMENT_TITLE } from './sentiment-view.ts';

/** A number of the page: its text with the decimals of its kind, the word for it, and the ends of its scale. */
export interface PageFigure {
  readonly name: string;
  readonly text: string;
  readonly word?: string | null | undefined;
  readonly scale?: readonly [low: number, high: number] | undefined;
  /** The number with its unit and its word, as the page shows it; `text` and `word` if absent. */
  readonly full?: string | undefined;
}

/** The numbers of one part of the page. Sentences are left out, because they repeat numbers. */
interface PageSection {
  readonly title: string;
  /** The inputs of the signal that the section shows; null for a section that is not compared with that of another day. */
  readonly inputs: readonly SignalInput[] | null;
  /** The total of each number, such as 'of 100', if only the full texts contain it. */
  readonly unit?: string;
  readonly figures: readonly PageFigure[];
}

export const SCORE = [0, 100] as const;
/** The scales of the numbers that are not scores, by key. A value outside its scale is drawn at the end. */
const SCALES: Readonly<Record<string, readonly [number, number]>> = {
  vix: [0, 50],
  putCallRatio: [0.4, 1.6],
  trin: [0, 3],
  mcclellanOscillator: [-150, 150],
  highLowIndex: SCORE,
  tickIndex: [-1_000, 1_000],
};

const rated = ({ name, text, label }: { name: string; text: string; label: string | null }): PageFigure => ({
  ...{ name, text, word: label, scale: SCORE },
});

function signalFigures({ verdict, score, range, rows }: DashboardView['signal']): PageFigure[] {
  return [
    { name: 'Verdict', text: verdict },
    { name: 'Score', text: score.text, word: range?.text },
    ...rows.map(({ name, score, weightText, points }) => ({
      name,
      text: points.value === null ? score.text : `${score.text} × ${weightText} = ${points.text}`,
    })),
  ];
}

function sentimentFigures(cards: NonNullable<DashboardView['sentiment']>['cards']): PageFigure[] {
  return cards.flatMap(({ title, score, level, indicators }) => [
    rated({ name: title, text: score.text, label: level }),
    ...indicators.map(({ key, name, value }) => ({
      ...{ name: `${title}: ${name}`, text: value, scale: key === 'rsi' ? SCORE : undefined },
    })),
  ]);
}

/** The numbers of a page, section by section. A section without rows has no figures. */
export function pageSections({
  indices,
  signal,
  sentiment,
  fearGreed,
  metrics,
  advanced,
}: DashboardView): PageSection[] {
  const { indicators, sectors, breadth } = advanced ?? {};
  return [
    { title: 'Market Signal', inputs: null, figures: signalFigures(signal) },
    {
      title: 'Indices',
      inputs: [],
      figures: (indices?.items ?? []).map(({ name, price: { text }, change, changePercent }) => ({
        ...{ name, text, full: `${text} (${change.text}, ${changePercent.text})` },
      })),
    },
    {
      title: 'Fear & Greed',
      inputs: ['fearGreed'],
      figures: fearGreed ? [{ ...fearGreed.current, name: 'Index' }, ...fearGreed.components].map(rated) : [],
    },
    { title: 'Fear & Greed', inputs: null, figures: (fearGreed?.earlier ?? []).map(rated) },
    { title: SENTIMENT_TITLE, inputs: ['sentiment'], figures: sentimentFigures(sentiment?.cards ?? []) },
    {
      title: 'Exposure and strength',
      inputs: ['marketExposure', 'overallStrength'],
      figures: (metrics?.cards ?? []).map(({ title, text, suffix, label }) => ({
        ...rated({ name: title, text, label }),
        full: label === null ? text : `${text}${suffix} ${label}`,
      })),
    },
    {
      title: 'Advanced Indicators',
      inputs: ['advancedIndicators'],
      figures: (indicators?.items ?? []).map(({ key, name, text, label, missingText }) => ({
        ...{ name, text, word: label, scale: SCALES[key], full: missingText },
      })),
    },
    {
      title: 'Sector Strength',
      inputs: ['sectors'],
      unit: `of ${SECTOR_TOTAL}`,
      figures: (sectors?.items ?? []).map((item) => ({
        ...rated(item),
        full: item.label === null ? item.text : `${item.text} / ${SECTOR_TOTAL} ${item.label}`,
      })),
    },
    {
      title: 'Market Breadth',
      inputs: ['breadth'],
      figures: breadth
        ? [
            { name: 'Advance/decline ratio', text: breadth.ratio.text, word: breadth.ratio.label },
            ...breadth.parts.map(({ name, count: { text }, shareText }) => ({
              ...{ name, text, full: `${text} (${shareText})` },
            })),
          ]
        : [],
    },
  ];
}
