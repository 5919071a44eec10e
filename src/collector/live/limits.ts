/** Ranges, tolerances and batch sizes of the live source. */
export const LIVE_LIMITS = {
  /** Sessions of bars: 624 + 252 for the index and its year, 252 + 20 before them for 52-week highs, two spare. */
  barSessions: 1_150,
  /** Sessions of series: 500 weeks of a weekly indicator with its first 35, and a year of it. */
  seriesSessions: 2_850,
  /** Sessions of put/call ratios, which take one request per day. */
  putCallSessions: 900,
  /** Sessions that every run fetches. Data stored up to one of them needs no backfill. */
  recentSessions: 15,
  /** Newest sessions in which the first provider may correct stored values. */
  correctedSessions: 10,
  /** Share of the previous session's symbols that need a bar for a session to count. */
  coverage: 0.9,
  /** Share of unchanged bars from which a session is a repetition of the one before. */
  repeatedShare: 0.9,
  /** Largest relative difference of two closes due to rounding. */
  rounding: 0.001,
  /** Relative difference between two providers' closes from which their scales differ by a split. */
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
