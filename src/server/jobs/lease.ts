import type { Database, Transaction } from '#database/port.ts';
import { withShortTimeout } from '#database/short-timeout.ts';

export interface LeaseOptions {
  /** The work that one process may do at a time: 'collector'. */
  readonly name: string;
  /** Unique: 'serve on host, process 12, 8f3a'. */
  readonly holder: string;
  /** Calls `tick` every so many milliseconds until stopped. */
  readonly every?: (ms: number, tick: () => void) => () => void;
}

/** A lease that is held. */
export interface Lease {
  /** Aborts when another process has taken the lease. */
  readonly signal: AbortSignal;
  /**
   * Throws LeaseLost if another process has taken the lease, and keeps others from taking it until the transaction ends:
   * only the holder commits.
   */
  stillMine(transaction: Transaction): Promise<void>;
}

/** Another process holds the lease. The message is one plain sentence. */
export class LeaseHeld extends Error {
  readonly held: { readonly name: string; readonly holder: string; readonly since: string };

  constructor(held: LeaseHeld['held']) {
    super(
      `The ${held.name} is at work already: ${held.holder}, since ${held.since}. Wait until it is done, or for ${LASTS} if it was killed.`,
    );
    this.name = 'LeaseHeld';
    this.held = held;
  }
}

/** The lease expired and another process took it: nothing more may be written. */
export class LeaseLost extends Error {
  constructor(name: string) {
    super(`The ${name} stopped: another process took over.`);
    this.name = 'LeaseLost';
  }
}

const LASTS = '20 seconds';
const RENEWED_EVERY_MS = 5_000;

const interval = (ms: number, tick: () => void): (() => void) => {
  const timer = setInterval(tick, ms);
  return () => clearInterval(timer);
};

/** SQL: another process may take the lease. One that was last renewed before the database started is abandoned. */
export const IS_FREE = `held_until < greatest(clock_timestamp(), pg_postmaster_start_time() + interval '${LASTS}')`;

/**
 * Runs `work` while holding a lease, renews it meanwhile and releases it afterwards. Another process may take a lease
 * that was not renewed for 20 seconds of the database's clock, or since the database started. Throws LeaseHeld if
 * another holds it, or what `work` throws.
 */
export async function withLease<T>(
  database: Database,
  { name, holder, every = interval }: LeaseOptions,
  work: (lease: Lease) => Promise<T>,
): Promise<T> {
  const held = withShortTimeout(database);
  await held.transaction((transaction) => take(transaction, name, holder));
  const lost = new AbortController();
  let isAsking = false;
  const renew = async () => {
    // One renewal at a time, also while a transaction locks the row or the database hangs.
    if (isAsking) return;
    isAsking = true;
    // Retried at the next tick if the database is away; if it stays away, the lease expires.
    const isMine = await held
      .transaction((transaction) => extend(transaction, name, holder))
      .catch(() => true);
    isAsking = false;
    if (!isMine) lost.abort(new LeaseLost(name));
  };
  const stop = every(RENEWED_EVERY_MS, renew);
  try {
    return await work({
      signal: lost.signal,
      async stillMine(transaction) {
        const rows = await transaction.query(
          'select from operations.leases where name = $1 and holder = $2 for share',
          [name, holder],
        );
        if (rows.length === 0) throw new LeaseLost(name);
      },
    });
  } finally {
    stop();
    // If this fails, the lease expires.
    await giveBackLease(database, { name, holder }).catch(() => undefined);
  }
}

/** True if a process holds the lease. */
export async function isLeaseHeld(database: Database, name: string): Promise<boolean> {
  const held = await withShortTimeout(database).transaction(
    (transaction) =>
      transaction.query(`select from operations.leases where name = $1 and not (${IS_FREE})`, [name]),
    { readOnly: true },
  );
  return held.length > 0;
}

/** Releases the lease of a holder that was killed before it could do so itself. */
export async function giveBackLease(
  database: Database,
  { name, holder }: Pick<LeaseOptions, 'name' | 'holder'>,
): Promise<void> {
  await withShortTimeout(database).transaction((transaction) =>
    transaction.query('delete from operations.leases where name = $1 and holder = $2', [name, holder]),
  );
}

async function take(transaction: Transaction, name: string, holder: string): Promise<void> {
  const taken = await transaction.query(
    `insert into operations.leases as lease (name, holder, taken_at, held_until)
     values ($1, $2, clock_timestamp(), clock_timestamp() + interval '${LASTS}')
     on conflict (name) do update set holder = $2, taken_at = clock_timestamp(),
       held_until = clock_timestamp() + interval '${LASTS}'
     where lease.${IS_FREE}
     returning holder`,
    [name, holder],
  );
  if (taken.length > 0) return;
  const [other] = await transaction.query<{ holder: string; since: string }>(
    'select holder, taken_at as since from operations.leases where name = $1',
    [name],
  );
  throw new LeaseHeld({
    name,
    holder: other?.holder ?? 'another process',
    since: other?.since ?? 'just now',
  });
}

async function extend(transaction: Transaction, name: string, holder: string): Promise<boolean> {
  const rows = await transaction.query(
    `update operations.leases set held_until = clock_timestamp() + interval '${LASTS}'
     where name = $1 and holder = $2 returning holder`,
    [name, holder],
  );
  return rows.length > 0;
}
