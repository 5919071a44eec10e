import type { Database, Transaction } from '../port.ts';
import type { ServingChannel } from './channel.ts';
import { sentError } from './errors.ts';
import type { RemoteAnswers, RemoteAsk, RemoteDatabase, RemoteRequest } from './messages.ts';

/**
 * A process that hangs with a transaction open would keep the embedded database from everybody; so long after its last
 * word (ms) the transaction ends, as Postgres ends it by itself.
 */
const IDLE_MS = 60_000;

/** A transaction that is open for the other process. */
interface Open {
  /** Has the transaction do something. */
  run(ask: Statement): Promise<RemoteAnswers[keyof RemoteAnswers]>;
  /** Ends it; the call is answered when it has ended. */
  end(call: number, kind: 'commit' | 'rollback'): void;
  /** Rolls it back, where there is nobody left to answer. */
  leave(): void;
}

const rolledBack = new Error('The other process rolled back.');

/**
 * Serves a database of this process to another one, which makes a `Database` of what this answers with `openRemote`.
 * When the channel closes, what the other one has open is rolled back.
 */
export function serveDatabase(
  database: Database,
  channel: ServingChannel,
  { idleMs = IDLE_MS } = {},
): RemoteDatabase {
  const open = new Map<number, Open>();
  let isClosed = false;

  const answer = (call: number, given: RemoteAnswers[keyof RemoteAnswers]) =>
    channel.send({ call, answer: given });
  const refuse = (call: number, error: unknown) => channel.send({ call, error: sentError(error) });

  /** Holds a transaction open until it is told how to end. */
  async function begin(first: number, id: number, options: Parameters<Database['transaction']>[1]) {
    // Which call learns how it ended: the first one, as long as it could not begin.
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

  channel.onMessage((request) => void perform(request));
  channel.onClose(() => {
    isClosed = true;
    for (const { leave } of open.values()) leave();
    open.clear();
  });
  return { engine: database.engine, canVacuum: database.vacuum !== undefined };
}

type Statement = Extract<RemoteAsk, { kind: 'query' | 'script' | 'copyIn' | 'copyOut' }>;

/** Calls `late` once nothing has gone on for so long, until stopped. */
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

async function run(transaction: Transaction, ask: Statement): Promise<RemoteAnswers[keyof RemoteAnswers]> {
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
