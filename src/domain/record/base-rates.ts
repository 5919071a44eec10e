import { fearGreedBand } from '../bands/fear-greed-band.ts';
import { FEAR_GREED_BANDS } from '../bands/fear-greed-bands.ts';
import { formatDay, parseDay } from '../calendar/days.ts';
import { bootstrapDifferences, type Interval } from './block-bootstrap.ts';
import { HORIZONS, type Horizon } from './grade-weeks.ts';
import { summariseChanges, type WindowChange } from './summarise-changes.ts';
import { type OfSession, type Week, weeksOf } from './weeks-of.ts';

export const BASE_RATE_BLOCK_WEEKS = 26;
export const BASE_RATE_COVERAGE = 0.9;
const RESAMPLES = 10_000;
const DAYS_A_WEEK = 7;

/** The Fear & Greed index and the S&P 500 at the close of a session; null if missing. */
export interface IndexDay extends OfSession {
  readonly fearGreed: number | null;
  readonly close: number | null;
}

/** Changes of the S&P 500 (percent) after the weeks of a group, over one horizon. */
export interface ChangesAfter {
  /** Number of weeks with a complete window. */
  readonly weeks: number;
  /** Number of uninterrupted series of weeks of the group. */
  readonly spells: number;
  /** Null for fewer than 8 non-overlapping windows. */
  readonly figures: {
    readonly mean: number;
    readonly median: number;
    /** Percent of the weeks after which the index was higher. */
    readonly higher: number;
  } | null;
  /** The lowest change: the largest fall, or the smallest rise if there was no fall; null without weeks. */
  readonly worst: { readonly session: string; readonly changePercent: number } | null;
}

export interface BandRate extends ChangesAfter {
  readonly label: (typeof FEAR_GREED_BANDS)[number]['label'];
  /**
   * The band's mean minus the mean after all weeks, and the interval of this difference; null for fewer than 8
   * non-overlapping windows.
   */
  readonly difference: (Interval & { readonly value: number }) | null;
}

export interface HorizonRates {
  readonly horizon: Horizon;
  readonly all: ChangesAfter;
  /** One entry per band, from the lowest band to the highest. */
  readonly bands: readonly BandRate[];
}

/** The bands from low to high. */
const BANDS = FEAR_GREED_BANDS.toReversed();

interface Sample extends WindowChange {
  readonly session: string;
  /** Index in BANDS. */
  readonly band: number;
}

/** The last session of a week that has both the index and a close. */
interface MeasuredDay {
  readonly session: string;
  readonly fearGreed: number;
  readonly close: number;
}

const isMeasured = (day: IndexDay): day is MeasuredDay => day.fearGreed !== null && day.close !== null;

/** One sample for each week whose window is complete: the week `horizon` weeks later has a close too. */
function samplesOf(weeks: readonly Week<MeasuredDay>[], horizon: Horizon): Sample[] {
  const closeOf = new Map(weeks.map(({ monday, last }) => [monday, last.close]));
  return weeks.flatMap(({ monday, last }) => {
    const exit = closeOf.get(formatDay(parseDay(monday) + horizon * DAYS_A_WEEK));
    if (exit === undefined) return [];
    const { label } = fearGreedBand(last.fearGreed);
    const changePercent = (exit / last.close - 1) * 100;
    const band = BANDS.findIndex((one) => one.label === label);
    return [{ week: monday, session: last.session, band, changePercent }];
  });
}

function spellsOf(samples: readonly Sample[]): number {
  return samples.filter(({ week }, at) => {
    const before = samples[at - 1];
    return before === undefined || parseDay(week) - parseDay(before.week) > DAYS_A_WEEK;
  }).length;
}

function medianOf(sorted: readonly number[]): number {
  const middle = (sorted.length - 1) / 2;
  return ((sorted[Math.floor(middle)] ?? Number.NaN) + (sorted[Math.ceil(middle)] ?? Number.NaN)) / 2;
}

function changesAfter(samples: readonly Sample[], horizon: Horizon): ChangesAfter {
  const { count, mean } = summariseChanges(samples, horizon);
  const sorted = samples.toSorted((a, b) => a.changePercent - b.changePercent);
  const [worst = null] = sorted;
  const higher = samples.filter(({ changePercent }) => changePercent > 0).length;
  return {
    weeks: count,
    spells: spellsOf(samples),
    figures:
      mean === null
        ? null
        : {
            mean,
            median: medianOf(sorted.map(({ changePercent }) => changePercent)),
            higher: (100 * higher) / count,
          },
    worst: worst && { session: worst.session, changePercent: worst.changePercent },
  };
}

function ratesOf(samples: readonly Sample[], horizon: Horizon, random: () => number): HorizonRates {
  const all = changesAfter(samples, horizon);
  const intervals = bootstrapDifferences(
    {
      groups: Uint8Array.from(samples, ({ band }) => band),
      values: Float64Array.from(samples, ({ changePercent }) => changePercent),
      groupCount: BANDS.length,
    },
    {
      blockWeeks: BASE_RATE_BLOCK_WEEKS,
      resamples: RESAMPLES,
      coverage: BASE_RATE_COVERAGE,
      random,
    },
  );
  const bands = BANDS.map(({ label }, band): BandRate => {
    const own = changesAfter(
      samples.filter((sample) => sample.band === band),
      horizon,
    );
    const interval = intervals[band];
    const isKnown = own.figures !== null && all.figures !== null && interval != null;
    const difference = isKnown ? { ...interval, value: own.figures.mean - all.figures.mean } : null;
    return { label, ...own, difference };
  });
  return { horizon, all, bands };
}

/**
 * The changes of the S&P 500 after weeks that ended in each Fear & Greed band, over 1, 4 and 13 weeks. Takes one sample
 * per week, from its last session. `random` returns numbers from 0 to below 1 and decides the intervals: pass a
 * generator with a fixed seed.
 */
export function baseRates(days: readonly IndexDay[], random: () => number): HorizonRates[] {
  const weeks = weeksOf(days.filter(isMeasured));
  return HORIZONS.map((horizon) => ratesOf(samplesOf(weeks, horizon), horizon, random));
}
