import { afterAll, beforeAll } from 'vitest';
import { temporaryFolder } from './product.ts';

const ENDINGS = ['close', 'stop', 'remove'] as const;

function endOf(started: object): unknown {
  const name = ENDINGS.find((each) => each in started);
  if (name === undefined) throw new Error(`The resource has none of the methods ${ENDINGS.join(', ')}.`);
  return (started as Record<typeof name, () => unknown>)[name]();
}

/**
 * Starts a resource before the tests of the file or block that calls this, and ends it after them and their other hooks
 * by its `close`, `stop` or `remove`.
 * It can be used in tests and hooks only.
 */
export function shared<T extends object>(start: () => T | Promise<T>): T {
  let started: T | undefined;
  beforeAll(async () => {
    started = await start();
  });
  afterAll(() => started && endOf(started));
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

/** Returns the path of a new folder, which is removed after the tests of the file or block that calls this. */
export function folderForTests(): string {
  const { path, remove } = temporaryFolder();
  afterAll(remove);
  return path;
}
