import type { Database, Transaction } from '../port.ts';
import { DatabaseUnavailable, databaseClosed } from '../unavailable.ts';
import { type RemoteAnswers, type RemoteAsk, receivedError } from './protocol.ts';
import type { AskingChannel } from './socket-channel.ts';

type AskOf<K extends RemoteAsk['kind']> = Extract<RemoteAsk, { kind: K }>;
type Send = <K extends RemoteAsk['kind']>(transaction: number, ask: AskOf<K>) => Promise<RemoteAnswers[K]>;

interface Waiting {
  resolve(answer: never): void;
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

  const send: Send = (transaction, ask: RemoteAsk) => {
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
    else call?.resolve(reply.answer as never);
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
      const { transaction, finish } = transactionOver(send, id);
      let result: Awaited<ReturnType<typeof work>>;
      try {
        result = await work(transaction);
      } catch (error) {
        finish();
        await send(id, { kind: 'rollback' }).catch(() => undefined);
        throw error;
      }
      finish();
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

function transactionOver(send: Send, id: number): { transaction: Transaction; finish: () => void } {
  let isOpen = true;
  const whileOpen: Send = (transaction, ask) =>
    isOpen ? send(transaction, ask) : Promise.reject(new Error('This transaction is over.'));
  const transaction: Transaction = {
    query: async <R>(sql: string, parameters: Parameters<Transaction['query']>[1] = []) =>
      (await whileOpen(id, { kind: 'query', sql, parameters })) as R[],
    script: async (sql) => {
      await whileOpen(id, { kind: 'script', sql });
    },
    copyIn: (sql, data) => whileOpen(id, { kind: 'copyIn', sql, data }),
    copyOut: (sql) => whileOpen(id, { kind: 'copyOut', sql }),
  };
  return {
    transaction,
    finish: () => {
      isOpen = false;
    },
  };
}
