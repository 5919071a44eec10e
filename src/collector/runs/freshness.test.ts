import { describe, expect, it } from 'vitest';
import type { MarketSource } from '#schema/market-source.ts';
import { latenessOf } from './freshness.ts';

const late = (newest: string, now: string, source: MarketSource = 'live') => {
  const { sessionsBehind, isBehindWithinSession } = latenessOf(
    { at: Date.parse(newest), source },
    Date.parse(now),
  );
  return [sessionsBehind, isBehindWithinSession];
};
const THURSDAY_CLOSE = '2026-11-19T21:00:00Z';

describe('the lateness of rows', () => {
  it('counts a session 90 minutes after its close if the rows are older', () => {
    expect(late(THURSDAY_CLOSE, '2026-11-20T22:29:59Z')).toEqual([0, false]);
    expect(late(THURSDAY_CLOSE, '2026-11-20T22:30:00Z')).toEqual([1, false]);
    expect(late('2026-11-20T20:45:00Z', '2026-11-20T22:30:00Z')).toEqual([1, false]);
    expect(late('2026-11-20T21:00:00Z', '2026-11-23T15:00:00Z')).toEqual([0, false]);
  });

  it('counts a half-day from its early close', () => {
    expect(late('2026-11-25T21:00:00Z', '2026-11-27T19:29:00Z')[0]).toBe(0);
    expect(late('2026-11-25T21:00:00Z', '2026-11-27T19:30:00Z')[0]).toBe(1);
  });

  it('begins within a session after two missed periods of half an hour', () => {
    expect(late(THURSDAY_CLOSE, '2026-11-20T16:29:59Z')[1]).toBe(false);
    expect(late(THURSDAY_CLOSE, '2026-11-20T16:30:00Z')[1]).toBe(true);
    // A single run with a provider that is 15 minutes behind.
    expect(late('2026-11-20T14:45:00Z', '2026-11-20T17:29:59Z')[1]).toBe(false);
    expect(late('2026-11-20T14:45:00Z', '2026-11-20T17:30:00Z')[1]).toBe(true);
  });

  it('expects only closes from a CSV folder, and no rows from a replay', () => {
    expect(late(THURSDAY_CLOSE, '2026-11-20T18:30:00Z', 'csv')).toEqual([0, false]);
    expect(late(THURSDAY_CLOSE, '2026-11-24T18:30:00Z', 'csv')).toEqual([2, false]);
    expect(late('2024-11-19T21:00:00Z', '2026-11-24T18:30:00Z', 'replay')).toEqual([0, false]);
  });
});
