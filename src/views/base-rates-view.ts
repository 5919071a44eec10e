import type { FearGreedLabel } from '#domain/bands/fear-greed-band.ts';
import { BASE_RATE_COVERAGE, type ChangesAfter, type HorizonRates } from '#domain/record/base-rates.ts';
import { writeDateAndMonth } from './day.ts';
import { figureOf } from './number.ts';
import { weeksText } from './record-view.ts';

export interface BaseRateRow {
  label: FearGreedLabel | 'All weeks';
  /** '52 weeks'. */
  weeksText: string;
  /** '12 spells'. */
  spellsText: string;
  /** Percent; null for fewer than 8 non-overlapping windows. */
  figures: {
    meanText: string;
    medianText: string;
    /** '55%'. */
    higherText: string;
  } | null;
  /**
   * The difference in percentage points, and the ends of its interval; null if there are too few windows, and in the
   * row of all weeks.
   */
  difference: { text: string; intervalText: string } | null;
  /** Null without weeks. */
  worst: { text: string; dateText: string } | null;
}

export interface BaseRatesView {
  lead: string;
  horizons: readonly { title: string; rows: readonly BaseRateRow[] }[];
}

const change = (percent: number | null) => figureOf('changePercent', percent, { signed: true }).text;

/** Writes '9 Jan 2026' so that a line can break only before the year. */
const dateText = (session: string) =>
  `${writeDateAndMonth(session).replace(' ', '\u00a0')} ${session.slice(0, 4)}`;

function rowOf(label: BaseRateRow['label'], after: ChangesAfter): BaseRateRow {
  const { weeks, spells, figures, worst } = after;
  return {
    label,
    weeksText: weeksText(weeks),
    spellsText: `${spells} ${spells === 1 ? 'spell' : 'spells'}`,
    figures: figures && {
      meanText: change(figures.mean),
      medianText: change(figures.median),
      higherText: `${Math.round(figures.higher)}%`,
    },
    difference: null,
    worst: worst && { text: change(worst.changePercent), dateText: dateText(worst.session) },
  };
}

function leadOf(rates: readonly HorizonRates[]): string {
  const known = rates.flatMap(({ bands }) => bands.flatMap(({ difference }) => difference ?? []));
  if (known.length === 0) {
    return 'The stored history is too short to say how the S&P 500 changed after each band of Fear & Greed.';
  }
  const apart = known.filter(({ low, high }) => low > 0 || high < 0).length;
  const expected = known.length * (1 - BASE_RATE_COVERAGE);
  const start =
    apart > expected ? 'Some bands of Fear & Greed stand out' : 'No band of Fear & Greed stands out';
  return `${start}: of ${known.length} differences from the mean of all weeks, ${apart} ${apart === 1 ? 'has' : 'have'} an interval without zero. Random variation alone would give about ${figureOf('score', expected).text}.`;
}

/** The base rates of the bands as text. */
export function baseRatesView(rates: readonly HorizonRates[]): BaseRatesView {
  return {
    lead: leadOf(rates),
    horizons: rates.map(({ horizon, all, bands }) => ({
      title: `After ${weeksText(horizon)}`,
      rows: [
        ...bands.map(({ label, difference, ...after }) => ({
          ...rowOf(label, after),
          difference: difference && {
            text: change(difference.value),
            intervalText: `${change(difference.low)}\u00a0to ${change(difference.high)}`,
          },
        })),
        rowOf('All weeks', all),
      ],
    })),
  };
}
