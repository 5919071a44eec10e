/** Reads an untrusted value, which stands at `path`, or throws Misfit. */
export type Reader<T> = (value: unknown, path: string) => T;

/** A stored value is not what it should be; `path` says which. */
export class Misfit extends Error {
  readonly path: string;

  constructor(path: string) {
    super(`${path} is not what it should be`);
    this.name = 'Misfit';
    this.path = path;
  }
}

/** Any text. */
export const text: Reader<string> = (value, path) => {
  if (typeof value !== 'string') throw new Misfit(path);
  return value;
};

/** A finite number. */
export const number: Reader<number> = (value, path) => {
  if (typeof value !== 'number' || !Number.isFinite(value)) throw new Misfit(path);
  return value;
};

/** One of the words given. */
export function oneOf<Word extends string>(words: readonly Word[]): Reader<Word> {
  return (value, path) => {
    const word = words.find((one) => one === value);
    if (word === undefined) throw new Misfit(path);
    return word;
  };
}

/** The same, or null. */
export function orNull<T>(read: Reader<T>): Reader<T | null> {
  return (value, path) => (value === null ? null : read(value, path));
}

/** A list of the same. */
export function listOf<T>(read: Reader<T>): Reader<T[]> {
  return (value, path) => {
    if (!Array.isArray(value)) throw new Misfit(path);
    return value.map((one, at) => read(one, `${path}[${at}]`));
  };
}

/** An object with a reader for each field; others it has are left out. */
export function fields<T extends object>(
  readers: { readonly [Key in keyof T]-?: Reader<T[Key]> },
): Reader<T> {
  return (value, path) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new Misfit(path);
    const stored = new Map(Object.entries(value));
    const read = Object.entries<Reader<unknown>>(readers).map(([key, reader]) => [
      key,
      reader(stored.get(key), path === '' ? key : `${path}.${key}`),
    ]);
    return Object.fromEntries(read) as T;
  };
}
