import type { advancedView } from './advanced-view.ts';
import type { dashboardView } from './dashboard-view.ts';
import type { dataAgeView } from './data-age-view.ts';
import type { demoOf } from './demo-view.ts';
import type { fearGreedView } from './fear-greed-view.ts';
import type { indicesView } from './indices-view.ts';
import type { insightsView } from './insights-view.ts';
import type { marketHoursView } from './market-hours-view.ts';
import type { metricsView } from './metrics-view.ts';
import type { sentimentView } from './sentiment-view.ts';
import type { signalView, storedBreakdown } from './signal-view.ts';
import type { sourcesView } from './sources-view.ts';
import type { sparklineView } from './sparkline-view.ts';
import type { timelineOf } from './timeline-view.ts';
import type { trailView } from './trail-view.ts';

export type { TimelinePoint } from './timeline-view.ts';

/*
 * The content of the page: plain data with all texts and numbers formatted. An unknown number has the
 * value null, the text '—' and no label. A panel without content is null and is omitted. Each view is what its function
 * returns, so the function documents it.
 */

type Made<Make extends (...inputs: never[]) => unknown> = NonNullable<ReturnType<Make>>;

export type DashboardView = Made<typeof dashboardView>;
export type DataAgeView = Made<typeof dataAgeView>;
export type MarketHoursView = Made<typeof marketHoursView>;
export type DemoView = Made<typeof demoOf>;
export type SourcesView = Made<typeof sourcesView>;
export type IndicesView = Made<typeof indicesView>;

export type SignalView = Made<typeof signalView>;
export type BreakdownView = Made<typeof storedBreakdown>;
export type TrailView = Made<typeof trailView>;

export type SentimentView = Made<typeof sentimentView>;
export type SentimentCard = SentimentView['cards'][number];

export type FearGreedView = Made<typeof fearGreedView>;
export type TimelineView = Made<typeof timelineOf>;
export type SparklineView = Made<typeof sparklineView>;

export type MetricsView = Made<typeof metricsView>;
export type MetricCard = MetricsView['cards'][number];
export type AdvancedView = Made<typeof advancedView>;
export type BreadthView = NonNullable<AdvancedView['breadth']>;
export type InsightsView = Made<typeof insightsView>;
