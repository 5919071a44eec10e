import type { Tone } from '#domain/bands/band.ts';
import { roundTo } from '#domain/bands/precision.ts';
import { SECTOR_TOTAL } from '#domain/bands/score-bands.ts';
import type { SignalInput } from '#domain/signal/inputs.ts';
import type { DashboardView, SignalView } from './model.ts';
import { figureOf, toneOfChange, UNKNOWN, writeNumber } from './number.ts';

/** A number on two days, the earlier one first. */
export interface ComparedRow {
  readonly name: string;
  /** The two values; '—' for a missing one. */
  readonly texts: readonly [earlier: string, later: string];
  /** '−24.8'; '—' if one of the values is not a number. */
  readonly differenceText: string;
  /** Null for a number whose rise is neither good nor bad by itself. */
  readonly tone: Tone | null;
  /** The values on the scale of the number (percent of the scale); null for a number without a scale. */
  readonly places: readonly [earlier: number, later: number] | null;
  /** 'Neutral to Fear'; null if the word did not change. */
  readonly wordText: string | null;
}

export interface CompareView {
  /** '24.8 points lower than Fri 13 Nov 2026, mostly Overall Strength'. */
  readonly headline: string;
  /** The inputs of the score whose score differs. The difference is that of their points, the largest first. */
  readonly inputs: readonly ComparedRow[];
  /** The other numbers that differ, by section. Sections of inputs with a larger effect come first. */
  readonly sections: readonly { title: string; rows: readonly ComparedRow[] }[];
}

/** A number of the page: its text with the decimals of its kind, and the word for it. */
interface ComparedFigure {
  readonly name: string;
  readonly text: string;
  readonly word?: string | null | undefined;
  readonly scale?: readonly [low: number, high: number] | undefined;
}

const SCORE = [0, 100] as const;
/** The scales of the numbers that are not scores, by key. A value outside its scale is drawn at the end. */
const SCALES: Readonly<Record<string, readonly [number, number]>> = {
  vix: [0, 50],
  putCallRatio: [0.4, 1.6],
  trin: [0, 3],
  mcclellanOscillator: [-150, 150],
  highLowIndex: SCORE,
  tickIndex: [-1_000, 1_000],
};

interface ComparedSection {
  readonly title: string;
  /** The inputs that the section shows. */
  readonly inputs: readonly SignalInput[];
  readonly figures: readonly ComparedFigure[];
}

/** The numbers of a page, without those of the signal and without sentences, which repeat numbers. */
function sectionsOf({ indices, sentiment, fearGreed, metrics, advanced }: DashboardView): ComparedSection[] {
  return [
    {
      title: 'Fear & Greed',
      inputs: ['fearGreed'],
      figures: [
        ...(fearGreed === null ? [] : [{ ...fearGreed.current, name: 'Index' }, ...fearGreed.components]),
      ].map(({ name, text, label }) => ({ name, text, word: label, scale: SCORE })),
    },
    {
      title: sentiment?.title ?? '',
      inputs: ['sentiment'],
      figures: (sentiment?.cards ?? []).flatMap(({ title, score, level, indicators }) => [
        { name: title, text: score.text, word: level, scale: SCORE },
        ...indicators.map(({ key, name, value }) => ({
          name: `${title}: ${name}`,
          text: value,
          scale: key === 'rsi' ? SCORE : undefined,
        })),
      ]),
    },
    {
      title: 'Exposure and strength',
      inputs: ['marketExposure', 'overallStrength'],
      figures: (metrics?.cards ?? []).map(({ title, text, label }) => ({
        name: title,
        text,
        word: label,
        scale: SCORE,
      })),
    },
    {
      title: 'Indicators',
      inputs: ['advancedIndicators'],
      figures: (advanced?.indicators?.items ?? []).map(({ key, name, text, label }) => ({
        name,
        text,
        word: label,
        scale: SCALES[key],
      })),
    },
    {
      title: `Sectors (of ${SECTOR_TOTAL})`,
      inputs: ['sectors'],
      figures: (advanced?.sectors?.items ?? []).map(({ name, text, label }) => ({
        name,
        text,
        word: label,
        scale: SCORE,
      })),
    },
    {
      title: 'Market Breadth',
      inputs: ['breadth'],
      figures: [
        ...(advanced?.breadth == null
          ? []
          : [
              {
                name: 'Advancing / declining',
                text: advanced.breadth.ratio.text,
                word: advanced.breadth.ratio.label,
              },
              ...advanced.breadth.parts.map(({ name, count }) => ({ name, text: count.text })),
            ]),
      ],
    },
    {
      title: 'Indices',
      inputs: [],
      figures: (indices?.items ?? []).map(({ name, price }) => ({ name, text: price.text })),
    },
  ];
}

/** A number as displayed; null for a word and for '—'. */
function numberIn(text: string): number | null {
  const plain = text.replaceAll(',', '').replace('−', '-').replace(/%$/, '');
  return /^[+-]?\d+(\.\d+)?$/.test(plain) ? Number(plain) : null;
}

const placeOn = ([low, high]: readonly [number, number], value: number) =>
  roundTo(Math.min(100, Math.max(0, (100 * (value - low)) / (high - low))), 1);

