import type { Member } from '#domain/market-history.ts';
import { createAsking } from '../live/asking.ts';
import { LIVE_LIMITS } from '../live/limits.ts';
import { readPast } from '../live/past.ts';
import { planGroups } from '../live/plan.ts';
import { readRecent } from '../live/read.ts';
import type { AskedInVain, LiveRun } from '../live/run.ts';
import { targetAt } from '../live/target.ts';
import type { Problems } from '../problems.ts';
import type { HttpClient } from '../providers/http-client.ts';
import type { Provider } from '../providers/provider.ts';
import type { Source, SourceRequest } from './source.ts';

export interface LiveSourceOptions {
  providers: readonly Provider[];
  /** The universe as it is now; throws SourceError when there is none. */
  readMembers: (problems: Problems) => Promise<readonly Member[]>;
  /** What the companies are called together; otherwise their number is. */
  universe?: string | undefined;
  /** What asks the providers in one run, until `signal`. */
  openHttp: (signal: AbortSignal) => HttpClient;
  /** What was asked in vain so far, for who makes the source anew each run; added to. */
  inVain?: AskedInVain;
}

/** The market as providers give it: what is missing of the past part by part, then the newest sessions. */
export function createLiveSource({
  providers,
  readMembers,
  universe,
  openHttp,
  inVain = new Map(),
}: LiveSourceOptions): Source {
  const plan = planGroups(providers);
  let current: { problems: Problems; http: HttpClient; run: Promise<LiveRun> } | null = null;

  /** `past` and `read` of one run share what it knows; the same `problems` tell that it is one. */
  async function runOf(request: SourceRequest): Promise<LiveRun> {
    const { problems, signal, now } = request;
    if (current?.problems !== problems) {
      const http = openHttp(signal);
      const begin = async (): Promise<LiveRun> => {
        const members = await readMembers(problems);
        return {
          request,
          http,
          ask: createAsking({ problems, signal }),
          plan,
          members,
          target: targetAt(now),
          universe: universe ?? `${members.length} stocks`,
          deepened: { symbols: new Set(), series: new Set() },
          unanswered: new Set(),
          daysAsked: new Set(),
          inVain,
        };
      };
      current = { problems, http, run: begin() };
    }
    return { ...(await current.run), request };
  }

  return {
    word: 'live',
    reach: LIVE_LIMITS.barSessions,
    async *past(request) {
      yield* readPast(await runOf(request));
    },
    read: async (request) => readRecent(await runOf(request)),
    calls: () => current?.http.calls() ?? [],
  };
}
