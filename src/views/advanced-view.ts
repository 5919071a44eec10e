import type { DashboardRows } from '#schema/dashboard.ts';
import { breadthView } from './breadth-view.ts';
import { indicatorsView } from './indicators-view.ts';
import type { AdvancedView } from './model.ts';
import { withOtherSet } from './other-set.ts';
import { putCallDue } from './put-call-due.ts';
import { sectorsView } from './sectors-view.ts';

/** The collapsible panel of indicators, sectors and breadth; null when all three tables are empty. */
export function advancedView(rows: DashboardRows, newest: string | null, now: number): AdvancedView | null {
  const counted = withOtherSet(rows);
  const indicators = indicatorsView(counted.indicators, newest, putCallDue(rows, now));
  const sectors = sectorsView(rows.sectors, newest);
  const breadth = breadthView(counted.breadth, newest);
  if (indicators === null && sectors === null && breadth === null) return null;
  const metricCount = (indicators?.items.length ?? 0) + (sectors?.items.length ?? 0) + 1;
  return {
    title: 'Advanced Market Indicators, Sectors & Breadth',
    metricCount,
    metricCountText: `${metricCount} ${metricCount === 1 ? 'metric' : 'metrics'}`,
    indicators,
    sectors,
    breadth,
  };
}
