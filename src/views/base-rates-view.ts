import { roundTo } from '#domain/bands/precision.ts';
import type { FearGreedLabel } from '#domain/bands/score-bands.ts';
import type { ChangesAfter, HorizonRates } from '#domain/record/base-rates.ts';
import { writeNarrowDate } from './day.ts';
import { countText, figureOf } from './number.ts';
import { changeText, intervalText } from './record-view.ts';

function rowOf(label: FearGreedLabel | 'All weeks', after: ChangesAfter) {
  const { count, separate, spells, figures, worst } = after;
  return {
    label,
    weeksText: countText(count, 'week'),
    apartText: `${separate} apart`,
    spellsText: countText(spells, 'spell'),
    figures: figures && {
      meanText: changeText(figures.mean),
      medianText: changeText(figures.median),
      higherText: `${Math.round(figures.higher)}%`,
    },
    worst: worst && { text: changeText(worst.changePercent), dateText: writeNarrowDate(worst.session) },
  };
}

function leadOf(rates: readonly HorizonRates[]): string {
  const known = rates.flatMap(({ horizon, bands }) =>
    bands.flatMap(({ label, difference }) => (difference === null ? [] : { label, horizon, difference })),
  );
  if (known.length === 0) {
    return 'The stored history is too short to say how the S&P 500 changed after each band of Fear & Greed.';
  }
  const bound = 'Random variation alone stays below this bound in 19 of 20 tables.';
  const beyond = known.filter(({ difference }) => difference.standsOut);
  if (beyond.length === 0) {
    return `No band of Fear & Greed stands out: of ${known.length} differences from the mean of all weeks, none is beyond the bound for the whole table. ${bound}`;
  }
  const names = beyond.map(({ label, horizon }) => `${label} over ${countText(horizon, 'week')}`);
  return `Some bands of Fear & Greed stand out: of ${known.length} differences from the mean of all weeks, ${beyond.length} ${beyond.length === 1 ? 'is' : 'are'} beyond the bound for the whole table (${names.join(', ')}). ${bound}`;
}

/** The end of the scale of the differences: the farthest end of an interval, in whole percentage points, at least 1. */
function mostOf(bands: HorizonRates['bands']): number {
  const ends = bands.flatMap(({ difference }) => difference && [difference.low, difference.high]);
  return Math.ceil(Math.max(1, ...ends.map((end) => Math.abs(end ?? 0))));
}

function horizonOf({ horizon, all, bands }: HorizonRates) {
  const most = mostOf(bands);
  // Places are percent of a scale that all rows of the horizon share, with zero at 50.
  const placeOf = (value: number) => roundTo(50 + (50 * value) / most, 1);
  const rows = bands.map(({ label, difference, ...after }) => ({
    ...rowOf(label, after),
    difference: difference && {
      text: changeText(difference.value),
      intervalText: intervalText(difference),
      at: placeOf(difference.value),
      from: placeOf(difference.low),
      to: placeOf(difference.high),
    },
  }));
  return {
    title: `After ${countText(horizon, 'week')}`,
    scaleText: `±${figureOf('score', most).text}`,
    rows: [...rows, { ...rowOf('All weeks', all), difference: null }],
  };
}

export function baseRatesView(rates: readonly HorizonRates[]) {
  return { lead: leadOf(rates), horizons: rates.map(horizonOf) };
}
export type BaseRatesView = ReturnType<typeof baseRatesView>;
export type BaseRateRow = BaseRatesView['horizons'][number]['rows'][number];
