import { marketOf } from '#domain/record/grade-weeks.ts';

const DEMO_TEXTS: Readonly<Record<string, string>> = {
  simulated:
    'Demonstration: a simulated market with invented numbers. Everything below describes that market only.',
  replay:
    'Demonstration: past market data, moved to today. Everything below describes those moved numbers only.',
};

/** The sentence that marks a page of demonstration data; null for actual data. */
export const demoTextOf = (source: string | null): string | null => DEMO_TEXTS[marketOf(source)] ?? null;
