import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { PoolClient } from 'pg';

/** Pause before a lost connection is replaced (ms). */
const RETRY_MS = 15_000;

/**
 * True if a pooler is between this process and Postgres, because a pooler gives its clients process ids of its own. It
 * would forward notifications to an arbitrary client.
 */
async function isPooled(client: PoolClient & { readonly processID?: number | null }): Promise<boolean> {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  return rows[0]?.pid !== client.processID;
}

/**
 * Calls `wake` after each notification on a channel of Postgres, and after each start of listening, until the returned
 * function has stopped it. Uses one connection. If that is lost, takes another one after a pause. Does not listen through
 * a pooler. Because notifications may be lost, the caller must also look from time to time.
 */
export function listen(
  connect: () => Promise<PoolClient>,
  channel: string,
  wake: () => void,
  retryMs: number = RETRY_MS,
): () => Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;
  const aborted = once(signal, 'abort');

  /** Returns false through a pooler. */
  async function startOn(client: PoolClient): Promise<boolean> {
    if (await isPooled(client)) return false;
    client.on('notification', wake);
    await client.query(`listen ${client.escapeIdentifier(channel)}`);
    wake();
    return true;
  }

  /** Listens on one connection until that ends. Returns false if listening is impossible. */
  async function listenOnce(): Promise<boolean> {
    const client = await connect();
    const ended = Promise.race([once(client, 'end'), aborted]);
    try {
      // A server that has disappeared never responds, so stopping does not wait for it.
      if (signal.aborted || (await Promise.race([startOn(client), ended])) === false) return false;
      await ended;
      return true;
    } finally {
      // Destroys the connection, because it listens for ever.
      client.release(true);
    }
  }

  async function listenUntilStopped(): Promise<void> {
    while (!signal.aborted) {
      // An error means that the connection was lost. The next attempt follows.
      if (!(await listenOnce().catch(() => true))) return;
      await delay(retryMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  }

  const listening = listenUntilStopped();
  return () => {
    stopping.abort();
    return listening;
  };
}
