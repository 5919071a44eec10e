/** Ranges, tolerances and batch sizes of the live source. */
export const LIVE_LIMITS = {
  /**
   * Sessions of bars: 624 for the first index value, 252 for a year of the index, 252 + 20 before them for 52-week
   * highs, and two spare.
   */
  barSessions: 1_150,
  /** Sessions of series: 500 weeks to rank a weekly indicator, 35 weeks before its first value, and a year of ranks. */
  seriesSessions: 2_850,
  /** Sessions of put/call ratios, which take one request per day. */
  putCallSessions: 900,
  /** Sessions that every run fetches. An input whose stored data reach one of these sessions needs no backfill. */
  recentSessions: 15,
  /** Newest sessions in which the first provider may correct stored values. */
  correctedSessions: 10,
  /** A session counts only if at least this share of the previous session's symbols has a bar. */
  coverage: 0.9,
  /** A session repeats the session before it if at least this share of its bars is unchanged. */
  repeatedShare: 0.9,
  /** Largest relative difference of two closes due to rounding. */
  rounding: 0.001,
  /** Two providers' closes that differ by at least this ratio are on different scales, as after a split. */
  otherScale: 0.05,
  /** Share of a symbol's stored sessions that a replacement must contain. */
  completeness: 0.98,
  /** Symbols of one part of a backfill. */
  symbolsPerPart: 50,
  /** Days of put/call ratios of one part of a backfill. */
  daysPerPart: 25,
  /** Failures in a row after which a run sends a provider no more requests for the same topic. */
  failuresInARow: 3,
} as const;
