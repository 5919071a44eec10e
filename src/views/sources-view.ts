import { EXCHANGE } from '#domain/breadth/universe.ts';
import type { DashboardRows } from '#schema/dashboard.ts';
import type { MarketSource } from '#schema/market-source.ts';
import { demoView } from './demo-view.ts';
import { newestInstant, observedRows } from './observed.ts';

const FROM_FILES =
  'These numbers are computed from files that the operator of this page supplied. Nothing is recorded of each input.';

function universeOf({ breadth, indicators }: DashboardRows): string {
  const named = [breadth?.universe, indicators?.trin_universe, indicators?.tick_universe];
  return named.find((name) => name != null && name !== EXCHANGE) ?? 'the stocks followed';
}

/** The source of the newest rows, or the demonstration that any row belongs to; null without rows of a source. */
export function sourceOf(rows: DashboardRows): MarketSource | null {
  const observed = observedRows(rows);
  const newest = newestInstant(observed);
  const sources = observed.filter(({ created_at }) => created_at === newest).map(({ source }) => source);
  return demoView(rows)?.kind ?? sources.find((source) => source !== null) ?? null;
}

/** The source of the numbers according to the rows; null if every table is empty. */
export function sourcesView(rows: DashboardRows) {
  const observed = observedRows(rows);
  const newest = newestInstant(observed);
  if (newest === null) return null;
  const files = observed.some((row) => row.created_at === newest && row.source === 'csv');
  return {
    createdAt: newest,
    universe: universeOf(rows),
    text: demoView(rows)?.title ?? (files ? FROM_FILES : null),
  };
}
export type SourcesView = NonNullable<ReturnType<typeof sourcesView>>;
