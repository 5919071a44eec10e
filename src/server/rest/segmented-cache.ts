/** What a cached value tells of itself: whoever hands it out says so, and the next look at what has to go heeds it. */
export interface Cacheable {
  wasUsed: boolean;
}

export interface SegmentedCache<Value extends Cacheable> {
  get(key: string): Value | undefined;
  /** Keeps a value, also one that is there already and has another size now. Too large a one is let go. */
  set(key: string, value: Value, bytes: number): void;
  readonly bytes: number;
  readonly size: number;
}

interface Held<Value> {
  readonly value: Value;
  bytes: number;
}

export interface SegmentedCacheOptions<Value> {
  readonly bytes: number;
  /** Hears of each value that is let go. */
  readonly onRemoved?: (value: Value) => void;
}

const PROTECTED_SHARE = 0.8;
const LARGEST_SHARE = 1 / 16;

/**
 * A cache bounded in bytes, in two segments. What is new is on probation and leaves in the order it came, unless it was
 * used in the meantime: only then it gets among the protected, of which those leave that were not used since the last
 * look. So any number of values that are asked for once pass by the ones that are asked for again.
 */
export function createSegmentedCache<Value extends Cacheable>({
  bytes: most,
  onRemoved = () => {},
}: SegmentedCacheOptions<Value>): SegmentedCache<Value> {
  const probation = new Map<string, Held<Value>>();
  const protectedOnes = new Map<string, Held<Value>>();
  let bytes = 0;
  let protectedBytes = 0;

  function remove(key: string): void {
    const held = probation.get(key) ?? protectedOnes.get(key);
    if (held === undefined) return;
    if (protectedOnes.delete(key)) protectedBytes -= held.bytes;
    probation.delete(key);
    bytes -= held.bytes;
    onRemoved(held.value);
  }

  /** Moves the protected ones that nobody used since the last look back to probation, until the others fit. */
  function demote(): void {
    for (const [key, held] of protectedOnes) {
      if (protectedBytes <= most * PROTECTED_SHARE) return;
      protectedOnes.delete(key);
      if (held.value.wasUsed) {
        held.value.wasUsed = false;
        // A loop over a map comes to what is set meanwhile, so to this one again, unused.
        protectedOnes.set(key, held);
      } else {
        protectedBytes -= held.bytes;
        probation.set(key, held);
      }
    }
  }

  function makeRoom(): void {
    for (const [key, held] of probation) {
      if (bytes <= most) return;
      if (!held.value.wasUsed) {
        remove(key);
        continue;
      }
      held.value.wasUsed = false;
      probation.delete(key);
      protectedOnes.set(key, held);
      protectedBytes += held.bytes;
      demote();
    }
  }

  return {
    get: (key) => (protectedOnes.get(key) ?? probation.get(key))?.value,
    set(key, value, size) {
      const segment = protectedOnes.has(key) ? protectedOnes : probation;
      const before = segment.get(key);
      if (before !== undefined && before.value !== value) onRemoved(before.value);
      segment.set(key, { value, bytes: size });
      const growth = size - (before?.bytes ?? 0);
      bytes += growth;
      if (segment === protectedOnes) protectedBytes += growth;
      if (size > most * LARGEST_SHARE) remove(key);
      demote();
      makeRoom();
    },
    get bytes() {
      return bytes;
    },
    get size() {
      return probation.size + protectedOnes.size;
    },
  };
}
