import { describe, expect, it } from 'vitest';
import { type Bound, isMet } from './figure.ts';

const held = (value: number, bound: Bound, peer?: number) =>
  isMet({ what: 'a', value, unit: '', bound, ...(peer && { peer: { name: 'other', value: peer } }) });

describe('the bound of a result', () => {
  it('is met at its limit, not beyond it', () => {
    expect([held(10, { atMost: 10 }), held(10.1, { atMost: 10 })]).toEqual([true, false]);
    expect([held(10, { atLeast: 10 }), held(9.9, { atLeast: 10 })]).toEqual([true, false]);
    expect([held(0, { exactly: 0 }), held(1, { exactly: 0 })]).toEqual([true, false]);
  });

  it('with two limits is met only between them', () => {
    const bound = { atLeast: 1, atMost: 2 };
    expect([0.5, 1.5, 2.5].map((value) => held(value, bound))).toEqual([false, true, false]);
  });

  it('relative to a peer is met at that multiple of its value', () => {
    expect([held(1_000, { timesPeer: 10 }, 100), held(999, { timesPeer: 10 }, 100)]).toEqual([true, false]);
  });

  it('is not met by an unmeasured value or without the peer', () => {
    expect([{ atMost: 1 }, { atLeast: 1 }, { exactly: 1 }].map((bound) => held(Number.NaN, bound))).toEqual([
      false,
      false,
      false,
    ]);
    expect(held(1_000, { timesPeer: 10 })).toBe(false);
  });

  it('without limits is always met', () => {
    expect(isMet({ what: 'a', value: Number.NaN, unit: '' })).toBe(true);
  });
});
