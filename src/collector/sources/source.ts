import type { MarketHistory, Member } from '#domain/market-history.ts';
import type { MarketSource } from '#schema/market-source.ts';
import type { Problems } from '../problems.ts';

/** What a source knows at an instant. */
export interface SourceReading {
  history: MarketHistory;
  /** The whole universe, with those that have no bar in `history`. What is held of others is not used. */
  members: readonly Member[];
  /**
   * Null when every session of `history` is closed. Otherwise the last one is still open, and its values are
   * those of this instant (epoch ms).
   */
  observedAt: number | null;
}

/** Where the market data comes from. */
export interface Source {
  /** The word its rows carry. */
  readonly word: MarketSource;
  /**
   * Everything it knows at `now` (epoch ms). Rows that cannot be right are left out and named in `problems`.
   * Throws SourceError when there is nothing to work with.
   */
  read(request: { now: number; problems: Problems }): Promise<SourceReading>;
  /** The sessions to show the kept ones under at `now`, when they are not shown under their own dates. */
  relabel?(sessions: readonly string[], now: number): string[];
}
