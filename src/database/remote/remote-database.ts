import type { Database } from '../port.ts';
import { type StatementResult, withStatements } from '../statements.ts';
import { DatabaseUnavailable, databaseClosed } from '../unavailable.ts';
import { type RemoteAsk, receivedError } from './protocol.ts';
import type { AskingChannel } from './socket-channel.ts';

interface Waiting {
  resolve(answer: StatementResult): void;
  reject(error: Error): void;
}

const processEnded = () =>
  new DatabaseUnavailable(
    'lost',
    'The process that has the database open stopped before this was done: run it again.',
  );

/**
 * The embedded database that another process serves over a channel, as this one's own. Every use after the channel has
 * closed throws `DatabaseUnavailable`.
 */
export function openRemote(channel: AskingChannel): Database {
  const waiting = new Map<number, Waiting>();
  let closed: (() => Error) | null = null;
  let lastCall = 0;

  const send = (transaction: number, ask: RemoteAsk): Promise<StatementResult> => {
    if (closed !== null) return Promise.reject(closed());
    return new Promise((resolve, reject) => {
      lastCall += 1;
      waiting.set(lastCall, { resolve, reject });
      channel.send({ call: lastCall, transaction, ask });
    });
  };

  channel.onMessage((reply) => {
    const call = waiting.get(reply.call);
    waiting.delete(reply.call);
    if ('error' in reply) call?.reject(receivedError(reply.error));
    else call?.resolve(reply.answer);
  });
  channel.onClose(() => {
    closed ??= processEnded;
    for (const { reject } of waiting.values()) reject(closed());
    waiting.clear();
  });

  let lastTransaction = 0;
  return {
    engine: 'embedded',
    async transaction(work, options = {}) {
      lastTransaction += 1;
      const id = lastTransaction;
      await send(id, { kind: 'begin', options });
      const result = await withStatements((statement) => send(id, statement), work).catch(
        async (error: unknown) => {
          await send(id, { kind: 'rollback' }).catch(() => undefined);
          throw error;
        },
      );
      await send(id, { kind: 'commit' });
      return result;
    },
    async vacuum() {
      await send(0, { kind: 'vacuum' });
    },
    async close() {
      closed = databaseClosed;
      channel.close();
    },
  };
}
