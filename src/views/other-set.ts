import { isSessionClose } from '#domain/calendar/sessions.ts';
import type { DashboardRows } from '#schema/dashboard.ts';

const WARNING = ', not comparable with closes';

/** The stocks that an open session counts in place of those of the closes, by the close a week ago [R25]; null if both are the same. */
function otherSet({ breadth, weekAgo }: DashboardRows): string | null {
  const atClose = weekAgo.breadth?.universe ?? null;
  if (breadth === null || atClose === null || breadth.universe === atClose) return null;
  return isSessionClose(Date.parse(breadth.created_at)) ? null : breadth.universe;
}

/** 'Counts of S&P 500, not comparable with closes'; null if the closes count the same stocks. */
export function otherSetText(rows: DashboardRows): string | null {
  const set = otherSet(rows);
  return set === null ? null : `Counts of ${set}${WARNING}`;
}

/** The rows with a warning beside the names of the counted stocks, if the closes count other stocks. */
export function withOtherSet(rows: DashboardRows): Pick<DashboardRows, 'indicators' | 'breadth'> {
  const { indicators, breadth } = rows;
  if (otherSet(rows) === null) return { indicators, breadth };
  const marked = (set: string | null | undefined) => (set == null ? null : set + WARNING);
  return {
    indicators: indicators && {
      ...indicators,
      mcclellan_universe: marked(indicators.mcclellan_universe),
      high_low_universe: marked(indicators.high_low_universe),
    },
    breadth: breadth && { ...breadth, universe: marked(breadth.universe) },
  };
}
