import { describe, expect, it } from 'vitest';
import { nextRun } from './next-run.ts';

const at = (text: string) => Date.parse(`${text}-05:00`);
const due = (now: string, succeeded: string | null, failed: string | null = null) =>
  new Date(
    nextRun(at(now), {
      succeededAt: succeeded === null ? null : at(succeeded),
      failedAt: failed === null ? null : at(failed),
    }) -
      5 * 3_600_000,
  )
    .toISOString()
    .slice(0, 16);

describe('nextRun', () => {
  it('is due at once where nothing has run', () => {
    expect(due('2026-11-21T12:00', null)).toBe('2026-11-21T12:00');
  });

  it('is due hourly while the exchange is open and once after the close', () => {
    expect(due('2026-11-20T09:00', '2026-11-19T16:10')).toBe('2026-11-20T10:00');
    expect(due('2026-11-20T10:01', '2026-11-20T10:00')).toBe('2026-11-20T11:00');
    expect(due('2026-11-20T15:30', '2026-11-20T15:00')).toBe('2026-11-20T16:10');
    expect(due('2026-11-20T16:11', '2026-11-20T16:10')).toBe('2026-11-23T10:00');
  });

  it('keeps holidays and half-days', () => {
    expect(due('2026-11-25T17:00', '2026-11-25T16:10')).toBe('2026-11-27T10:00');
    expect(due('2026-11-27T12:30', '2026-11-27T12:00')).toBe('2026-11-27T13:10');
  });

  it('catches up at once with what passed while nothing ran', () => {
    expect(due('2026-11-22T08:00', '2026-11-18T11:00')).toBe('2026-11-22T08:00');
  });

  it('tries again ten minutes after a failure', () => {
    expect(due('2026-11-20T11:01', '2026-11-20T10:00', '2026-11-20T11:00')).toBe('2026-11-20T11:10');
    expect(due('2026-11-20T11:30', null, '2026-11-20T11:00')).toBe('2026-11-20T11:30');
  });
});
