import { roundTo } from '#domain/bands/precision.ts';
import type { Tone } from '#domain/bands/score-bands.ts';
import type { SignalInput } from '#domain/signal/inputs.ts';
import type { DashboardView } from './dashboard-view.ts';
import { figureOf, toneOfChange, UNKNOWN, writeNumber } from './number.ts';
import { type PageFigure, pageSections, SCORE } from './page-sections.ts';
import type { SignalView } from './signal-view.ts';

/** A number as displayed; null for a word and for '—'. */
function numberIn(text: string): number | null {
  const plain = text.replaceAll(',', '').replace('−', '-').replace(/%$/, '');
  return /^[+-]?\d+(\.\d+)?$/.test(plain) ? Number(plain) : null;
}

const placeOn = ([low, high]: readonly [number, number], value: number) =>
  roundTo(Math.min(100, Math.max(0, (100 * (value - low)) / (high - low))), 1);

/** The row of a number on two days; null if number and word are equal. No `tone`: a rise is neither good nor bad. `places` are percent. */
function changedRow(earlier: PageFigure | undefined, later: PageFigure | undefined) {
  const texts = [earlier?.text ?? UNKNOWN, later?.text ?? UNKNOWN] as const;
  const [was, is] = [numberIn(texts[0]), numberIn(texts[1])];
  const [wasWord, isWord] = [earlier?.word ?? null, later?.word ?? null];
  if (texts[0] === texts[1] && wasWord === isWord) return null;
  const decimals = texts[1].split('.')[1]?.replace('%', '').length ?? 0;
  const difference = was === null || is === null ? null : roundTo(is - was, decimals);
  const scale = later?.scale ?? earlier?.scale;
  return {
    name: (later ?? earlier)?.name ?? '',
    texts,
    differenceText: difference === null ? UNKNOWN : writeNumber(difference, decimals, { signed: true }),
    tone: null as Tone | null,
    places:
      scale === undefined || was === null || is === null
        ? null
        : ([placeOn(scale, was), placeOn(scale, is)] as const),
    wordText: wasWord === isWord || wasWord === null || isWord === null ? null : `${wasWord} to ${isWord}`,
  };
}

export type ComparedRow = NonNullable<ReturnType<typeof changedRow>>;

function rowsOf(earlier: readonly PageFigure[], later: readonly PageFigure[]): ComparedRow[] {
  const byName = (figures: readonly PageFigure[]) => new Map(figures.map((figure) => [figure.name, figure]));
  const [was, is] = [byName(earlier), byName(later)];
  return [...new Map([...was, ...is]).keys()].flatMap(
    (name) => changedRow(was.get(name), is.get(name)) ?? [],
  );
}

const isMeasured = ({ points }: SignalView['rows'][number]) => points.value !== null;

/** The difference of the points of each input; null if different inputs were measured, because their weights differ. */
function effectsOf(earlier: SignalView, later: SignalView): ReadonlyMap<SignalInput, number> | null {
  const before = new Map(earlier.rows.map(({ input, points }) => [input, points.value]));
  if (later.rows.some((row) => isMeasured(row) !== (before.get(row.input) !== null))) return null;
  return new Map(
    later.rows.map(({ input, points }) => [input, (points.value ?? 0) - (before.get(input) ?? 0)]),
  );
}

function notesOf(earlier: SignalView, later: SignalView, shown: ReadonlySet<string>): string[] {
  const measured = ({ rows }: SignalView) => rows.filter(isMeasured).map(({ name }) => name);
  const [was, is] = [measured(earlier), measured(later)];
  const names = later.rows.map(({ name }) => name);
  const same = names.filter((name) => !shown.has(name) && was.includes(name) && is.includes(name));
  const neither = names.filter((name) => !was.includes(name) && !is.includes(name));
  return [
    ...(effectsOf(earlier, later) === null
      ? [
          `${was.length} of ${names.length} inputs were measured on the earlier day, ${is.length} on the later one, so their points cannot be compared.`,
        ]
      : []),
    ...(same.length === 0 ? [] : [`The same on both days: ${same.join(', ')}.`]),
    ...(neither.length === 0 ? [] : [`Measured on neither day: ${neither.join(', ')}.`]),
  ];
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
  effects: ReadonlyMap<SignalInput, number> | null,
  earlierText: string,
): string {
  if (earlier.score.value === null || later.score.value === null)
    return earlier.score.value === later.score.value
      ? 'Neither day has a score'
      : 'One of the two days has no score';
  const change = roundTo(later.score.value - earlier.score.value, 1);
  if (change === 0) return `The same score as ${earlierText}`;
  const size = figureOf('score', Math.abs(change)).text;
  const names = new Map(later.rows.map(({ input, name }) => [input, name]));
  const cause = effects === null ? '' : mostly(change, effects, names);
  return `${size} points ${change > 0 ? 'higher' : 'lower'} than ${earlierText}${cause}`;
}

/** The numbers that differ between two pages: inputs by points, the largest first; others by section. `earlierText` is the earlier day. */
export function compareView(earlier: DashboardView, later: DashboardView, earlierText: string) {
  const effects = effectsOf(earlier.signal, later.signal);
  const size = (input: SignalInput) => Math.abs(effects?.get(input) ?? 0);
  const before = new Map(earlier.signal.rows.map((row) => [row.input, row]));
  const inputs = later.signal.rows
    .toSorted((a, b) => size(b.input) - size(a.input))
    .flatMap(({ input, name, score }): ComparedRow[] => {
      const was = before.get(input);
      const row = changedRow(
        { name, text: was?.score.text ?? UNKNOWN, scale: SCORE },
        { name, text: score.text, scale: SCORE },
      );
      if (row === null) return [];
      const { value, text } = figureOf('points', effects?.get(input) ?? null, { signed: true });
      return [{ ...row, differenceText: text, tone: toneOfChange(value ?? 0) }];
    });
  const was = pageSections(earlier);
  const sections = pageSections(later)
    .flatMap(({ title, unit, inputs: own, figures }, at) => {
      const rows = own === null ? [] : rowsOf(was[at]?.figures ?? [], figures);
      const effect = Math.max(-1, ...(own ?? []).map(size));
      return rows.length === 0
        ? []
        : { title: unit === undefined ? title : `${title} (${unit})`, effect, rows };
    })
    .toSorted((a, b) => b.effect - a.effect)
    .map(({ title, rows }) => ({ title, rows }));
  const shown = new Set(inputs.map(({ name }) => name));
  return {
    headline: headlineOf(earlier.signal, later.signal, effects, earlierText),
    inputs,
    isByEffect: effects !== null,
    notes: inputs.length === 0 ? [] : notesOf(earlier.signal, later.signal, shown),
    sections,
  };
}
export type CompareView = ReturnType<typeof compareView>;
