import { latenessOf, readNewestRows } from '#collector/freshness.ts';
import type { Database } from '#database/port.ts';

/** Each check is 'ok' or a few words that anybody may read. */
export interface Readiness {
  readonly database: string;
  readonly writes: string;
  readonly migrations: string;
  readonly data: string;
}

export interface ReadinessOptions {
  readonly database: Database;
  /** True if the database accepts writes, as far as known. */
  readonly canWrite: () => Promise<boolean>;
  /** The migrations that are not applied. */
  readonly pendingMigrations: () => Promise<readonly string[]>;
  readonly now: () => number;
  /** Time limit of the database. */
  readonly patienceMs?: number;
}

const PATIENCE_MS = 5_000;
const CACHED_MS = 1_000;
const OK = 'ok';
const AWAY: Readiness = {
  database: 'does not answer',
  writes: 'unknown',
  migrations: 'unknown',
  data: 'unknown',
};

/**
 * Checks that the database responds, accepts writes and is migrated, and that its data are current. Checks at most once a
 * second, and never twice at the same time while the database hangs.
 */
export function createReadiness(options: ReadinessOptions): () => Promise<Readiness> {
  let latest: { at: number; isOver: boolean; readiness: Promise<Readiness> } | null = null;
  return () => {
    const at = options.now();
    if (latest === null || (latest.isOver && Math.abs(at - latest.at) >= CACHED_MS)) {
      const checking = check(options).catch(() => AWAY);
      const look = { at, isOver: false, readiness: inTime(checking, options) };
      checking.then(() => {
        look.isOver = true;
      });
      latest = look;
    }
    return latest.readiness;
  };
}

async function inTime(
  checking: Promise<Readiness>,
  { patienceMs = PATIENCE_MS }: ReadinessOptions,
): Promise<Readiness> {
  let timer: NodeJS.Timeout | undefined;
  const impatience = new Promise<Readiness>((resolve) => {
    timer = setTimeout(resolve, patienceMs, AWAY);
  });
  return Promise.race([checking, impatience]).finally(() => clearTimeout(timer));
}

/** True if all checks are 'ok'. */
export function isReady(checks: Readonly<Record<string, string>> | Readiness): boolean {
  return Object.values(checks).every((check) => check === OK);
}

async function check({ database, canWrite, pendingMigrations, now }: ReadinessOptions): Promise<Readiness> {
  const isPending = (await pendingMigrations()).length > 0;
  return {
    database: OK,
    writes: (await canWrite()) ? OK : 'fail',
    migrations: isPending ? 'pending' : OK,
    // The tables may not exist before the migrations.
    data: isPending ? 'unknown' : await ageOf(database, now()),
  };
}

async function ageOf(database: Database, now: number): Promise<string> {
  const newest = await readNewestRows(database, now);
  if (newest === null) return 'none yet';
  const { sessionsBehind, isBehindWithinSession } = latenessOf(newest, now);
  if (sessionsBehind > 0) return `${sessionsBehind} ${sessionsBehind === 1 ? 'session' : 'sessions'} behind`;
  return isBehindWithinSession ? 'behind within the session' : OK;
}
