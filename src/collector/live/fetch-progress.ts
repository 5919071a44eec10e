import type { Report } from '../progress.ts';
import { LIVE_LIMITS } from './limits.ts';
import type { LiveRun } from './run.ts';

/** Bars of one page of a provider that takes many symbols a request. */
const BARS_A_PAGE = 10_000;

/** Counts the requests that fetching the past takes: they go at a steady pace, so that their rest tells the time left. */
export interface FetchProgress {
  done(requests: number): void;
}

/** Reports each step; nothing where there is nothing to fetch. */
export function createFetchProgress(report: Report, requests: number): FetchProgress {
  const total = Math.ceil(requests);
  let done = 0;
  const tell = () => report({ stage: 'fetching', done: Math.min(total, Math.ceil(done)), total });
  if (total > 0) tell();
  return {
    done(more) {
      done += more;
      tell();
    },
  };
}

/** About how many requests the whole past of `symbols` takes from the first choice for bars. */
export function requestsForBars({ plan }: Pick<LiveRun, 'plan'>, symbols: number): number {
  const [first] = plan.find(({ asking }) => asking === 'bars')?.providers ?? [];
  const aSymbol = first?.symbolsARequest === 1 ? 1 : LIVE_LIMITS.barSessions / BARS_A_PAGE;
  return symbols * aSymbol;
}
