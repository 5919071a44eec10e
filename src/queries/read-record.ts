import { ISSUED_SIGNAL_COLUMNS, parseIssuedSignal } from '#schema/issued-signal.ts';
import { toCount, toFields } from '#schema/parse.ts';
import type { RecordRows } from '#schema/record-rows.ts';
import { parseSignalGrade, SIGNAL_GRADE_COLUMNS } from '#schema/signal-grade.ts';
import { RECORD_VIEWS } from '#schema/tables.ts';
import { readAll } from './read-all.ts';
import { readFirst, type SendRead } from './read-rows.ts';
import { PAGE_ROWS, type TableRead } from './table-reads.ts';

const [SIGNALS, GRADES] = RECORD_VIEWS;

const WEEKS_READ: TableRead = {
  table: SIGNALS,
  columns: ISSUED_SIGNAL_COLUMNS,
  order: ['week.asc'],
  limit: PAGE_ROWS,
};
const GRADES_READ: TableRead = {
  table: GRADES,
  columns: SIGNAL_GRADE_COLUMNS,
  filters: [['rule', 'eq', 'g2']],
  order: ['id.asc'],
  limit: PAGE_ROWS,
};

async function readNewestId(send: SendRead, table: string): Promise<number | null> {
  const newest: TableRead = { table, columns: 'id', order: ['id.desc'], limit: 1 };
  return readFirst(send, newest, (value) => toCount(toFields(value)?.id));
}

/**
 * Creates a reader of the record. Both views are append-only, so it returns the rows of its last read while their newest
 * ids are the same. Throws QueryError.
 */
export function createRecordReader(): (send: SendRead) => Promise<RecordRows> {
  let last: { readonly key: string; readonly rows: RecordRows } | null = null;
  return async (send) => {
    const key = [await readNewestId(send, SIGNALS), await readNewestId(send, GRADES)].join();
    if (last?.key === key) return last.rows;
    const weeks = await readAll(send, WEEKS_READ, parseIssuedSignal);
    const grades = await readAll(send, GRADES_READ, parseSignalGrade);
    last = { key, rows: { weeks, grades } };
    return last.rows;
  };
}
