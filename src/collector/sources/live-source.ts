import type { Member } from '#domain/market-history.ts';
import { backfillParts } from '../live/backfill.ts';
import { LIVE_LIMITS, planGroups } from '../live/plan.ts';
import { fetchRecent } from '../live/recent.ts';
import { createRequests, type KnownGaps, runOver } from '../live/run.ts';
import type { Problems } from '../problems.ts';
import type { HttpClient } from '../providers/http-client.ts';
import type { Provider } from '../providers/provider.ts';
import type { Source } from './source.ts';

export interface LiveSourceOptions {
  providers: readonly Provider[];
  /** The current universe; throws SourceError if it cannot be read. */
  readMembers: (problems: Problems) => Promise<readonly Member[]>;
  /** The common name of the members; their number by default. */
  universe?: string | undefined;
  /** Opens the HTTP client of one run, which ends with `signal`. */
  openHttp: (signal: AbortSignal) => HttpClient;
  /** Gaps found by earlier runs, for a caller that creates the source anew for each run. Each run adds to them. */
  knownGaps?: KnownGaps;
}

/** Market data from providers: missing history part by part, then the recent sessions. */
export function createLiveSource({
  providers,
  readMembers,
  universe,
  openHttp,
  knownGaps = new Map(),
}: LiveSourceOptions): Source {
  const plan = planGroups(providers);
  let calls: HttpClient['calls'] = () => [];
  return {
    name: 'live',
    storedSessions: LIVE_LIMITS.barSessions,
    async plan(request) {
      const http = openHttp(request.signal);
      calls = http.calls;
      const members = await readMembers(request.problems);
      const name = universe ?? `${members.length} stocks`;
      const requests = createRequests({ request, http, plan, members, knownGaps, universe: name });
      return {
        missing: backfillParts(runOver(requests, request.stored)),
        read: (stored) => fetchRecent(runOver(requests, stored)),
      };
    },
    calls: () => calls(),
  };
}
