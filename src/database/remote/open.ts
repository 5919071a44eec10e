import type { Database, Transaction } from '../port.ts';
import { databaseClosed } from '../unavailable.ts';
import type { AskingChannel } from './channel.ts';
import { receivedError } from './errors.ts';
import type { RemoteAnswers, RemoteAsk, RemoteDatabase } from './messages.ts';

type AskOf<K extends RemoteAsk['kind']> = Extract<RemoteAsk, { kind: K }>;
type Send = <K extends RemoteAsk['kind']>(transaction: number, ask: AskOf<K>) => Promise<RemoteAnswers[K]>;

interface Waiting {
  resolve(answer: never): void;
  reject(error: Error): void;
}

/**
 * The database that another process serves over a channel, as this one's own. Everything it is used for after the
 * channel has closed is refused with `DatabaseUnavailable`. It passes on no news: `listen` where it is served.
 */
export function openRemote({ engine, canVacuum }: RemoteDatabase, channel: AskingChannel): Database {
  const waiting = new Map<number, Waiting>();
  let isClosed = false;
  let lastCall = 0;

  const send: Send = (transaction, ask: RemoteAsk) => {
    if (isClosed) return Promise.reject(databaseClosed());
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
    isClosed = true;
    for (const { reject } of waiting.values()) reject(databaseClosed());
    waiting.clear();
  });

  let lastTransaction = 0;
  const database: Database = {
    engine,
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
    listen: () => Promise.reject(new Error('News of the database are told in the process that has it open.')),
    async close() {
      channel.close();
    },
  };
  if (canVacuum) {
    database.vacuum = async () => {
      await send(0, { kind: 'vacuum' });
    };
  }
  return database;
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
