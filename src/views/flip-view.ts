import { DISPLAYED_DECIMALS, roundTo } from '#domain/bands/precision.ts';
import type { Verdict } from '#domain/bands/score-bands.ts';
import { type InputDay, type WeeklyMove, weeklyMoves } from '#domain/record/score-history.ts';
import { ENOUGH_WINDOWS } from '#domain/record/summarise-changes.ts';
import { decideSignal, type Signal } from '#domain/signal/decide-signal.ts';
import {
  type FlipsTo,
  flips,
  READING_NAMES,
  READINGS,
  type ReadingName,
  verdictRanges,
} from '#domain/signal/flips.ts';
import { writeDay } from './day.ts';
import { EXPLANATIONS } from './explanations.ts';
import { countText, figureOf } from './number.ts';
import { TOO_FEW } from './record-view.ts';

export const NAMES_OF_READINGS: Readonly<Record<ReadingName, string>> = {
  fearGreed: EXPLANATIONS.fearGreed.name,
  overallStrength: EXPLANATIONS.overallStrength.name,
  marketExposure: EXPLANATIONS.marketExposure.name,
  short: `${EXPLANATIONS.short.name} sentiment`,
  medium: `${EXPLANATIONS.medium.name} sentiment`,
  long: `${EXPLANATIONS.long.name} sentiment`,
  vix: EXPLANATIONS.vix.name,
  putCall: EXPLANATIONS.putCallRatio.name,
  mcclellan: EXPLANATIONS.mcclellanOscillator.name,
  sectors: `Mean ${EXPLANATIONS.sectors.name}`,
  breadth: 'Advancing stocks',
};

function foundFlip(
  { name, flip }: FlipsTo['readings'][number],
  verdict: Verdict,
  moves: readonly WeeklyMove[],
) {
  if (flip === null) return null;
  const decimals = DISPLAYED_DECIMALS[READINGS[name].quantity];
  const size = roundTo(Math.abs(flip.to - flip.from), decimals);
  // Subtracts half a displayed step, because a move that rounds to the displayed size may be that much smaller.
  const least = size - 0.5 / 10 ** decimals;
  const often = moves.filter(({ rise, fall }) => (flip.to > flip.from ? rise : fall) >= least).length;
  return { name, verdict, ...flip, often, weeks: moves.length };
}

type FoundFlip = NonNullable<ReturnType<typeof foundFlip>>;

const PERCENTAGES: readonly ReadingName[] = ['marketExposure', 'breadth'];
const text = (name: ReadingName, value: number | null) =>
  figureOf(READINGS[name].quantity, value, { suffix: PERCENTAGES.includes(name) ? '%' : '' }).text;
const clamp = (percent: number) => Math.min(100, Math.max(0, percent));
const oftenText = ({ often, weeks }: FoundFlip) =>
  weeks < ENOUGH_WINDOWS ? TOO_FEW : `in ${often} of ${countText(weeks, 'week')}`;
const moveText = ({ name, from, to }: FoundFlip) =>
  from === to ? `at ${text(name, to)}` : `from ${text(name, from)} to ${text(name, to)}`;

function leadOf({ verdict, score, next }: Signal, found: readonly FoundFlip[]): string {
  if (score === null || next === null) return 'There is no verdict now, so nothing can flip it.';
  const distance = figureOf('score', next.distance).text;
  const now = `The verdict is ${verdict} at ${figureOf('score', score).text} points, ${distance} points from ${next.verdict}.`;
  const [first] = found.toSorted((a, b) => b.often / b.weeks - a.often / a.weeks);
  if (first === undefined) return `${now} No number in the table can flip it alone.`;
  const own = `${NAMES_OF_READINGS[first.name]} from ${text(first.name, first.from)} to ${text(first.name, first.to)} flips it to ${first.verdict}`;
  return first.weeks < ENOUGH_WINDOWS
    ? `${now} For example, ${own}.`
    : first.often === 0
      ? `${now} No number alone moved far enough to flip it in any stored week.`
      : `${now} ${own}. No move that flips the verdict was more frequent: this one happened ${oftenText(first)}.`;
}

/** The verdict over the range of a reading, and its value of today, in percent of the range. */
function leverOf({ inputs }: InputDay, name: ReadingName, value: number) {
  const [low, high] = READINGS[name].range;
  const percentOf = (at: number) => roundTo(clamp((100 * (at - low)) / (high - low)), 1);
  const parts = verdictRanges(inputs, name).map(({ verdict, from, to }) => ({
    verdict,
    from: percentOf(from),
    to: percentOf(to),
  }));
  return { lowText: text(name, low), highText: text(name, high), now: percentOf(value), parts };
}

/** The changes of single readings that flip the verdict of `today`, and their frequency over `history`. */
export function flipView(today: InputDay, history: readonly InputDay[]) {
  const signal = decideSignal(today.inputs);
  const targets = flips(today.inputs, today.readings);
  const movesOf = new Map(READING_NAMES.map((name) => [name, weeklyMoves(history, name)]));
  const found = targets.flatMap(({ verdict, readings }) =>
    readings.flatMap((reading) => foundFlip(reading, verdict, movesOf.get(reading.name) ?? []) ?? []),
  );
  return {
    lead: leadOf(signal, found),
    verdicts: targets.map(({ verdict }) => verdict),
    rows: READING_NAMES.map((name) => {
      const value = today.readings[name];
      const row = signal.rows.find(({ input }) => input === READINGS[name].input);
      const isMeasured = value !== null && row?.score != null;
      const { session } = today.inputs[READINGS[name].input];
      const olderText = session === null || session === today.session ? '' : `, as of ${writeDay(session)}`;
      return {
        name,
        nameText: NAMES_OF_READINGS[name],
        nowText: isMeasured ? text(name, value) + olderText : null,
        cells: isMeasured
          ? found
              .filter((flip) => flip.name === name)
              .map((flip) => ({
                ...{ verdict: flip.verdict, moveText: moveText(flip), oftenText: oftenText(flip) },
              }))
          : [],
        lever: isMeasured ? leverOf(today, name, value) : null,
      };
    }),
  };
}
export type FlipRow = ReturnType<typeof flipView>['rows'][number];
