import type { MarketHistory, Member } from '#domain/market-history.ts';
import type { MarketSource } from '#schema/market-source.ts';
import type { Problems } from '../problems.ts';
import type { Input, ProviderCalls, ProviderName } from '../providers/provider.ts';
import type { Publishing, SheetRow, Supplier } from '../providers/rights.ts';

/** Progress of a run; `total` is 0 while it is unknown. */
export interface Progress {
  stage: 'fetching' | 'reading' | 'storing' | 'computing' | 'publishing';
  done: number;
  total: number;
}

export type Report = (progress: Progress) => void;

export interface InputOrigin {
  readonly input: Input;
  /** Null without a value, and for a stored value, whose provider and fetch time an earlier run recorded. */
  readonly provider: ProviderName | null;
  /** The session of the input's newest value. */
  readonly session: string | null;
  /** When that value was observed (epoch ms): the closing bell, or an instant of an open session. */
  readonly observedAt: number | null;
  /** Epoch ms. */
  readonly fetchedAt: number | null;
}

export interface SourceRequest {
  /** Epoch ms. */
  now: number;
  job: 'collect' | 'backfill';
  problems: Problems;
  /** Closed sessions of this source's market: bars of the last `storedSessions`, and series. Null without any. */
  stored: MarketHistory | null;
  /** False if the run that stored a value was killed before it published: it is fetched again. Defaults to true. */
  hasOrigin?(input: Input, session: string): boolean;
  report: Report;
  /** Aborts when the run must end. */
  signal: AbortSignal;
}

export interface SourceReading {
  history: MarketHistory;
  /** The whole universe, including members without bars in `history`. Stored data of symbols outside it is not used. */
  members: readonly Member[];
  /** Symbols whose bars in `history` replace all stored ones. */
  replaced?: readonly string[];
  /** The instant (epoch ms) of the values of the last session, if it is open; null if all sessions are closed. */
  observedAt: number | null;
  /** The origin of each input of a session, stored sessions included; absent if the source has no providers. */
  originsOf?(session: string): readonly InputOrigin[];
}

/** The requests of one run of a source, in two stages. */
export interface FetchPlan {
  /**
   * Parts of the missing history, fetched when requested; absent if each run returns all data. Bars replace the stored bars
   * of their member.
   */
  readonly missing?: AsyncIterable<MarketHistory>;
  /** All data; only data newer than `stored` with a `storedSessions`. Throws SourceError without usable data. */
  read(stored: MarketHistory | null): Promise<SourceReading>;
}

/** The operator's settings for publishing, applied to the suppliers of a source. */
export interface SourcePublishing {
  readonly settings: Publishing;
  /** The suppliers whose data the source uses for an input. */
  readonly suppliersOf: (input: Input) => readonly Supplier[];
  /** The rights of all configured suppliers, those whose data is left out included. */
  readonly sheet: readonly SheetRow[];
}

export interface Source {
  /** The `source` column of the rows from this source. */
  readonly name: MarketSource;
  /** Number of sessions of stored bars that a run needs; absent if the source returns all data in each run. */
  readonly storedSessions?: number;
  /** The first session of the series that readings use at `now`, unless bars are older; absent if they use all. */
  axisFrom?(now: number): string;
  /** Plans a run. Throws SourceError if the list of members cannot be read. */
  plan(request: SourceRequest): Promise<FetchPlan>;
  /** Counters of the requests to providers in the current or last run. */
  calls?(): ProviderCalls[];
  /** The rights to publish, and the delay; absent if everything is published at once. */
  readonly publishing?: SourcePublishing;
  /** The sessions under which the page shows the stored sessions at `now`, if they differ. */
  relabel?(sessions: readonly string[], now: number): string[];
}
