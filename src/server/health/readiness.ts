import { setTimeout as delay } from 'node:timers/promises';
import { latenessOf, readNewestRows } from '#collector/runs/freshness.ts';
import { DatabaseUnavailable } from '#database/failures.ts';
import { type Database, DatabaseError, DURABLE, queryOnce } from '#database/port.ts';

/** The results of the checks. Each is 'ok' or a few words that do not have to be kept secret. */
export type Readiness = Readonly<Record<'database' | 'writes' | 'migrations' | 'data', string>>;

interface ReadinessOptions {
  readonly database: Database;
  /** True if the database accepts writes, as far as this process knows. */
  readonly canWrite: () => Promise<boolean>;
  readonly pendingMigrations: () => Promise<readonly string[]>;
  readonly now: () => number;
  /** Number of sessions after which a session is published; 0 by default. */
  readonly publishDelay?: number | undefined;
  /** Time limit of all checks together (ms). */
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 5_000;
const CACHED_MS = 1_000;
const OK = 'ok';
const UNAVAILABLE: Readiness = {
  database: 'does not respond',
  writes: 'unknown',
  migrations: 'unknown',
  data: 'unknown',
};

/** Returns a function that checks the database and its data, at most once a second and never twice at a time. */
export function createReadiness(options: ReadinessOptions): () => Promise<Readiness> {
  const { now, timeoutMs = TIMEOUT_MS } = options;
  let latest: { at: number; isDone: boolean; readiness: Promise<Readiness> } | null = null;
  return () => {
    const at = now();
    if (latest === null || (latest.isDone && Math.abs(at - latest.at) >= CACHED_MS)) {
      const current = { at, isDone: false, readiness: Promise.resolve(UNAVAILABLE) };
      const checked = check(options)
        .catch(() => UNAVAILABLE)
        .finally(() => {
          current.isDone = true;
        });
      current.readiness = Promise.race([checked, delay(timeoutMs, UNAVAILABLE, { ref: false })]);
      latest = current;
    }
    return latest.readiness;
  };
}

export function isReady(checks: Readonly<Record<string, string>>): boolean {
  return Object.values(checks).every((check) => check === OK);
}

async function check(options: ReadinessOptions): Promise<Readiness> {
  const { database, canWrite, pendingMigrations, now, publishDelay } = options;
  const isPending = (await pendingMigrations()).length > 0;
  return {
    database: OK,
    writes: (await canWrite()) ? OK : 'fail',
    migrations: isPending ? 'pending' : OK,
    // Before the migrations are applied, the tables may not exist.
    data: isPending ? 'unknown' : await freshnessOf(database, now(), publishDelay),
  };
}

async function freshnessOf(database: Database, now: number, delay?: number): Promise<string> {
  const newest = await readNewestRows(database, now);
  if (newest === null) return 'none yet';
  const { sessionsBehind, isBehindWithinSession } = latenessOf(newest, now, delay);
  if (sessionsBehind > 0) return `${sessionsBehind} ${sessionsBehind === 1 ? 'session' : 'sessions'} behind`;
  return isBehindWithinSession ? 'behind within the session' : OK;
}

/** SQLSTATEs of a full disk, an I/O error and a read-only database. */
const CANNOT_WRITE = /^(53|58|25006)/;
/** Writes a page to a new table, which is dropped on commit. The page needs free space on the disk. */
const WRITE = `create temp table write_check on commit drop as select repeat('x', 4000)`;

const isFailure = (error: unknown): boolean =>
  error instanceof DatabaseUnavailable || (error instanceof DatabaseError && CANNOT_WRITE.test(error.code));

/** Watches durable transactions, such as new subscriptions, for errors that show that the database accepts no writes. */
export function watchWrites(database: Database) {
  let isFailing = false;
  const watched: Database = {
    ...database,
    async transaction(work, options = {}) {
      if (!options.durable) return database.transaction(work, options);
      try {
        const result = await database.transaction(work, options);
        isFailing = false;
        return result;
      } catch (error) {
        isFailing ||= isFailure(error);
        throw error;
      }
    },
  };
  return {
    database: watched,
    /** True unless a durable transaction has failed because the database takes no writes, and a write still fails. */
    async canWrite() {
      if (!isFailing) return true;
      try {
        await queryOnce(database, WRITE, [], DURABLE);
        isFailing = false;
      } catch (error) {
        // Any other error does not mean that inserts fail. For example, the role may not create temporary tables.
        isFailing = isFailure(error);
      }
      return !isFailing;
    },
  };
}
