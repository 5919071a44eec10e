export interface SegmentedCache<Value> {
  /** A value, whether or not that counts as a use. */
  peek(key: string): Value | undefined;
  /** A value that somebody gets. */
  use(key: string): Value | undefined;
  /** Keeps a value, also one that is there already and has another size now. Too large a one is let go. */
  set(key: string, value: Value, bytes: number): void;
  readonly bytes: number;
  readonly size: number;
}

interface Held<Value> {
  readonly value: Value;
  readonly bytes: number;
  /** How many values had been set when it was last moved to the end of its segment. */
  movedAt: number;
}

interface SegmentedCacheOptions<Value> {
  readonly bytes: number;
  /** Hears of each value that is let go. */
  readonly onRemoved?: (value: Value) => void;
}

const PROTECTED_SHARE = 0.8;
const LARGEST_SHARE = 1 / 16;

/**
 * A cache bounded in bytes, in two segments, each from the least to the most recently used. What is new is on probation;
 * what is used again is protected, of which the least recently used go back to probation where they are too many. Room is
 * made on probation only, so any number of values that are asked for once pass by the ones that are asked for again.
 */
export function createSegmentedCache<Value>({
  bytes: most,
  onRemoved = () => {},
}: SegmentedCacheOptions<Value>): SegmentedCache<Value> {
  const probation = new Map<string, Held<Value>>();
  const protectedOnes = new Map<string, Held<Value>>();
  let bytes = 0;
  let protectedBytes = 0;
  let changes = 0;

  function take(key: string): Held<Value> | undefined {
    const held = protectedOnes.get(key) ?? probation.get(key);
    if (held === undefined) return undefined;
    if (protectedOnes.delete(key)) protectedBytes -= held.bytes;
    probation.delete(key);
    bytes -= held.bytes;
    return held;
  }

  function put(segment: Map<string, Held<Value>>, key: string, held: Held<Value>): void {
    held.movedAt = changes;
    segment.set(key, held);
    bytes += held.bytes;
    if (segment === protectedOnes) protectedBytes += held.bytes;
  }

  function moveOldest(): void {
    for (const key of protectedOnes.keys()) {
      if (protectedBytes <= most * PROTECTED_SHARE) return;
      const held = take(key);
      if (held !== undefined) put(probation, key, held);
    }
  }

  function makeRoom(): void {
    for (const [key, { value }] of probation) {
      if (bytes <= most) return;
      take(key);
      onRemoved(value);
    }
  }

  const find = (key: string) => protectedOnes.get(key) ?? probation.get(key);

  return {
    peek: (key) => find(key)?.value,
    use(key) {
      const held = find(key);
      if (held === undefined) return undefined;
      // Who is before whom matters to the next that is set only, and moving costs more than looking.
      if (held.movedAt === changes && protectedOnes.has(key)) return held.value;
      take(key);
      put(protectedOnes, key, held);
      moveOldest();
      return held.value;
    },
    set(key, value, size) {
      changes += 1;
      const segment = protectedOnes.has(key) ? protectedOnes : probation;
      const before = take(key);
      if (before !== undefined && before.value !== value) onRemoved(before.value);
      if (size > most * LARGEST_SHARE) {
        onRemoved(value);
        return;
      }
      put(segment, key, { value, bytes: size, movedAt: changes });
      moveOldest();
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
