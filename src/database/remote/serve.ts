import { MessageChannel } from 'node:worker_threads';
import type { Database, Transaction } from '../port.ts';
import { sentError } from './errors.ts';
import type { RemoteAnswers, RemoteAsk, RemoteDatabase, RemoteReply, RemoteRequest } from './messages.ts';
import { movable } from './movable.ts';

/** A transaction that is open for the other thread. */
interface Open {
  readonly transaction: Transaction;
  /** Ends it; the call is answered when it has ended. */
  end(call: number, kind: 'commit' | 'rollback'): void;
  /** Rolls it back, where there is nobody left to answer. */
  leave(): void;
}

/** A database as another thread may have it, and how to take it back. */
export interface ServedDatabase {
  readonly remote: RemoteDatabase;
  /** Rolls back what the other thread has open and serves it no more. So does the end of that thread. */
  close(): void;
}

const rolledBack = new Error('The other thread rolled back.');

/** Serves a database of this thread to another one, which makes a `Database` of `remote` with `openRemote`. */
export function serveDatabase(database: Database): ServedDatabase {
  const { port1: port, port2 } = new MessageChannel();
  const open = new Map<number, Open>();
  let isClosed = false;

  function answer(call: number, given: RemoteAnswers[keyof RemoteAnswers]): void {
    const bytes = given instanceof Uint8Array ? movable(given) : null;
    const reply: RemoteReply = { call, answer: bytes ?? given };
    port.postMessage(reply, bytes === null ? [] : [bytes.buffer]);
  }

  function refuse(call: number, error: unknown): void {
    const reply: RemoteReply = { call, error: sentError(error) };
    port.postMessage(reply);
  }

  /** Holds a transaction open until it is told how to end. */
  async function begin(first: number, id: number, options: Parameters<Database['transaction']>[1]) {
    // Which call learns how it ended: the first one, as long as it could not begin.
    let waiting = first;
    const hold = (transaction: Transaction) =>
      new Promise<void>((resolve, reject) => {
        const leave = () => reject(rolledBack);
        if (isClosed) return leave();
        open.set(id, {
          transaction,
          end(call, kind) {
            open.delete(id);
            waiting = call;
            if (kind === 'commit') resolve();
            else leave();
          },
          leave,
        });
        answer(first, null);
      });
    try {
      await database.transaction(hold, options);
      answer(waiting, null);
    } catch (error) {
      if (error === rolledBack) answer(waiting, null);
      else refuse(waiting, error);
    }
  }

  async function perform({ call, transaction: id, ask }: RemoteRequest): Promise<void> {
    if (ask.kind === 'begin') return begin(call, id, ask.options);
    const held = open.get(id);
    if (ask.kind === 'commit' || ask.kind === 'rollback') return held?.end(call, ask.kind);
    try {
      if (ask.kind === 'vacuum') await database.vacuum?.();
      answer(call, ask.kind === 'vacuum' ? null : await run(held?.transaction, ask));
    } catch (error) {
      refuse(call, error);
    }
  }

  port.on('message', (request: RemoteRequest) => void perform(request));
  port.on('close', () => {
    isClosed = true;
    for (const { leave } of open.values()) leave();
    open.clear();
  });
  return {
    remote: { engine: database.engine, canVacuum: database.vacuum !== undefined, port: port2 },
    close: () => port.close(),
  };
}

type Statement = Extract<RemoteAsk, { kind: 'query' | 'script' | 'copyIn' | 'copyOut' }>;

async function run(
  transaction: Transaction | undefined,
  ask: Statement,
): Promise<RemoteAnswers[keyof RemoteAnswers]> {
  if (transaction === undefined) throw new Error('This transaction is over.');
  switch (ask.kind) {
    case 'query':
      return transaction.query(ask.sql, ask.parameters);
    case 'script':
      await transaction.script(ask.sql);
      return null;
    case 'copyIn':
      return transaction.copyIn(ask.sql, ask.data);
    case 'copyOut':
      return transaction.copyOut(ask.sql);
  }
}
