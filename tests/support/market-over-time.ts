import { PROVIDER_NAMES, type ProviderName } from '#collector/providers/names.ts';
import { createLiveSource } from '#collector/sources/live.ts';
import type { Source } from '#collector/sources/source.ts';
import { sessionClose } from '#domain/calendar/sessions.ts';
import type { Member, SeriesName } from '#domain/market-history.ts';
import { fakeHttp, fakeProvider } from './fake-providers.ts';

const HOUR = 3_600_000;
/** How long after the close the late figures are out. */
const PUBLISHED_AFTER: Partial<Record<SeriesName, number>> = {
  put_call_total: 2.5 * HOUR,
  put_call_equity: 2.5 * HOUR,
  high_yield_oas: 15 * HOUR,
  investment_grade_oas: 15 * HOUR,
  treasury_10y_yield: 3 * HOUR,
};
/** Prices before the close are off by this much, so that one of them taken for a close is seen. */
const WITHIN_SESSION = 1.01;

/**
 * The live source over providers that know at each instant what real ones do: prices of the session under way that are
 * not its closes, and late figures once they are out. In some hours one of them fails of everything.
 */
export function marketOverTime({
  members,
  now,
  first,
  failing,
}: {
  members: readonly Member[];
  now: () => number;
  /** The day its history begins. */
  first: string;
  /** Who fails at an instant; null for nobody. */
  failing: (now: number) => ProviderName | null;
}): Source {
  const closes = new Map<string, number>();
  const closeOf = (session: string): number => {
    const close = closes.get(session) ?? sessionClose(session);
    closes.set(session, close);
    return close;
  };
  const providers = PROVIDER_NAMES.map((name) => {
    const provider = fakeProvider(name);
    provider.bars = (bar) => {
      if (bar.session < first) return null;
      if (now() >= closeOf(bar.session)) return bar;
      return { ...bar, close: bar.close * WITHIN_SESSION, high: bar.high * WITHIN_SESSION };
    };
    provider.value = (series, session, value) => {
      if (session < first) return null;
      const out = closeOf(session) + (PUBLISHED_AFTER[series] ?? 0);
      if (now() >= out) return value;
      return PUBLISHED_AFTER[series] === undefined ? value * WITHIN_SESSION : null;
    };
    provider.failing = () => (failing(now()) === name ? 'server error' : null);
    return provider;
  });
  return createLiveSource({
    providers,
    readMembers: async () => members,
    universe: 'Test',
    openHttp: () => fakeHttp(),
  });
}
