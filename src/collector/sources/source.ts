import type { MarketHistory, Member } from '#domain/market-history.ts';
import type { MarketSource } from '#schema/market-source.ts';
import type { InputOrigin } from '../origins.ts';
import type { Problems } from '../problems.ts';
import type { Report } from '../progress.ts';
import type { ProviderCalls } from '../providers/http-client.ts';
import type { Input } from '../providers/provider.ts';

/** What a source is asked with. */
export interface SourceRequest {
  /** Epoch ms. */
  now: number;
  job: 'collect' | 'backfill';
  problems: Problems;
  /**
   * What is held of this source's market, closed sessions only: bars of the last `reach` sessions, series as far
   * as they go. Null when nothing is, or the source has no `reach`.
   */
  held: MarketHistory | null;
  /**
   * Whether it is on record who gave what is held of a session. Where it is not, the run that kept the value was
   * killed before it published: asked again, the value comes with its origin. All is where this is absent.
   */
  isOnRecord?(input: Input, session: string): boolean;
  report: Report;
  /** Set when the run is to end. */
  signal: AbortSignal;
}

/** What a source knows at an instant. */
export interface SourceReading {
  history: MarketHistory;
  /** The whole universe, with those that have no bar in `history`. What is held of others is not used. */
  members: readonly Member[];
  /** Symbols that came whole: their bars replace all that is held of them, also where they have none. */
  whole?: readonly string[];
  /**
   * Null when every session of `history` is closed. Otherwise the last one is still open, and its values are
   * those of this instant (epoch ms).
   */
  observedAt: number | null;
  /**
   * Where each input of a session comes from; absent where the source is one and the same. A session that is held
   * may be asked for too.
   */
  originsOf?(session: string): readonly InputOrigin[];
}

/** Where the market data comes from. */
export interface Source {
  /** The word its rows carry. */
  readonly word: MarketSource;
  /** How many sessions of bars a run needs held; absent when the source gives everything each time. */
  readonly reach?: number;
  /**
   * Parts of the past that are not held yet: some members whole, whose bars replace all that is held of them, or
   * values of some series, which are added. Each is kept before the next is asked for, so that a fill that was
   * killed goes on where it was.
   */
  past?(request: SourceRequest): AsyncIterable<MarketHistory>;
  /**
   * Everything it knows at `now`; with `reach`, what is new since what is held is enough. Rows that cannot be
   * right are left out and named in `problems`. Throws SourceError when there is nothing to work with.
   */
  read(request: SourceRequest): Promise<SourceReading>;
  /** What was asked of providers in the run under way, or the last one. */
  calls?(): ProviderCalls[];
  /** The sessions to show the kept ones under at `now`, when they are not shown under their own dates. */
  relabel?(sessions: readonly string[], now: number): string[];
}
