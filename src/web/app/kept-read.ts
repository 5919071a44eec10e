import type { browserStore } from './browser-store.ts';

interface KeptReadOptions<Row> {
  store: ReturnType<typeof browserStore>;
  /** Name of its record in the browser's storage. */
  name: string;
  /** Epoch milliseconds. */
  now: () => number;
  read: () => Promise<readonly Row[]>;
  /** Parses stored rows, which may be anything; empty if none can be read. */
  parse: (value: unknown) => readonly Row[];
}

export interface KeptRead<Row> {
  /** The rows read last, else a read, and where that fails those of an earlier visit; throws what the read threw. */
  load: () => Promise<readonly Row[]>;
  /** Has the next load read them anew. */
  forget: () => void;
  /** Takes rows for those read last. */
  put: (rows: readonly Row[]) => void;
}

/** A list that is read once when it is first wanted, and kept in the browser for when it cannot be. */
export function keptRead<Row>({ store, name, now, read, parse }: KeptReadOptions<Row>): KeptRead<Row> {
  let last: Promise<readonly Row[]> | null = null;

  async function readAndKeep(): Promise<readonly Row[]> {
    const rows = await read();
    store.write(name, { at: now(), value: rows });
    return rows;
  }

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
    put: (rows) => {
      last = Promise.resolve(rows);
    },
  };
}
