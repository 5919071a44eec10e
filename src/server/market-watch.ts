import type { Database } from '#database/port.ts';
import { withShortTimeout } from '#database/short-timeout.ts';
import { failureFields, type Log, type LogFields } from './log.ts';

/** What tells when the market's tables may have changed, so that nothing cached outlives what it was made of. */
export interface MarketWatch {
  /** Grows whenever the tables may have changed, as far as this process was told. */
  readonly version: number;
  /** Whether news of commits reach this process now; while not, nothing cached can be called current. */
  readonly isTold: boolean;
  /** When the tables were last known to be those of `version` (epoch ms); 0 before they first were. */
  readonly knownAt: number;
  /** Calls back after each growth of `version`; answers how to stop that. No listener may throw. */
  onChange(listener: () => void): () => void;
  /** Stops it all; the database stays open. */
  close(): Promise<void>;
}

export interface WatchOptions {
  /** Migrated already. */
  readonly database: Database;
  /** Epoch milliseconds. */
  readonly now: () => number;
  readonly log: Log;
  /** Calls `tick` every so many milliseconds until stopped; by default a timer that keeps no process from ending. */
  readonly every?: (ms: number, tick: () => void) => () => void;
}

/** What the migrations notify, with the number of `operations.data_version`. */
const CHANNEL = 'barometer_market';
const LOOKED_EVERY_MS = 1_000;
/** A look without an answer after so many ticks is late: the market may have changed that long ago. */
const LATE_TICKS = 2;
/** A look at a Postgres that is gone without a word ends, so that there is another. */
const LOOK_MS = 5_000;

const interval = (ms: number, tick: () => void): (() => void) => {
  const timer = setInterval(tick, ms).unref();
  return () => clearInterval(timer);
};

/** The number that any commit changes which changes the market. */
async function readNumber(database: Database): Promise<number> {
  const [row] = await withShortTimeout(database, LOOK_MS).transaction(
    (transaction) => transaction.query<{ version: number }>('select version from operations.data_version'),
    { readOnly: true },
  );
  if (row === undefined) throw new Error('The database has no version of its data.');
  return row.version;
}

/**
 * Watches the market's tables until closed. The embedded database notifies of each commit before any later read, except
 * while its worker is replaced. Postgres is asked for its number once a second. Throws nothing if a database is away,
 * and goes on once it is back.
 */
export async function watchMarket(options: WatchOptions): Promise<MarketWatch> {
  const { database, now, log, every = interval } = options;
  const isPolled = database.listen === undefined;
  const listeners = new Set<() => void>();
  const news = createNews(log);
  let version = 0;
  let knownAt = 0;
  let isClosed = false;
  /** The database's number as last told; null before. */
  let number: number | null = null;
  /** Ticks since it was asked for its number; null while it is not. */
  let askedFor: number | null = null;
  /** True from a late look until the next one in time. */
  let isSilent = false;

  const learn = (told: number): void => {
    if (isClosed || told === number) return;
    number = told;
    version += 1;
    for (const listener of [...listeners]) listener();
  };

  /** What had the number may have been lost with the database, and the next to get it is another. */
  const forget = (): void => {
    number = null;
  };

  const look = async (): Promise<void> => {
    const before = number;
    // The number read is the one of this moment or a later one, however long the database takes.
    const begunAt = now();
    askedFor = 0;
    try {
      const read = await readNumber(database);
      const isInTime = !isPolled || askedFor < LATE_TICKS;
      if (isInTime && isSilent) {
        isSilent = false;
        forget();
      }
      // Unless a notification that came meanwhile knew better. Without one a lower number is another market.
      if (number === before || read > (number ?? 0)) learn(read);
      knownAt = begunAt;
      news.are(isInTime);
    } catch (error) {
      forget();
      news.are(false, failureFields(error));
    }
    askedFor = null;
  };
  const tick = (): void => {
    // The embedded database tells of everything by itself, unless it could not be asked or opened again.
    if (!isPolled && news.come) return;
    if (askedFor === null) {
      void look();
      return;
    }
    askedFor += 1;
    if (askedFor < LATE_TICKS) return;
    isSilent = true;
    news.are(false, { reason: 'The database does not answer.' });
  };

  const listening = database.listen?.(CHANNEL, {
    // A number that is lower than the one known is either old or found out by looking.
    notified: (payload) => {
      if (Number(payload) <= (number ?? 0)) return;
      knownAt = now();
      learn(Number(payload));
    },
    lost: () => {
      if (news.come) knownAt = now();
      news.are(false, { reason: 'The database is opened anew.' });
    },
    regained: () => {
      forget();
      void look();
    },
  });
  const [stopListening] = await Promise.all([listening, look()]);
  const stopLooking = every(LOOKED_EVERY_MS, tick);

  return {
    get version() {
      return version;
    },
    get isTold() {
      return news.come;
    },
    get knownAt() {
      return !isPolled && news.come ? now() : knownAt;
    },
    onChange: (listener) => {
      const own = () => listener();
      listeners.add(own);
      return () => {
        listeners.delete(own);
      };
    },
    close: async () => {
      isClosed = true;
      news.end();
      stopLooking();
      stopListening?.();
    },
  };
}

/** Whether news come, which the log tells when it changes. */
function createNews(log: Log) {
  let come: boolean | null = null;
  let isOver = false;
  return {
    get come(): boolean {
      return come === true;
    },
    are(now: boolean, fields?: LogFields): void {
      if (isOver || now === come) return;
      if (!now) log.warn('market news stopped', fields);
      else if (come === false) log.info('market news back');
      come = now;
    },
    end(): void {
      isOver = true;
      come = false;
    },
  };
}