/** The row of a number on two days; null if neither the number nor its word differs. */
function rowOf(earlier: ComparedFigure | undefined, later: ComparedFigure | undefined): ComparedRow | null {
  const texts = [earlier?.text ?? UNKNOWN, later?.text ?? UNKNOWN] as const;
  const [was, is] = [numberIn(texts[0]), numberIn(texts[1])];
  const [wasWord, isWord] = [earlier?.word ?? null, later?.word ?? null];
  const isSame = texts[0] === texts[1] && wasWord === isWord;
  if (isSame) return null;
  const decimals = texts[1].split('.')[1]?.replace('%', '').length ?? 0;
  const difference = was === null || is === null ? null : roundTo(is - was, decimals);
  const scale = later?.scale ?? earlier?.scale;
  return {
    name: (later ?? earlier)?.name ?? '',
    texts,
    differenceText: difference === null ? UNKNOWN : writeNumber(difference, decimals, { signed: true }),
    tone: null,
    places:
      scale === undefined || was === null || is === null ? null : [placeOn(scale, was), placeOn(scale, is)],
    wordText: wasWord === isWord || wasWord === null || isWord === null ? null : `${wasWord} to ${isWord}`,
  };
}

function rowsOf(earlier: readonly ComparedFigure[], later: readonly ComparedFigure[]): ComparedRow[] {
  const byName = (figures: readonly ComparedFigure[]) =>
    new Map(figures.map((figure) => [figure.name, figure]));
  const [was, is] = [byName(earlier), byName(later)];
  return [...new Map([...was, ...is]).keys()].flatMap((name) => rowOf(was.get(name), is.get(name)) ?? []);
}

/** The difference of the points of each input; 0 if one day lacks them. */
function effectsOf(earlier: SignalView, later: SignalView): ReadonlyMap<SignalInput, number> {
  const before = new Map(earlier.rows.map(({ input, points }) => [input, points.value]));
  return new Map(
    later.rows.map(({ input, points }) => {
      const was = before.get(input) ?? null;
      return [input, was === null || points.value === null ? 0 : points.value - was];
    }),
  );
}

/** The inputs that make most of a change of the score: one if it makes half of it, otherwise two. */
function mostly(
  change: number,
  effects: ReadonlyMap<SignalInput, number>,
  names: ReadonlyMap<SignalInput, string>,
): string {
  const [first, second] = [...effects]
    .filter(([, effect]) => effect * change > 0)
    .toSorted(([, a], [, b]) => Math.abs(b) - Math.abs(a));
  if (first === undefined) return '';
  const isMost = second === undefined || Math.abs(first[1]) >= Math.abs(change) / 2;
  const most = isMost ? [first] : [first, second];
  return `, mostly ${most.map(([input]) => names.get(input) ?? '').join(' and ')}`;
}

function headlineOf(
  earlier: SignalView,
  later: SignalView,
  effects: ReadonlyMap<SignalInput, number>,
  earlierText: string,
): string {
  if (earlier.score.value === null || later.score.value === null) return 'One of the two days has no score';
  const change = roundTo(later.score.value - earlier.score.value, 1);
  if (change === 0) return `The same score as ${earlierText}`;
  const size = figureOf('score', Math.abs(change)).text;
  const names = new Map(later.rows.map(({ input, name }) => [input, name]));
  return `${size} ${size === '1.0' ? 'point' : 'points'} ${change > 0 ? 'higher' : 'lower'} than ${earlierText}${mostly(change, effects, names)}`;
}

/** The numbers that differ between two pages. `earlierText` is the day of the earlier page. */
export function compareView(earlier: DashboardView, later: DashboardView, earlierText: string): CompareView {
  const effects = effectsOf(earlier.signal, later.signal);
  const size = (input: SignalInput) => Math.abs(effects.get(input) ?? 0);
  const before = new Map(earlier.signal.rows.map((row) => [row.input, row]));
  const inputs = later.signal.rows
    .toSorted((a, b) => size(b.input) - size(a.input))
    .flatMap(({ input, name, score, points }): ComparedRow[] => {
      const was = before.get(input);
      const row = rowOf(
        { name, text: was?.score.text ?? UNKNOWN, scale: SCORE },
        { name, text: score.text, scale: SCORE },
      );
      if (row === null) return [];
      const effect = points.value === null || was?.points.value == null ? null : (effects.get(input) ?? null);
      const { value, text } = figureOf('points', effect, { signed: true });
      return [{ ...row, differenceText: text, tone: toneOfChange(value ?? 0) }];
    });
  const [was, is] = [sectionsOf(earlier), sectionsOf(later)];
  const sections = is
    .map(({ title, inputs: own, figures }, at) => ({
      title: title || (was[at]?.title ?? ''),
      effect: Math.max(-1, ...own.map(size)),
      rows: rowsOf(was[at]?.figures ?? [], figures),
    }))
    .toSorted((a, b) => b.effect - a.effect)
    .flatMap(({ title, rows }) => (rows.length === 0 ? [] : [{ title, rows }]));
  return { headline: headlineOf(earlier.signal, later.signal, effects, earlierText), inputs, sections };
}
