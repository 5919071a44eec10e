import type { Member, SeriesName } from '#domain/market-history.ts';
import type { HttpClient } from '../providers/http-client.ts';
import type { SourceRequest } from '../sources/source.ts';
import type { Ask } from './asking.ts';
import type { PlannedGroup } from './plan.ts';
import type { Target } from './target.ts';

/** What is asked for; sessions, both included. */
export interface Span {
  readonly from: string;
  readonly to: string;
}

/** Symbols and days nobody had anything of, with the session that was asked up to: once a session is enough. */
export type AskedInVain = Map<string, string>;

/** What the parts of one run share. */
export interface LiveRun {
  readonly request: SourceRequest;
  readonly http: HttpClient;
  readonly ask: Ask;
  readonly plan: readonly PlannedGroup[];
  readonly members: readonly Member[];
  readonly target: Target;
  /** What the members stand for in words. */
  readonly universe: string;
  /** Whose past was read in this run, so that the newest sessions are enough now. */
  readonly deepened: { readonly symbols: Set<string>; readonly series: Set<SeriesName> };
  /** Symbols that might have a past, had the providers answered. */
  readonly unanswered: Set<string>;
  /** Days whose put/call ratios were asked for in this run. */
  readonly daysAsked: Set<string>;
  readonly inVain: AskedInVain;
}
