import { sessionClose } from '#domain/calendar/sessions.ts';
import type { InputOrigin } from '../origins.ts';
import type { ProviderName } from '../providers/provider.ts';
import type { Given } from './given.ts';
import type { HeldView } from './held-view.ts';
import type { PlannedGroup } from './plan.ts';

/** When the values of a session still open stood (epoch ms); null where it is closed. */
interface OpenSession {
  readonly session: string;
  readonly bars: number;
  readonly series: number;
}

/**
 * Where each input of the plan comes from, seen from `session`: its newest value at or before it. Of a value that
 * was held before the run, who gave it is in the record of an earlier run: its provider and fetch are null here,
 * its session is not.
 */
export function originsOf(
  session: string,
  {
    plan,
    held,
    given,
    open,
    fetchedAt,
  }: {
    plan: readonly PlannedGroup[];
    held: HeldView;
    given: Given;
    open: OpenSession | null;
    /** Epoch ms. */
    fetchedAt: (provider: ProviderName) => number;
  },
): InputOrigin[] {
  return plan.flatMap(({ inputs }) =>
    inputs.map((input) => {
      const found = input === 'bars' ? given.newestBars(session) : given.newestValue(input, session);
      const kept = input === 'bars' ? held.newestSession(session) : held.newestValue(input, session);
      const isNewest = found !== null && (kept === null || found.session >= kept);
      const newest = isNewest && isMostOf(found, held) ? found : null;
      const of = newest?.session ?? kept;
      if (of === null) return { input, provider: null, session: null, observedAt: null, fetchedAt: null };
      const isOpen = open !== null && open.session === of;
      const observedAt = isOpen ? (input === 'bars' ? open.bars : open.series) : sessionClose(of);
      return newest === null
        ? { input, provider: null, session: of, observedAt, fetchedAt: null }
        : {
            input,
            provider: newest.provider,
            session: of,
            observedAt,
            fetchedAt: fetchedAt(newest.provider),
          };
    }),
  );
}

/** Whether what was given is most of what there is: a few bars filled in beside those held are not. */
function isMostOf(found: { session: string; bars?: number }, held: HeldView): boolean {
  return found.bars === undefined || 2 * found.bars >= held.barsOn(found.session);
}
