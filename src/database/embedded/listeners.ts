import type { Listener } from '../port.ts';
import type { Session } from './session.ts';

/** Who listens to which channel, whichever worker there is. */
export interface Listeners {
  /** Whether anybody listens to anything. */
  readonly isWanted: boolean;
  /** Adds a listener; answers how to take it out. */
  add(channel: string, listener: Listener): () => void;
  notified(channel: string, payload: string): void;
  lost(): void;
  /** Listens to all channels again in a new worker, and tells everybody. */
  resume(session: Session): Promise<void>;
}

/** Has the worker hear a channel, until it ends. Outside a transaction. */
export async function hear(session: Session, channel: string): Promise<void> {
  await session.ask({ kind: 'script', sql: `listen "${channel.replaceAll('"', '""')}"` });
}

/** Nobody at first. */
export function createListeners(): Listeners {
  const entries = new Set<{ channel: string; listener: Listener }>();
  return {
    get isWanted() {
      return entries.size > 0;
    },
    add(channel, listener) {
      const entry = { channel, listener };
      entries.add(entry);
      return () => {
        entries.delete(entry);
      };
    },
    notified(channel, payload) {
      for (const entry of [...entries]) if (entry.channel === channel) entry.listener.notified(payload);
    },
    lost() {
      for (const { listener } of [...entries]) listener.lost();
    },
    async resume(session) {
      for (const channel of new Set([...entries].map((entry) => entry.channel))) await hear(session, channel);
      for (const { listener } of [...entries]) listener.regained();
    },
  };
}
