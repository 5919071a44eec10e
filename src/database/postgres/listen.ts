import { Client } from 'pg';
import { mayPass } from '../may-pass.ts';
import { DatabaseError, type Listener } from '../port.ts';
import type { ConnectionConfig } from './connection.ts';
import { fromPostgres, unreachable } from './failures.ts';
import { isPooled } from './pooled.ts';

/** Before the first try to be connected again, doubling from try to try up to the longest (ms). */
const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 10_000;

/** By when what begins to listen is answered (ms): a server may be gone without a word by then. */
const ANSWERED_IN = 10_000;

export interface ListenOptions {
  /** Where; its address is not repeated in what is thrown. */
  config: ConnectionConfig;
  channel: string;
  listener: Listener;
}

/** SQLSTATE feature_not_supported, which no waiting mends. */
const NOT_SUPPORTED = '0A000';

async function hear(client: Client, channel: string): Promise<void> {
  if (await isPooled(client)) {
    throw new DatabaseError({ message: 'through a pooler nothing is heard', code: NOT_SUPPORTED });
  }
  await client.query(`listen ${client.escapeIdentifier(channel)}`);
}

/** Ends a connection whatever state it is in, since a server that hangs would never say goodbye. */
const cut = (client: Client | undefined) => client?.connection.stream.destroy();

/**
 * Hears a channel on a connection of its own, since those of the pool serve now one, now the other; answers how to
 * stop. One that is lost, or cannot be had yet, is made anew, with growing pauses. Throws `DatabaseError` or
 * `DatabaseUnavailable` where waiting is in vain, as through a pooler: what listened would be a connection that others
 * go on to use.
 */
export async function listenOn(options: ListenOptions): Promise<() => Promise<void>> {
  const { config, channel, listener } = options;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  let client: Client | undefined;
  let ended: Promise<void> | undefined;

  const open = async (): Promise<void> => {
    const opened = new Client({ ...config, query_timeout: ANSWERED_IN });
    client = opened;
    ended = new Promise((resolve) => opened.once('end', resolve));
    // An error is followed by the end; without a listener it would end the process.
    opened.on('error', () => undefined);
    opened.on('notification', ({ payload = '' }) => {
      if (!isClosed) listener.notified(payload);
    });
    try {
      await opened.connect().catch((error: unknown) => {
        throw unreachable(error, config.connectionString);
      });
      await hear(opened, channel).catch((error: unknown) => {
        throw fromPostgres(error);
      });
    } catch (error) {
      cut(opened);
      throw error;
    }
    void ended.then(lose);
  };
  function lose(): void {
    if (isClosed) return;
    listener.lost();
    again(FIRST_PAUSE);
  }
  function again(pause: number): void {
    const attempt = () =>
      open().then(
        () => {
          if (!isClosed) listener.regained();
        },
        (error: unknown) => {
          const isInVain = error instanceof DatabaseError && error.code === NOT_SUPPORTED;
          if (!isClosed && !isInVain) again(Math.min(2 * pause, LONGEST_PAUSE));
        },
      );
    timer = setTimeout(attempt, pause);
    // Waiting for a database keeps no process from ending.
    timer.unref();
  }

  await open().catch((error: unknown) => {
    if (!mayPass(error)) throw error;
    lose();
  });
  return async () => {
    isClosed = true;
    clearTimeout(timer);
    cut(client);
    await ended;
  };
}
