import { afterAll, beforeAll } from 'vitest';

/**
 * Starts a resource before the tests of the file or block that calls this, and ends it after them and their other hooks.
 * It can be used in tests and hooks only.
 */
export function shared<T extends object>(start: () => Promise<T>, end: (started: T) => unknown): T {
  let started: T | undefined;
  beforeAll(async () => {
    started = await start();
  });
  afterAll(() => started && end(started));
  const current = () => {
    if (started === undefined) throw new Error('The resource exists during tests only.');
    return started;
  };
  return new Proxy({} as T, {
    get(_, name) {
      const value = Reflect.get(current(), name);
      return typeof value === 'function' ? value.bind(current()) : value;
    },
    set: (_, name, value) => Reflect.set(current(), name, value),
  });
}
