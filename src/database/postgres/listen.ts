import { Client } from 'pg';
import { DatabaseError, type Listener } from '../port.ts';
import { isTransient } from '../unavailable.ts';
import { type ConnectionConfig, isPooled } from './connection.ts';
import { fromPostgres, unreachable } from './failures.ts';

/** Pause before the first reconnection (ms). It doubles with each attempt up to the maximum. */
const FIRST_PAUSE = 500;
const MAX_PAUSE = 10_000;

/** Timeout of the queries that start to listen (ms). */
const QUERY_TIMEOUT = 10_000;

export interface ListenOptions {
  config: ConnectionConfig;
  channel: string;
  listener: Listener;
}

/** SQLSTATE feature_not_supported. Retrying does not help. */
const NOT_SUPPORTED = '0A000';

async function subscribe(client: Client, channel: string): Promise<void> {
  if (await isPooled(client)) {
    throw new DatabaseError({ message: 'a pooler passes on no notifications', code: NOT_SUPPORTED });
  }
  await client.query(`listen ${client.escapeIdentifier(channel)}`);
}

/** Closes a connection in any state. A regular end would wait for a server that hangs. */
const destroy = (client: Client | undefined) => client?.connection.stream.destroy();

/**
 * Listens to a channel on a connection of its own, and returns a function that stops. Reconnects, with growing pauses,
 * after the connection is lost or if it cannot be made yet. Throws `DatabaseError` or `DatabaseUnavailable` if retrying
 * does not help, as through a pooler, whose server connection other clients go on to use.
 */
export async function listenOn(options: ListenOptions): Promise<() => Promise<void>> {
  const { config, channel, listener } = options;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;
  let client: Client | undefined;
  let ended: Promise<void> | undefined;

  const open = async (): Promise<void> => {
    const opened = new Client({ ...config, query_timeout: QUERY_TIMEOUT });
    client = opened;
    ended = new Promise((resolve) => opened.once('end', resolve));
    // 'end' follows each 'error'. Without a listener the event would end the process.
    opened.on('error', () => undefined);
    opened.on('notification', ({ payload = '' }) => {
      if (!isClosed) listener.notified(payload);
    });
    try {
      await opened.connect().catch((error: unknown) => {
        throw unreachable(error, config.connectionString);
      });
      await subscribe(opened, channel).catch((error: unknown) => {
        throw fromPostgres(error);
      });
    } catch (error) {
      destroy(opened);
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
          const isPermanent = error instanceof DatabaseError && error.code === NOT_SUPPORTED;
          if (!isClosed && !isPermanent) again(Math.min(2 * pause, MAX_PAUSE));
        },
      );
    timer = setTimeout(attempt, pause);
    // The timer does not keep the process alive.
    timer.unref();
  }

  await open().catch((error: unknown) => {
    if (!isTransient(error)) throw error;
    lose();
  });
  return async () => {
    isClosed = true;
    clearTimeout(timer);
    destroy(client);
    await ended;
  };
}
