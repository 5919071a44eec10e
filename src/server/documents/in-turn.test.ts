import { describe, expect, it } from 'vitest';
import { createTurns, TooManyWaiting } from './in-turn.ts';

/** Returns work that resolves to its name when the test calls `end`. */
function pieceOf(name: string, begun: string[]) {
  let end = () => {};
  const ended = new Promise<string>((resolve) => {
    end = () => resolve(name);
  });
  const work = () => {
    begun.push(name);
    return ended;
  };
  return { work, end: () => end() };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

describe('calls in turn', () => {
  it('run one after another', async () => {
    const begun: string[] = [];
    const [one, two] = [pieceOf('one', begun), pieceOf('two', begun)];
    const inTurn = createTurns({ most: 2, mostPerClient: 2 });
    const results = [inTurn('a', one.work), inTurn('a', two.work)];
    await settled();
    expect(begun).toEqual(['one']);
    one.end();
    two.end();
    expect(await Promise.all(results)).toEqual(['one', 'two']);
  });

  it('run after a call that failed', async () => {
    const inTurn = createTurns({ most: 2, mostPerClient: 2 });
    await expect(inTurn('a', () => Promise.reject(new Error('gone')))).rejects.toThrow('gone');
    expect(await inTurn('a', async () => 'two')).toBe('two');
  });

  it('begin only after the pause that follows each call', async () => {
    const begun: string[] = [];
    const pauses: (() => void)[] = [];
    const two = pieceOf('two', begun);
    two.end();
    const pause = () => new Promise<void>((resolve) => pauses.push(resolve));
    const inTurn = createTurns({ most: 2, mostPerClient: 2, pause });
    await expect(inTurn('a', () => Promise.reject(new Error('gone')))).rejects.toThrow('gone');
    const result = inTurn('a', two.work);
    await settled();
    expect([begun, pauses.length]).toEqual([[], 1]);
    pauses[0]?.();
    expect(await result).toBe('two');
  });

  it('are refused while too many other calls wait', async () => {
    const one = pieceOf('one', []);
    const inTurn = createTurns({ most: 1, mostPerClient: 1 });
    const result = inTurn('a', one.work);
    await expect(inTurn('a', async () => 'two')).rejects.toThrow(TooManyWaiting);
    one.end();
    await result;
    expect(await inTurn('a', async () => 'three')).toBe('three');
  });

  it('begin with those of clients that had no turn yet', async () => {
    const begun: string[] = [];
    const inTurn = createTurns({ most: 20, mostPerClient: 20 });
    const call = (client: string, name: string) =>
      inTurn(client, async () => {
        begun.push(name);
      });
    await Promise.all([
      ...['a1', 'a2', 'a3'].map((name) => call('a', name)),
      ...['b1', 'b2'].map((name) => call('b', name)),
      call('c', 'c1'),
    ]);
    expect(begun).toEqual(['a1', 'a2', 'b1', 'c1', 'a3', 'b2']);
  });

  it('are refused to a client with too many, and not to the others', async () => {
    const one = pieceOf('one', []);
    const inTurn = createTurns({ most: 20, mostPerClient: 2 });
    const running = [inTurn('a', one.work), inTurn('a', async () => 'two')];
    await expect(inTurn('a', async () => 'three')).rejects.toThrow(TooManyWaiting);
    const other = inTurn('b', async () => 'of b');
    one.end();
    expect(await Promise.all([...running, other])).toEqual(['one', 'two', 'of b']);
    expect(await inTurn('a', async () => 'four')).toBe('four');
  });
});
