import { VERDICT_CHANGES_VIEW } from '#schema/tables.ts';
import { parseVerdictChange, VERDICT_CHANGE_COLUMNS, type VerdictChangeRow } from '#schema/verdict-change.ts';
import { readRows, type SendRead } from './read-rows.ts';

/** The newest changes of the verdict, newest first. Throws QueryError. */
export function readVerdictChanges(send: SendRead, limit: number): Promise<VerdictChangeRow[]> {
  return readRows(
    send,
    { table: VERDICT_CHANGES_VIEW, columns: VERDICT_CHANGE_COLUMNS, order: ['id.desc'], limit },
    parseVerdictChange,
  );
}
