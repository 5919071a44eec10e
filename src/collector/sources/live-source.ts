import type { Member } from '#domain/market-history.ts';
import type { Source, SourcePublishing } from '../history/source.ts';
import { backfillParts } from '../live/backfill.ts';
import { firstStored, LIVE_LIMITS, planGroups } from '../live/plan.ts';
import { fetchRecent } from '../live/recent.ts';
import { createRunContext, type KnownGaps, runOver } from '../live/run.ts';
import type { Problems } from '../problems.ts';
import type { HttpClient, Input, Provider } from '../providers/provider.ts';
import { decideRight, EVERYTHING, type Publishing, sheetOf } from '../providers/rights.ts';

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
  /** The operator's settings for publishing. Data without any right is not requested. */
  publishing?: Publishing;
}

/** Market data from providers: missing history part by part, then the recent sessions. */
export function createLiveSource({
  providers,
  readMembers,
  universe,
  openHttp,
  knownGaps = new Map(),
  publishing: settings = EVERYTHING,
}: LiveSourceOptions): Source {
  const isUsable = ({ name }: Provider, input: Input) => {
    const right = decideRight(settings, [name], input);
    // No score comes from this series. `/risk` shows its newest stored number at once.
    if (input === 'ofr_stress_index') return right === 'value' && settings.delay === 0;
    return right !== 'none';
  };
  const plan = planGroups(
    providers.map((provider) => {
      const isOwnUsable = (input: Input) => isUsable(provider, input);
      return provider.inputs.every(isOwnUsable)
        ? provider
        : {
            ...provider,
            inputs: provider.inputs.filter(isOwnUsable),
            openSessionInputs: provider.openSessionInputs.filter(isOwnUsable),
          };
    }),
  );
  const publishing: SourcePublishing = {
    settings,
    suppliersOf: (input) =>
      providers.flatMap((each) => (each.inputs.includes(input) && isUsable(each, input) ? [each.name] : [])),
    sheet: sheetOf(
      settings,
      providers.map(({ name, inputs }) => ({ supplier: name, inputs })),
    ),
  };
  let calls: HttpClient['calls'] = () => [];
  return {
    name: 'live',
    storedSessions: LIVE_LIMITS.barSessions,
    axisFrom: (now) => firstStored(now, LIVE_LIMITS.seriesSessions),
    async plan(request) {
      const http = openHttp(request.signal);
      calls = http.calls;
      const members = await readMembers(request.problems);
      const name = universe ?? `${members.length} stocks`;
      const context = createRunContext({ request, http, plan, members, knownGaps, universe: name });
      return {
        missing: backfillParts(runOver(context, request.stored)),
        read: (stored) => fetchRecent(runOver(context, stored)),
      };
    },
    calls: () => calls(),
    publishing,
  };
}
