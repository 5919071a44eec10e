import { describe, expect, it } from 'vitest';
import { recordOf } from '#tests/support/record-rows.ts';
import { createRecordReader } from './read-record.ts';
import type { SendRead } from './read-rows.ts';
import type { TableRead } from './table-reads.ts';

/** A backend with the rows of a record, which returns at most 1,000 rows per response. */
function backendOf(count: number) {
  let { weeks, grades } = recordOf(count);
  const sent: TableRead[] = [];
  const send: SendRead = async (read) => {
    sent.push(read);
    const table = read.table === 'issued_signals' ? weeks.map((week, id) => ({ id, ...week })) : grades;
    const isNewest = read.order?.[0] === 'id.desc';
    const ordered = isNewest ? table.toReversed() : table;
    const from = read.offset ?? 0;
    return { data: ordered.slice(from, from + read.limit), error: null, status: 200, count: null };
  };
  const grow = () => {
    ({ weeks, grades } = recordOf(count + 1));
  };
  return { send, sent, grow };
}

describe('reading the record', () => {
  it('returns every row from any number of responses', async () => {
    const { send } = backendOf(600);
    const rows = await createRecordReader()(send);
    expect(rows.grades.length).toBeGreaterThan(1_000);
    expect(rows).toEqual(recordOf(600));
  });

  it('returns the same object while no row was added, after a read of two ids', async () => {
    const { send, sent, grow } = backendOf(12);
    const read = createRecordReader();
    const first = await read(send);
    expect(sent.splice(0)).toHaveLength(4);
    expect(await read(send)).toBe(first);
    expect(sent.splice(0)).toHaveLength(2);
    grow();
    expect((await read(send)).weeks).toHaveLength(13);
  });

  it('drops invalid rows', async () => {
    const send: SendRead = async () => ({ data: [null, {}, 5], error: null, status: 200, count: null });
    expect(await createRecordReader()(send)).toEqual({ weeks: [], grades: [] });
  });
});
