import type { browserStore } from './browser-store.ts';

interface KeptReadOptions<Row> {
  store: ReturnType<typeof browserStore>;
  /** Key in the browser's storage. */
  name: string;
  /** Epoch milliseconds. */
  now: () => number;
  read: () => Promise<readonly Row[]>;
  /** Parses stored rows, which may be anything; empty if none can be read. */
  parse: (value: unknown) => readonly Row[];
}

export interface KeptRead<Row> {
  /**
   * Returns the rows of the last read. Without a last read it reads; if that fails, it returns the rows of an earlier
   * visit. If there are none, it throws the error of the read.
   */
  load: () => Promise<readonly Row[]>;
  /** Makes the next `load` read again. */
  forget: () => void;
  /** Sets the rows of the last read. */
  put: (rows: readonly Row[]) => void;
}

/** A list that is read on first use, and stored in the browser as a fallback. */
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
