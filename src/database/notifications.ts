import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { PoolClient } from 'pg';

/** Pause before a lost connection is replaced (ms). */
const RETRY_MS = 15_000;

/**
 * Calls `wake` after each notification and each start of listening, until stopped. Replaces a lost connection. Does not
 * listen through a pooler, and notifications may be lost, so the caller must also look from time to time.
 */
export function listen(
  connect: () => Promise<PoolClient & { readonly processID?: number | null }>,
  channel: string,
  wake: () => void,
  retryMs: number = RETRY_MS,
): () => Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;
  const aborted = once(signal, 'abort');
  let isPooled = false;
  const listenOnce = async (): Promise<void> => {
    const client = await connect();
    // A server that has disappeared never responds, so stopping does not wait for it.
    const ended = Promise.race([once(client, 'end'), aborted]);
    const start = async () => {
      // A pooler gives its clients process ids of its own, and forwards notifications to an arbitrary client.
      const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
      isPooled = rows[0]?.pid !== client.processID;
      if (isPooled) return;
      client.on('notification', wake);
      await client.query(`listen ${client.escapeIdentifier(channel)}`);
      wake();
    };
    try {
      await Promise.race([start(), ended]);
      if (!isPooled) await ended;
    } finally {
      // Destroys the connection, because it listens for ever.
      client.release(true);
    }
  };
  const listenUntilStopped = async (): Promise<void> => {
    while (!signal.aborted) {
      // An error means that the connection was lost. The next attempt follows.
      await listenOnce().catch(() => undefined);
      if (isPooled) return;
      await delay(retryMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  };
  const listening = listenUntilStopped();
  return () => {
    stopping.abort();
    return listening;
  };
}
