import type { FearGreedPoint } from '#schema/dashboard.ts';
import type { TimelineView } from './model.ts';

/** The Fear & Greed timeline; apart from the dashboard so that it is built only when its tab is opened. */
export declare function timelineView(points: readonly FearGreedPoint[]): TimelineView;
