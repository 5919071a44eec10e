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
    const inTurn = createTurns({ most: 2 });
    const results = [inTurn(one.work), inTurn(two.work)];
    await settled();
    expect(begun).toEqual(['one']);
    one.end();
    two.end();
    expect(await Promise.all(results)).toEqual(['one', 'two']);
  });

  it('run after a call that failed', async () => {
    const inTurn = createTurns({ most: 2 });
    await expect(inTurn(() => Promise.reject(new Error('gone')))).rejects.toThrow('gone');
    expect(await inTurn(async () => 'two')).toBe('two');
  });

  it('begin only after the pause that follows each call', async () => {
    const begun: string[] = [];
    const pauses: (() => void)[] = [];
    const two = pieceOf('two', begun);
    two.end();
    const pause = () => new Promise<void>((resolve) => pauses.push(resolve));
    const inTurn = createTurns({ most: 2, pause });
    await expect(inTurn(() => Promise.reject(new Error('gone')))).rejects.toThrow('gone');
    const result = inTurn(two.work);
    await settled();
    expect([begun, pauses.length]).toEqual([[], 1]);
    pauses[0]?.();
    expect(await result).toBe('two');
  });

  it('are refused while too many other calls wait', async () => {
    const one = pieceOf('one', []);
    const inTurn = createTurns({ most: 1 });
    const result = inTurn(one.work);
    await expect(inTurn(async () => 'two')).rejects.toThrow(TooManyWaiting);
    one.end();
    await result;
    expect(await inTurn(async () => 'three')).toBe('three');
  });
});
