const PREFIX = 'barometer-data:';
/** Tolerance (ms) for a clock that was set back between two visits. */
const CLOCK_SLACK = 60_000;

export interface Stored {
  at: number;
  value: unknown;
}

/** Stores reads of one backend in the browser; nothing, without an error, if the browser forbids it or has no room. */
export function browserStore(storage: () => Storage, backend: string) {
  return {
    /** Replaces the record with that name. Keeps the old one if the new one does not fit. */
    write(name: string, stored: Stored): void {
      try {
        storage().setItem(PREFIX + name, JSON.stringify({ backend, ...stored }));
      } catch {}
    },

    /** The record with that name, unparsed except for its time; null if this backend has none. */
    read(name: string, now: number): Stored | null {
      try {
        const record: unknown = JSON.parse(storage().getItem(PREFIX + name) ?? 'null');
        if (typeof record !== 'object' || record === null) return null;
        const { backend: of, at, value }: { backend?: unknown; at?: unknown; value?: unknown } = record;
        const known = of === backend && typeof at === 'number' && at >= 0 && at <= now + CLOCK_SLACK;
        return known ? { at, value } : null;
      } catch {
        return null;
      }
    },
  };
}

interface KeptReadOptions<Row> {
  store: ReturnType<typeof browserStore>;
  name: string;
  now: () => number;
  read: () => Promise<readonly Row[]>;
  /** Parses stored rows, which may be anything; empty if none can be read. */
  parse: (value: unknown) => readonly Row[];
}

/** A list that is read on first use, and stored in the browser as a fallback. */
export function readWithFallback<Row>(options: KeptReadOptions<Row>) {
  const { store, name, now, read, parse } = options;
  let last: Promise<readonly Row[]> | null = null;

  async function readAndKeep(): Promise<readonly Row[]> {
    const rows = await read();
    store.write(name, { at: now(), value: rows });
    return rows;
  }

  /** Rows of the last read, else of a new one. If that fails: rows of an earlier visit, or the error if there are none. */
  async function load(): Promise<readonly Row[]> {
    last ??= readAndKeep();
    const mine = last;
    try {
      return await mine;
    } catch (error) {
      if (last === mine) last = null;
      const earlier = parse(store.read(name, now())?.value);
      if (earlier.length === 0) throw error;
      return earlier;
    }
  }

  return {
    load,
    forget: () => {
      last = null;
    },
    put: (rows: readonly Row[]) => {
      last = Promise.resolve(rows);
    },
  };
}
