import type { DashboardRows } from '#schema/dashboard.ts';
import { advancedView } from './advanced-view.ts';
import { dataAgeView } from './data-age-view.ts';
import { fearGreedView } from './fear-greed-view.ts';
import { indicesView } from './indices-view.ts';
import { insightsView } from './insights-view.ts';
import { marketHoursView } from './market-hours-view.ts';
import { metricsView } from './metrics-view.ts';
import { newestInstant, observedRows } from './observed.ts';
import { sentimentView } from './sentiment-view.ts';
import { signalView } from './signal-view.ts';
import { demoView, sourcesView } from './sources-view.ts';

export type { DashboardRows } from '#schema/dashboard.ts';

/**
 * The views of all panels: plain data with all texts and numbers formatted. An unknown number has the value null, the text
 * '—' and no label. A panel without content is null and is omitted. The age is that at `now` (epoch ms). `productName`
 * replaces "Barometer".
 */
export function dashboardView(rows: DashboardRows, now: number, productName = 'Barometer') {
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
export type DashboardView = ReturnType<typeof dashboardView>;
