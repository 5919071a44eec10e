import { describe, expect, it } from 'vitest';
import { recordOf } from '#tests/support/record-rows.ts';
import { readRecord } from './read-record.ts';
import type { SendRead } from './read-rows.ts';

/** A backend with the rows of a record, which returns at most 1,000 rows per response. */
function backendOf(count: number) {
  const { weeks, grades } = recordOf(count);
  const send: SendRead = async ({ table, limit, offset: from = 0 }) => {
    const rows = table === 'issued_signals' ? weeks : grades;
    return { data: rows.slice(from, from + limit), error: null, status: 200, count: null };
  };
  return send;
}

describe('reading the record', () => {
  it('returns every row from any number of responses', async () => {
    const send = backendOf(600);
    const rows = await readRecord(send);
    expect(rows.grades.length).toBeGreaterThan(1_000);
    expect(rows).toEqual(recordOf(600));
  });

  it('drops invalid rows', async () => {
    const send: SendRead = async () => ({ data: [null, {}, 5], error: null, status: 200, count: null });
    expect(await readRecord(send)).toEqual({ weeks: [], grades: [] });
  });
});
