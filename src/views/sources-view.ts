import { EXCHANGE } from '#domain/breadth/universe.ts';
import { marketOf } from '#domain/record/grade-weeks.ts';
import type { DashboardRows } from '#schema/dashboard.ts';
import { DEMONSTRATIONS, type MarketSource } from '#schema/market-source.ts';
import { newestInstant, observedRows } from './observed.ts';

const CHIPS = {
  simulated: {
    text: 'Demo data: invented numbers',
    title: 'These numbers come from a simulated market with invented companies.',
  },
  replay: {
    text: 'Demo data: past numbers',
    title: 'These numbers are past market data, moved to today for demonstration.',
  },
};

export function demoOf(sources: readonly (MarketSource | null)[]) {
  const kind = DEMONSTRATIONS.find((source) => sources.includes(source));
  return kind === undefined ? null : { kind, ...CHIPS[kind] };
}
export type DemoView = NonNullable<ReturnType<typeof demoOf>>;

export const demoView = (rows: DashboardRows) => demoOf(observedRows(rows).map(({ source }) => source));

const DEMO_TEXTS: Readonly<Record<string, string>> = {
  simulated: 'Demonstration: a simulated market with invented numbers.',
  replay: 'Demonstration: past market data, moved to today.',
};

/** The sentence that marks a page of demonstration data; null for actual data. */
export const demoTextOf = (source: string | null): string | null => DEMO_TEXTS[marketOf(source)] ?? null;

/** The sentences that mark such a page if it also has statements about the actual market. */
export function demoTextBesideReal(source: string | null): string | null {
  const text = demoTextOf(source);
  return text && `${text} Only a sentence that says “real” is about the actual market.`;
}

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
