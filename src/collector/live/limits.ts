/** How far live data reaches, and when it counts. */
export const LIVE_LIMITS = {
  /** Sessions of bars: 624 + 252 of the index and its year, 252 + 20 before them for 52-week highs, two spare. */
  barSessions: 1_150,
  /** Sessions of series: 500 weeks of a weekly indicator with its first 35, and a year of it. */
  seriesSessions: 2_850,
  /** Put/call ratios come a day a request. */
  putCallSessions: 900,
  /** What is held up to within so many sessions needs only these read again. */
  recentSessions: 15,
  /** Newer than this a provider's correction is taken. */
  correctedSessions: 10,
  /** A session counts when so many of the symbols of the session before have a bar of it. */
  coverage: 0.9,
  /** From this share of unchanged bars on a provider repeats the session before. */
  repeated: 0.9,
  /** A close that is off by less is rounding, not an adjustment. */
  adjustment: 0.001,
  /** A fallback's close that is off by more is of another scale: a split, more than a dividend. */
  otherScale: 0.05,
  /** A symbol read whole again must have this share of what is held of it. */
  wholeness: 0.98,
  /** Symbols of one part of the past. */
  symbolsAPart: 50,
  /** Days of put/call ratios of one part of the past. */
  daysAPart: 25,
  /** A provider that failed so often in a row is left alone for the rest of the run. */
  failuresInARow: 3,
  /** A clock that is off by less is right (ms). */
  clockOff: 2 * 60_000,
  /** One that is off by more is of no use (ms). */
  clockUseless: 60 * 60_000,
} as const;
