import type { Listener } from '../port.ts';
import type { Session } from './session.ts';

/** The listeners of all channels, which outlive a worker. */
export interface Listeners {
  /** True if there is a listener. */
  readonly isWanted: boolean;
  /** Adds a listener and returns a function that removes it. */
  add(channel: string, listener: Listener): () => void;
  notified(channel: string, payload: string): void;
  lost(): void;
  /** Listens to all channels again in a new worker, and calls `regained`. */
  resume(session: Session): Promise<void>;
}

/** Lets the worker listen to a channel until it ends. Outside a transaction. */
export async function hear(session: Session, channel: string): Promise<void> {
  await session.ask({ kind: 'script', sql: `listen "${channel.replaceAll('"', '""')}"` });
}

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
