import { ISSUED_SIGNAL_COLUMNS, parseIssuedSignal } from '#schema/issued-signal.ts';
import type { RecordRows } from '#schema/record-rows.ts';
import { parseSignalGrade, SIGNAL_GRADE_COLUMNS } from '#schema/signal-grade.ts';
import { RECORD_VIEWS } from '#schema/tables.ts';
import { readAll } from './read-all.ts';
import type { SendRead } from './read-rows.ts';
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

/** Reads all rows of the record. Throws QueryError. */
export async function readRecord(send: SendRead): Promise<RecordRows> {
  const weeks = await readAll(send, WEEKS_READ, parseIssuedSignal);
  const grades = await readAll(send, GRADES_READ, parseSignalGrade);
  return { weeks, grades };
}
