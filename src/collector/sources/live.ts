import type { Member } from '#domain/market-history.ts';
import { backfillParts } from '../live/backfill.ts';
import { LIVE_LIMITS } from '../live/limits.ts';
import { planGroups } from '../live/plan.ts';
import { fetchRecent } from '../live/recent.ts';
import { createRun, type KnownGaps, type Run } from '../live/run.ts';
import type { Problems } from '../problems.ts';
import type { HttpClient } from '../providers/http-client.ts';
import type { Provider } from '../providers/provider.ts';
import type { Source, SourceRequest } from './source.ts';

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
  let current: { problems: Problems; http: HttpClient; run: Promise<Run> } | null = null;

  /** The run of a request. `backfill` and `read` of one run have the same `problems`. */
  async function runOf(request: SourceRequest): Promise<Run> {
    const { problems, signal } = request;
    if (current?.problems !== problems) {
      const http = openHttp(signal);
      const open = async () => {
        const members = await readMembers(problems);
        return createRun({
          request,
          http,
          plan,
          members,
          knownGaps,
          universe: universe ?? `${members.length} stocks`,
        });
      };
      current = { problems, http, run: open() };
    }
    const run = await current.run;
    run.begin(request);
    return run;
  }

  return {
    word: 'live',
    reach: LIVE_LIMITS.barSessions,
    async *backfill(request) {
      yield* backfillParts(await runOf(request));
    },
    read: async (request) => fetchRecent(await runOf(request)),
    calls: () => current?.http.calls() ?? [],
  };
}
