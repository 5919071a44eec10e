/** Finds a symbol's index by its bytes, without making a string of it. */
export interface SymbolTable {
  /** -1 when the symbol is not one of the table. */
  find(bytes: Uint8Array, start: number, end: number): number;
}

/** A table of `symbols` by their place in the list; open addressing over FNV-1a hashes. */
export function createSymbolTable(symbols: readonly string[]): SymbolTable {
  const encoded = symbols.map((symbol) => new TextEncoder().encode(symbol));
  const size = 2 ** Math.ceil(Math.log2(symbols.length * 4 + 4));
  const slots = new Int32Array(size).fill(-1);
  for (const [index, bytes] of encoded.entries()) {
    let slot = hash(bytes, 0, bytes.length) & (size - 1);
    while (slots[slot] !== -1) slot = (slot + 1) & (size - 1);
    slots[slot] = index;
  }
  let last = -1;
  return {
    find(bytes, start, end) {
      // Files are sorted by symbol or by date; in the first kind the row before has the same one.
      if (last >= 0 && equals(encoded[last] as Uint8Array, bytes, start, end)) return last;
      let slot = hash(bytes, start, end) & (size - 1);
      for (let index = slots[slot] as number; index !== -1; index = slots[slot] as number) {
        if (equals(encoded[index] as Uint8Array, bytes, start, end)) {
          last = index;
          return index;
        }
        slot = (slot + 1) & (size - 1);
      }
      return -1;
    },
  };
}

function hash(bytes: Uint8Array, start: number, end: number): number {
  let value = 0x811c9dc5;
  for (let at = start; at < end; at += 1) value = Math.imul(value ^ (bytes[at] as number), 0x01000193);
  return value ^ (value >>> 15);
}

function equals(symbol: Uint8Array, bytes: Uint8Array, start: number, end: number): boolean {
  if (symbol.length !== end - start) return false;
  for (let at = 0; at < symbol.length; at += 1) if (symbol[at] !== bytes[start + at]) return false;
  return true;
}
