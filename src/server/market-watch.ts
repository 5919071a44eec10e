import { type Database, queryOnce } from '#database/port.ts';
import { failureFields, type Log, type LogFields } from './log.ts';

/** Detects commits that change the market's tables, so that no cached response outlives its rows. */
export interface MarketWatch {
  /** Number of changes that this process has detected. The version in the database may also fall. */
  readonly version: number;
  /** True while the watch can detect commits. While it is false, no cached response is known to be current. */
  readonly isWatching: boolean;
  /** Time at which `version` was last known to be the version of the tables (epoch ms); 0 before the first check. */
  readonly knownAt: number;
  /** Calls `listener`, which must not throw, after each increase of `version`. Returns a function that removes it. */
  onChange(listener: () => void): () => unknown;
  /** Stops the watch. The database stays open. */
  close(): Promise<void>;
}

interface WatchOptions {
  readonly database: Database;
  readonly now: () => number;
  readonly log: Log;
  readonly every?: typeof interval | undefined;
}

const CHECK_INTERVAL_MS = 1_000;
/** A check that takes this many ticks is late, because the tables may have changed since it began. */
const LATE_TICKS = 2;
/** Time limit of a check (ms). After it, the next check can replace a lost connection. */
const CHECK_TIMEOUT_MS = 5_000;

/** Calls `tick` every `ms` milliseconds until stopped. Does not keep the process alive. */
export const interval = (ms: number, tick: () => void): (() => void) => {
  const timer = setInterval(tick, ms).unref();
  return () => clearInterval(timer);
};

/** Reads the version of the data in the database, which increases with each commit to the market's tables. */
export async function readDataVersion(database: Database): Promise<number> {
  const sql = 'select version from operations.data_version';
  const options = { readOnly: true, statementTimeoutMs: CHECK_TIMEOUT_MS };
  const [row] = await queryOnce<{ version: number }>(database, sql, [], options);
  if (row === undefined)
    throw new Error(
      'operations.data_version has no row. Add it: insert into operations.data_version default values.',
    );
  return row.version;
}

/** Reads `operations.data_version` once a second until closed. Poolers do not support `listen`. */
export async function watchMarket(options: WatchOptions): Promise<MarketWatch> {
  const { database, now, log, every = interval } = options;
  const listeners = new Set<() => void>();
  // The first check sets these before the watch is returned.
  const state = { version: 0, knownAt: 0, isWatching: true };
  let isClosed = false;
  /** The last known version in the database; null if unknown: after an outage it may be another database. */
  let stored: number | null = null;
  /** Number of ticks since the current check began; null between two checks. */
  let checkTicks: number | null = null;
  /** True from a late check until the next check that is not late. */
  let wasLate = false;

  const setStored = (read: number): void => {
    if (isClosed || read === stored) return;
    stored = read;
    state.version += 1;
    for (const listener of [...listeners]) listener();
  };
  const setWatching = (isNow: boolean, fields?: LogFields): void => {
    if (isClosed || isNow === state.isWatching) return;
    if (isNow) log.info('market watch restored');
    else log.warn('market watch lost', fields);
    state.isWatching = isNow;
  };

  const check = async (): Promise<void> => {
    const begunAt = now();
    checkTicks = 0;
    try {
      const read = await readDataVersion(database);
      const isInTime = checkTicks < LATE_TICKS;
      if (isInTime && wasLate) {
        wasLate = false;
        stored = null;
      }
      // Even a lower version is a change: the database is another one.
      setStored(read);
      state.knownAt = begunAt;
      setWatching(isInTime);
    } catch (error) {
      stored = null;
      setWatching(false, failureFields(error));
    }
    checkTicks = null;
  };
  const tick = (): void => {
    if (checkTicks === null) {
      void check();
      return;
    }
    checkTicks += 1;
    if (checkTicks < LATE_TICKS) return;
    wasLate = true;
    setWatching(false, { reason: 'The database does not respond.' });
  };

  await check();
  const stopChecking = every(CHECK_INTERVAL_MS, tick);

  return Object.assign(state, {
    onChange: (listener: () => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: async () => {
      isClosed = true;
      state.isWatching = false;
      stopChecking();
    },
  });
}
