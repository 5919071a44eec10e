import { randomBytes } from 'node:crypto';
import type { Transaction } from '#database/port.ts';
import { canonicalJson, type JsonValue } from './canonical-json.ts';

type EntryKind = 'signal' | 'grade' | 'day';

interface NewRow extends Record<string, unknown> {
  kind: EntryKind;
  rowId: number;
  content: Readonly<Record<string, JsonValue>>;
}

/** SQL for an instant in UTC with microseconds. The text does not depend on the engine or the time zone. */
const utc = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

/** Selects the rows that are not in the ledger yet. A decision comes before its grades. */
const NEW_ROWS = `
  select 1 as rank, 'signal' as kind, id as "rowId", jsonb_build_object(
    'week', week, 'status', status, 'reason', reason, 'decided_at', ${utc('decided_at')}, 'session', session,
    'source', source, 'verdict', verdict, 'score', score, 'range_low', range_low, 'range_high', range_high,
    'sp500_close', sp500_close, 'formula_version', formula_version, 'weights', weights, 'inputs', inputs) as content
  from mailer.issued_signals signal
  where not exists (select from archive.ledger_entries where kind = 'signal' and row_id = signal.id)
  union all
  select 2, 'grade', id, jsonb_build_object(
    'week', week, 'horizon_weeks', horizon_weeks, 'rule', rule, 'entry_session', entry_session,
    'entry_close', entry_close, 'exit_session', exit_session, 'exit_close', exit_close,
    'change_percent', change_percent, 'status', status, 'reason', reason, 'graded_at', ${utc('graded_at')},
    'replaces', replaces, 'id', id)
  from mailer.grades grade
  where not exists (select from archive.ledger_entries where kind = 'grade' and row_id = grade.id)
  union all
  select 3, 'day', id, jsonb_build_object(
    'session', session, 'run', kind, 'source', source, 'published_at', ${utc('published_at')}, 'view_version', view_version,
    'sha256', encode(sha256, 'hex'))
  from archive.days day
  where not exists (select from archive.ledger_entries where kind = 'day' and row_id = day.id)
  order by rank, "rowId"`;

/**
 * Appends the decisions, grades and days that are not in the ledger yet. Creates the ledger's key with the first entry.
 * Must be called in the transaction that writes such a row. Writers wait for each other, so that no index is used
 * twice. Returns the number of new entries.
 */
export async function appendEntries(transaction: Transaction): Promise<number> {
  await transaction.query('lock table archive.ledger_entries in share row exclusive mode');
  const rows = await transaction.query<NewRow>(NEW_ROWS);
  if (rows.length === 0) return 0;
  await transaction.query(
    `insert into archive.ledger_key (seed) values (decode($1, 'hex')) on conflict do nothing`,
    [randomBytes(32).toString('hex')],
  );
  const entries = rows.map(({ kind, rowId, content }) => ({
    kind,
    row_id: rowId,
    entry: canonicalJson({ ...content, kind }),
  }));
  await transaction.query(
    `insert into archive.ledger_entries (index, kind, row_id, entry)
     select (select count(*) from archive.ledger_entries) + place - 1, kind, row_id, entry
     from rows from (json_to_recordset($1::json) as (kind text, row_id bigint, entry text))
       with ordinality as new (kind, row_id, entry, place)`,
    [JSON.stringify(entries)],
  );
  return entries.length;
}
