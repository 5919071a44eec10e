import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createLog, throttledLog } from './log.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function setUp() {
  const lines: Record<string, unknown>[] = [];
  const write = (line: string) => {
    const { time: _, ...fields } = JSON.parse(line);
    lines.push(fields);
  };
  return { lines, log: throttledLog(createLog({ write, clock: () => 0, format: 'json' })) };
}

const AWAY = { code: '57P01' };

it('writes a repeated failure once per second with a count', () => {
  const { lines, log } = setUp();
  for (const table of ['market_metrics', 'market_indices', 'market_metrics'])
    log.error('rest', { table, ...AWAY });
  const first = { level: 'error', event: 'rest', table: 'market_metrics', code: '57P01' };
  expect(lines).toEqual([first]);
  vi.advanceTimersByTime(1_000);
  expect(lines.slice(1)).toEqual([{ ...first, times: 2 }]);
  log.error('rest', { table: 'market_indices', ...AWAY });
  vi.advanceTimersByTime(1_000);
  expect(lines.slice(2)).toEqual([{ ...first, times: 1 }]);
  vi.advanceTimersByTime(5_000);
  log.error('rest', { table: 'market_indices', ...AWAY });
  expect(lines.slice(3)).toEqual([{ ...first, table: 'market_indices' }]);
});

it('writes every line of another kind and every line of information', () => {
  const { lines, log } = setUp();
  log.error('rest', AWAY);
  log.error('rest', { code: '53300' });
  log.error('request failed', AWAY);
  log.warn('rest', AWAY);
  for (let each = 0; each < 3; each += 1) log.info('market watch restored');
  expect(lines).toHaveLength(7);
});

it('writes the outstanding counts when it closes', () => {
  const { lines, log } = setUp();
  for (let each = 0; each < 4; each += 1) log.error('rest', AWAY);
  log.end();
  expect(lines.map(({ times }) => times)).toEqual([undefined, 3]);
  vi.advanceTimersByTime(5_000);
  expect(lines).toHaveLength(2);
});
