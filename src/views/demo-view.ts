import { marketOf } from '#domain/record/grade-weeks.ts';
import type { DashboardRows } from '#schema/dashboard.ts';
import { DEMONSTRATIONS, type MarketSource } from '#schema/market-source.ts';
import { observedRows } from './observed.ts';

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
