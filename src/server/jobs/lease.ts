import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { USED_SINCE } from '#database/embedded/open-embedded.ts';
import { type Database, queryOnce, readOnce, type Transaction } from '#database/port.ts';
import { interval } from '../market-watch.ts';

/** Name of the one lease for all work that writes the market's tables. */
const NAME = 'collector';
const DURATION = '20 seconds';
const RENEW_EVERY_MS = 5_000;

/** Returns a unique name for a run that holds the lease or claims deliveries. `by` is the command, such as 'backfill'. */
export const newHolderName = (by: string): string =>
  `${by} on ${hostname()}, process ${process.pid}, ${randomBytes(4).toString('hex')}`;

export interface Lease {
  /** Aborts when another process has taken the lease. */
  readonly signal: AbortSignal;
  /** Throws if another process has the lease. Otherwise none can take it until the transaction ends. */
  checkHeld(transaction: Transaction): Promise<void>;
}

/** Another process holds the lease. The message is one plain sentence. */
export class LeaseHeld extends Error {
  override name = 'LeaseHeld';
}

/** The lease expired and another process took it. The run must not write anything after that. */
const leaseLost = () => new Error(`The ${NAME} stopped: another process took over.`);

/**
 * SQL condition under which another process may take the lease. A lease is abandoned if all processes that use the
 * database came after its last renewal, or if it is longer than any lease because the clock was set back.
 */
export const IS_FREE = `held_until not between greatest(clock_timestamp(), ${USED_SINCE} + interval '${DURATION}')
  and clock_timestamp() + interval '${DURATION}'`;

/** Runs `work` while holding the lease, and renews it. `holder` is unique. Throws LeaseHeld, or the error of `work`. */
export async function withLease<T>(
  database: Database,
  { holder, every = interval }: { holder: string; every?: typeof interval },
  work: (lease: Lease) => Promise<T>,
): Promise<T> {
  await database.transaction((transaction) => take(transaction, holder));
  const lost = new AbortController();
  let isRenewing = false;
  const renew = async () => {
    // Starts no renewal during another one, which may wait for a locked row or a database that does not respond.
    if (isRenewing) return;
    isRenewing = true;
    // If the database is unavailable, the next tick tries again. If it stays unavailable, the lease expires.
    const renewed = await queryOnce(
      database,
      `update operations.leases set held_until = clock_timestamp() + interval '${DURATION}'
       where name = '${NAME}' and holder = $1 returning holder`,
      [holder],
    ).catch(() => null);
    isRenewing = false;
    if (renewed?.length === 0) lost.abort(leaseLost());
  };
  const stop = every(RENEW_EVERY_MS, renew);
  try {
    return await work({
      signal: lost.signal,
      async checkHeld(transaction) {
        const rows = await transaction.query(
          `select from operations.leases where name = '${NAME}' and holder = $1 for share`,
          [holder],
        );
        if (rows.length === 0) throw leaseLost();
      },
    });
  } finally {
    stop();
    // If the release fails, the lease ends when it expires.
    const release = `delete from operations.leases where name = '${NAME}' and holder = $1`;
    await queryOnce(database, release, [holder]).catch(() => undefined);
  }
}

export async function isLeaseHeld(database: Database): Promise<boolean> {
  const sql = `select from operations.leases where name = '${NAME}' and not ${IS_FREE}`;
  return (await readOnce(database, sql)).length > 0;
}

async function take(transaction: Transaction, holder: string): Promise<void> {
  const taken = await transaction.query(
    `insert into operations.leases as lease (name, holder, taken_at, held_until)
     values ('${NAME}', $1, clock_timestamp(), clock_timestamp() + interval '${DURATION}')
     on conflict (name) do update set holder = $1, taken_at = clock_timestamp(),
       held_until = clock_timestamp() + interval '${DURATION}'
     where lease.${IS_FREE}
     returning holder`,
    [holder],
  );
  if (taken.length > 0) return;
  const [other] = await transaction.query<{ holder: string; since: string }>(
    `select holder, taken_at as since from operations.leases where name = '${NAME}'`,
  );
  const { holder: by, since } = other ?? { holder: 'another process', since: 'just now' };
  throw new LeaseHeld(
    `The ${NAME} is already running: ${by}, since ${since}. Wait until it is done, or ${DURATION} if it was killed.`,
  );
}
