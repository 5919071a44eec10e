import type { Database, Transaction } from '../port.ts';
import type { Statement, StatementResult } from '../statements.ts';
import { type RemoteRequest, sentError } from './protocol.ts';
import type { ServingChannel } from './socket-channel.ts';

/**
 * A transaction without a request for this long is rolled back (ms): the embedded database runs one transaction at a
 * time, so a client that hangs would block everybody.
 */
const IDLE_MS = 10_000;

/** An open transaction of the client. */
interface Open {
  run(statement: Statement): Promise<StatementResult>;
  /** Ends it, then replies to the call. */
  end(call: number, kind: 'commit' | 'rollback'): void;
  /** Rolls it back without a reply. */
  leave(): void;
}

const rolledBack = new Error('The client rolled back.');

/**
 * Serves a database of this process to a client, which calls `openRemote` on its side of the channel. When the channel
 * closes, its open transactions are rolled back.
 */
export function serveDatabase(database: Database, channel: ServingChannel, { idleMs = IDLE_MS } = {}): void {
  const open = new Map<number, Open>();
  let isClosed = false;

  const answer = (call: number, result: StatementResult) => channel.send({ call, answer: result });
  const refuse = (call: number, error: unknown) => channel.send({ call, error: sentError(error) });

  /** Keeps a transaction open until the client ends it. */
  async function begin(first: number, id: number, options: Parameters<Database['transaction']>[1]) {
    // The call to reply to when it ends: `begin` until it has begun, then `commit` or `rollback`.
    let waiting = first;
    const hold = (transaction: Transaction) =>
      new Promise<void>((resolve, reject) => {
        const leave = () => reject(rolledBack);
        if (isClosed) return leave();
        const idle = whenIdle(idleMs, () => {
          open.delete(id);
          leave();
        });
        open.set(id, {
          run: (ask) => idle.during(() => run(transaction, ask)),
          end(call, kind) {
            open.delete(id);
            idle.stop();
            waiting = call;
            if (kind === 'commit') resolve();
            else leave();
          },
          leave() {
            idle.stop();
            leave();
          },
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
    try {
      if (ask.kind === 'vacuum') {
        await database.vacuum?.();
        answer(call, null);
      } else if (held === undefined) throw new Error('This transaction is over.');
      else if (ask.kind === 'commit' || ask.kind === 'rollback') held.end(call, ask.kind);
      else answer(call, await held.run(ask));
    } catch (error) {
      refuse(call, error);
    }
  }

  // A message of another protocol is no request.
  channel.onMessage((request) => void perform(request).catch(() => channel.close()));
  channel.onClose(() => {
    isClosed = true;
    for (const { leave } of open.values()) leave();
    open.clear();
  });
}

/** Calls `late` after `ms` without work, until stopped. */
function whenIdle(ms: number, late: () => void) {
  let underWay = 0;
  let isOver = false;
  let timer = setTimeout(late, ms);
  return {
    async during<T>(work: () => Promise<T>): Promise<T> {
      underWay += 1;
      clearTimeout(timer);
      try {
        return await work();
      } finally {
        underWay -= 1;
        if (underWay === 0 && !isOver) timer = setTimeout(late, ms);
      }
    },
    stop() {
      isOver = true;
      clearTimeout(timer);
    },
  };
}

async function run(transaction: Transaction, ask: Statement): Promise<StatementResult> {
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
