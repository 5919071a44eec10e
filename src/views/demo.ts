import type { DashboardRows } from '#schema/dashboard.ts';
import type { DemoView } from './model.ts';
import { observedRows } from './observed.ts';

const DEMO = {
  simulated: {
    kind: 'simulated',
    text: 'Demo data',
    title: 'These numbers come from a simulated market with invented companies.',
  },
  replay: {
    kind: 'replay',
    text: 'Demo data',
    title: 'These numbers are past market data, moved to today for demonstration.',
  },
} as const;

/** The chip of data that is not today's market; null when no group is. */
export function demoView(rows: DashboardRows): DemoView | null {
  const sources = observedRows(rows).map(({ source }) => source);
  if (sources.includes('simulated')) return DEMO.simulated;
  return sources.includes('replay') ? DEMO.replay : null;
}
