import type { DashboardRows } from '#schema/dashboard.ts';
import { advancedView } from './advanced.ts';
import { dataAgeView } from './data-age.ts';
import { demoView } from './demo.ts';
import { fearGreedView } from './fear-greed.ts';
import { indicesView } from './indices.ts';
import { insightsView } from './insights.ts';
import { marketHoursView } from './market-hours.ts';
import { metricsView } from './metrics.ts';
import type { DashboardView } from './model.ts';
import { newestInstant, observedRows } from './observed.ts';
import { sentimentView } from './sentiment.ts';
import { signalView } from './signal.ts';
import { sourcesView } from './sources.ts';

export type { DashboardRows } from '#schema/dashboard.ts';

/**
 * Every panel of the page from the rows read; `now` in epoch milliseconds decides their age. `productName`
 * stands where the specification says Barometer.
 */
export function dashboardView(rows: DashboardRows, now: number, productName = 'Barometer'): DashboardView {
  const newest = newestInstant(observedRows(rows));
  return {
    age: dataAgeView(rows, now),
    hours: marketHoursView(now),
    demo: demoView(rows),
    sources: sourcesView(rows),
    indices: indicesView(rows.indices, newest),
    signal: signalView(rows, now),
    sentiment: sentimentView(rows.sentiment, newest),
    fearGreed: fearGreedView(rows.fearGreed, newest),
    metrics: metricsView(rows.metrics, newest, productName),
    advanced: advancedView(rows, newest, now),
    insights: insightsView(rows),
  };
}
