import { expect, test } from 'vitest';
import { readVerdictChanges } from './read-verdict-changes.ts';
import type { TableRead } from './table-reads.ts';

const CHANGE = {
  ...{ id: 3, session: '2026-11-20', at: '2026-11-20T21:30:00.000Z', from_verdict: 'HOLD' },
  ...{ to_verdict: 'BUY', score: 62.3, source: 'live', formula_version: '2' },
};

test('reads the newest changes and drops malformed rows', async () => {
  const reads: TableRead[] = [];
  const data = [
    CHANGE,
    { ...CHANGE, from_verdict: null },
    { ...CHANGE, to_verdict: 'buy' },
    { ...CHANGE, id: 'x' },
  ];
  const changes = await readVerdictChanges(async (read) => {
    reads.push(read);
    return { data, error: null, status: 200, count: null };
  }, 20);
  expect(changes).toEqual([CHANGE]);
  expect(reads).toEqual([
    {
      table: 'verdict_changes',
      columns: 'id,session,at,from_verdict,to_verdict,score,source,formula_version',
      order: ['id.desc'],
      limit: 20,
    },
  ]);
});
