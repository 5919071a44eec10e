import { quantile } from '../statistics.ts';
import { blockBootstrap } from './block-bootstrap.ts';
import { hasFallen, hasOutcome, type KnownWeek, shareOfFalls } from './outlook.ts';
import { type DailyCloses, pastWeeks, VIX_BANDS } from './past-weeks.ts';

/**
 * The lowest of the next 20 closes against the close of the week (share), in the weeks of a history whose outcome is known:
 * one row for each band of the VIX that occurred, the calmest first.
 */
export function worstByBand(history: DailyCloses) {
  const weeks = pastWeeks(history).filter(hasOutcome);
  return VIX_BANDS.flatMap((band) => {
    const spells: KnownWeek[][] = [];
    weeks.forEach((week, at) => {
      if (week.band !== band) return;
      if (weeks[at - 1]?.band === band) spells.at(-1)?.push(week);
      else spells.push([week]);
    });
    const own = spells.flat();
    const [first] = own;
    const inBand = Uint8Array.from(weeks, (week) => (week.band === band ? 1 : 0));
    const falls = inBand.map((is, at) => (is === 1 && hasFallen(weeks[at]?.outcome ?? { worst: 0 }) ? 1 : 0));
    if (first === undefined) return [];
    const sorted = Float64Array.from(own, ({ outcome }) => outcome.worst).sort();
    const lowest = own.reduce((low, week) => (week.outcome.worst < low.outcome.worst ? week : low), first);
    return [
      {
        band,
        weeks: own.length,
        // Number of uninterrupted series of these weeks.
        spells: spells.length,
        median: quantile(sorted, 0.5),
        // One week in ten was below.
        tenth: quantile(sorted, 0.1),
        worst: lowest.outcome.worst,
        worstSession: lowest.session,
        // Share of weeks with a fall of 5 % or more, and its 90 % interval.
        fall: shareOfFalls(own),
        fallInterval: blockBootstrap(weeks.length, (drawn) => {
          let [fell, count] = [0, 0];
          for (const at of drawn) {
            count += inBand[at] ?? 0;
            fell += falls[at] ?? 0;
          }
          return fell / count;
        }),
      },
    ];
  });
}
export type WorstOfBand = ReturnType<typeof worstByBand>[number];
