import { setTimeout as delay } from 'node:timers/promises';
import { latenessOf, readNewestRows } from '#collector/runs/freshness.ts';
import type { Database } from '#database/port.ts';

/** The results of the checks. Each is 'ok' or a few words that do not have to be kept secret. */
export type Readiness = Readonly<Record<'database' | 'writes' | 'migrations' | 'data', string>>;

interface ReadinessOptions {
  readonly database: Database;
  /** True if the database accepts writes, as far as this process knows. */
  readonly canWrite: () => Promise<boolean>;
  readonly pendingMigrations: () => Promise<readonly string[]>;
  readonly now: () => number;
  /** Number of sessions after which a session is published; 0 by default. */
  readonly delay?: number | undefined;
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
  const { database, canWrite, pendingMigrations, now, delay } = options;
  const isPending = (await pendingMigrations()).length > 0;
  return {
    database: OK,
    writes: (await canWrite()) ? OK : 'fail',
    migrations: isPending ? 'pending' : OK,
    // Before the migrations are applied, the tables may not exist.
    data: isPending ? 'unknown' : await freshnessOf(database, now(), delay),
  };
}

async function freshnessOf(database: Database, now: number, delay?: number): Promise<string> {
  const newest = await readNewestRows(database, now);
  if (newest === null) return 'none yet';
  const { sessionsBehind, isBehindWithinSession } = latenessOf(newest, now, delay);
  if (sessionsBehind > 0) return `${sessionsBehind} ${sessionsBehind === 1 ? 'session' : 'sessions'} behind`;
  return isBehindWithinSession ? 'behind within the session' : OK;
}
