import type { Listener } from '../port.ts';
import type { Session } from './session.ts';

/** The listeners of all channels. They stay registered when a new worker replaces the old one. */
export interface Listeners {
  readonly hasAny: boolean;
  /** Adds a listener and returns a function that removes it. */
  add(channel: string, listener: Listener): () => void;
  notified(channel: string, payload: string): void;
  lost(): void;
  /** Makes a new worker listen to all channels, then calls `regained` of each listener. */
  resume(session: Session): Promise<void>;
}

/** Makes a worker listen to a channel until the worker ends. Call it between transactions only. */
export async function startListening(session: Session, channel: string): Promise<void> {
  await session.send({ kind: 'script', sql: `listen "${channel.replaceAll('"', '""')}"` });
}

export function createListeners(): Listeners {
  const entries = new Set<{ channel: string; listener: Listener }>();
  return {
    get hasAny() {
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
      for (const channel of new Set([...entries].map((entry) => entry.channel)))
        await startListening(session, channel);
      for (const { listener } of [...entries]) listener.regained();
    },
  };
}
