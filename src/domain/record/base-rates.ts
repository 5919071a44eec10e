import { fearGreedBand } from '../bands/score-bands.ts';
import { FEAR_GREED_BANDS } from '../bands/zone-bands.ts';
import { weeksAfter } from '../calendar/iso-week.ts';
import { startOfMarketDay } from '../calendar/sessions.ts';
import { median } from '../statistics.ts';
import { type CloseWindow, compareMeans } from './compare-means.ts';
import { entrySessionOf, exitSessionOf, HORIZONS, type Horizon } from './grade-weeks.ts';
import { summariseChanges } from './summarise-changes.ts';
import { type OfSession, type Week, weeksOf } from './weeks-of.ts';

/** The Fear & Greed index and the S&P 500 at the close of a session; null if missing. */
export interface IndexDay extends OfSession {
  readonly fearGreed: number | null;
  readonly close: number | null;
}

/** The bands from low to high. */
const BANDS = FEAR_GREED_BANDS.toReversed();

interface Sample extends CloseWindow {
  readonly session: string;
  /** Index in BANDS. */
  readonly band: number;
}

/** A day with the index. */
type MeasuredDay = IndexDay & { readonly fearGreed: number };

const isMeasured = (day: IndexDay): day is MeasuredDay => day.fearGreed !== null;

/** One sample for each week whose window has both closes. The window begins after the week, by the rule of the grades. */
function samplesOf(
  weeks: readonly Week<MeasuredDay>[],
  closes: ReadonlyMap<string, number | null>,
  horizon: Horizon,
): Sample[] {
  return weeks.flatMap(({ monday, last }) => {
    const end = startOfMarketDay(weeksAfter(monday, 1));
    const [entrySession, exitSession] = [entrySessionOf(end), exitSessionOf(end, horizon)];
    const [entryClose, exitClose] = [closes.get(entrySession) ?? null, closes.get(exitSession) ?? null];
    if (entryClose === null || exitClose === null) return [];
    const { label } = fearGreedBand(last.fearGreed);
    const changePercent = (exitClose / entryClose - 1) * 100;
    const band = BANDS.findIndex((one) => one.label === label);
    const window = { entrySession, entryClose, exitSession, exitClose, changePercent };
    return [{ week: monday, session: last.session, band, ...window }];
  });
}

/** Changes of the S&P 500 (percent) after the weeks of a group, over one horizon. */
function changesAfter(samples: readonly Sample[]) {
  const { count, separate, spells, mean } = summariseChanges(samples);
  const sorted = samples.toSorted((a, b) => a.changePercent - b.changePercent);
  const [worst = null] = sorted;
  const higher = samples.filter(({ changePercent }) => changePercent > 0).length;
  return {
    ...{ count, separate, spells },
    // Null for fewer than 8 non-overlapping windows. `higher` is the percent of the weeks after which the index was higher.
    figures:
      mean === null
        ? null
        : {
            mean,
            median: median(sorted.map(({ changePercent }) => changePercent)),
            higher: (100 * higher) / count,
          },
    // The largest fall, or the smallest rise if there was no fall; null without weeks.
    worst: worst && { session: worst.session, changePercent: worst.changePercent },
  };
}

export type ChangesAfter = ReturnType<typeof changesAfter>;

/**
 * Changes of the S&P 500 over 1, 4 and 13 weeks after weeks that ended in each Fear & Greed band, one sample per
 * week. The differences are one set: one stands out only among all of them.
 */
export function baseRates(days: readonly IndexDay[]) {
  const weeks = weeksOf(days.filter(isMeasured));
  const closes = new Map(days.map(({ session, close }) => [session, close]));
  const groups = HORIZONS.map((horizon) => {
    const all = samplesOf(weeks, closes, horizon);
    const bands = BANDS.map(({ label }, band) => {
      const samples = all.filter((sample) => sample.band === band);
      return { label, samples, after: changesAfter(samples) };
    });
    return { horizon, all, bands };
  });
  const cells = groups.flatMap(({ all, bands }) =>
    bands.flatMap(({ samples, after }) => (after.figures === null ? [] : { of: samples, with: all })),
  );
  const compared = compareMeans(cells);
  const differenceOf = new Map(cells.map(({ of }, at) => [of, compared[at] ?? null]));
  return groups.map(({ horizon, all, bands }) => ({
    horizon,
    all: changesAfter(all),
    // From the lowest band to the highest.
    bands: bands.map(({ label, samples, after }) => ({
      label,
      ...after,
      // The band's mean minus the mean after all weeks; null for fewer than 8 non-overlapping windows.
      difference: differenceOf.get(samples) ?? null,
    })),
  }));
}
export type HorizonRates = ReturnType<typeof baseRates>[number];
