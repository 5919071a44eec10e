import type { Encoded } from '../http/encoding.ts';
import type { ReadAnswer } from './read-answer.ts';
import { createSegmentedCache } from './segmented-cache.ts';

/** A read that is kept, and its newest answer. */
export interface Slot {
  readonly key: string;
  /** Null once it is let go. */
  answer: ReadAnswer | null;
  /** Whether it was asked for again: only then it is worth compressing. */
  isWanted: boolean;
}

export interface Slots {
  get(key: string): Slot | undefined;
  keep(key: string, answer: ReadAnswer): Slot;
  /** Notes that somebody was given the slot's answer. */
  use(slot: Slot): void;
  readonly bytes: number;
  readonly size: number;
}

/** What an entry takes beside its content and its key: objects, headers as they go out in each encoding, places in maps. */
const OVERHEAD_BYTES = 4_096;

function sizeOf({ key }: Slot, { content, br, gzip }: ReadAnswer): number {
  return OVERHEAD_BYTES + 2 * key.length + content.length + (br?.length ?? 0) + (gzip?.length ?? 0);
}

/** The kept answers, bounded in bytes with what `compress`, which never rejects, makes of them. */
export function createCapacity(bytes: number, compress: (content: Buffer) => Promise<Encoded>): Slots {
  const cache = createSegmentedCache<Slot>({
    bytes,
    onRemoved: (slot) => {
      slot.answer = null;
    },
  });

  async function compressOf(slot: Slot, answer: ReadAnswer): Promise<void> {
    const { br, gzip } = await compress(answer.content);
    if (slot.answer !== answer) return;
    answer.br = br;
    answer.gzip = gzip;
    cache.set(slot.key, slot, sizeOf(slot, answer));
  }

  return {
    get: (key) => cache.peek(key),
    keep(key, answer) {
      const slot = cache.peek(key) ?? { key, answer, isWanted: false };
      slot.answer = answer;
      cache.set(key, slot, sizeOf(slot, answer));
      if (slot.isWanted) void compressOf(slot, answer);
      return slot;
    },
    use(slot) {
      cache.use(slot.key);
      if (slot.isWanted || slot.answer === null) return;
      slot.isWanted = true;
      void compressOf(slot, slot.answer);
    },
    get bytes() {
      return cache.bytes;
    },
    get size() {
      return cache.size;
    },
  };
}
