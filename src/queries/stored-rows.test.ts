import { describe, expect, it } from 'vitest';
import { EMPTY, FULL } from '#tests/support/dashboard-rows.ts';
import { parseStoredList, parseStoredRows } from './stored-rows.ts';

const stored = (value: unknown) => parseStoredRows(JSON.parse(JSON.stringify(value)));

describe('stored rows', () => {
  it('are read as they were written', () => {
    expect(stored(FULL)).toEqual(FULL);
    expect(stored(EMPTY)).toEqual(EMPTY);
  });

  it('are read even if an older page stored them', () => {
    const { earlier_components: _, ...current } = FULL.fearGreed.current ?? {};
    const rows = stored({ ...FULL, fearGreed: { ...FULL.fearGreed, current } });
    expect(rows?.fearGreed.current).toEqual({ ...FULL.fearGreed.current, earlier_components: null });
  });

  it('are null if the store has other data', () => {
    for (const value of [null, 7, 'rows', [], {}, { fearGreed: null }, { fearGreed: [] }]) {
      expect(stored(value), JSON.stringify(value)).toBeNull();
    }
  });

  it('are excluded one by one if they are invalid', () => {
    const timeline = [...FULL.fearGreed.timeline, null, { index_value: 500, created_at: 'never' }, '<img>'];
    const rows = stored({
      ...FULL,
      indices: { length: 3 },
      metrics: 'NaN',
      sectors: [{ sector: 'x'.repeat(10_000) }, ...FULL.sectors],
      fearGreed: { ...FULL.fearGreed, timeline },
      weekAgo: undefined,
    });
    expect(rows).toMatchObject({ indices: [], metrics: null, sectors: FULL.sectors });
    expect(rows?.fearGreed.timeline).toEqual(FULL.fearGreed.timeline);
    expect(rows?.weekAgo).toEqual(EMPTY.weekAgo);
  });
});

it('omits invalid rows from stored closes', () => {
  const close = { price: 6734.11, source: 'live', created_at: '2026-11-13T21:00:00.000Z' };
  expect(parseStoredList('closes', [close, { price: 'much' }, null])).toEqual([close]);
  expect(parseStoredList('closes', undefined)).toEqual([]);
});
