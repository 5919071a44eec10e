import { FEAR_GREED_INDEX, type FearGreedRow } from '#schema/columns.ts';
import {
  ISSUED_SIGNALS,
  type RecordRows,
  SIGNAL_GRADES,
  VERDICT_CHANGES,
  type VerdictChangeRow,
} from '#schema/record-rows.ts';
import { RECORD_VIEWS, VERDICT_CHANGES_VIEW } from '#schema/tables.ts';
import { readAll, readRows, type SendRead } from './read-rows.ts';

// The reads of the server's other documents. The page in a browser does not send them.

const [SIGNALS, GRADES] = RECORD_VIEWS;

const WEEKS_READ = { table: SIGNALS, columns: ISSUED_SIGNALS, order: ['week.asc'] } as const;
const GRADES_READ = {
  table: GRADES,
  columns: SIGNAL_GRADES,
  filters: [['rule', 'eq', 'g2']],
  order: ['id.asc'],
} as const;

/** All rows of the record. Throws QueryError. */
export async function readRecord(send: SendRead): Promise<RecordRows> {
  const weeks = await readAll(send, WEEKS_READ);
  const grades = await readAll(send, GRADES_READ);
  return { weeks, grades };
}

/** The newest changes of the verdict, newest first. Throws QueryError. */
export function readVerdictChanges(send: SendRead, limit: number): Promise<VerdictChangeRow[]> {
  const read = { table: VERDICT_CHANGES_VIEW, columns: VERDICT_CHANGES, order: ['id.desc'], limit } as const;
  return readRows(send, read);
}

export const FEAR_GREED_ROWS = {
  table: 'fear_greed_index',
  columns: FEAR_GREED_INDEX,
  order: ['created_at.asc'],
} as const;

/** All stored Fear & Greed rows with their components, oldest first. Throws QueryError. */
export const readFearGreedRows = (send: SendRead): Promise<FearGreedRow[]> => readAll(send, FEAR_GREED_ROWS);
