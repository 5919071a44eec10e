import type { JsonValue } from './canonical-json.ts';

export type EntryKind = 'signal' | 'grade' | 'publication' | 'event' | 'change' | 'risk';

export interface EntryRow extends Record<string, unknown> {
  readonly kind: EntryKind;
  readonly rowId: number;
  readonly content: Readonly<Record<string, JsonValue>>;
}

/** SQL for an instant in UTC with microseconds. The text does not depend on the engine or the time zone. */
const utc = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;

/** The table and the content of each kind, in the order in which one transaction appends them: a decision precedes its grades. */
const SOURCES: readonly { readonly kind: EntryKind; readonly table: string; readonly content: string }[] = [
  {
    kind: 'signal',
    table: 'mailer.issued_signals',
    content: `'week', week, 'status', status, 'reason', reason, 'decided_at', ${utc('decided_at')}, 'session', session,
      'source', source, 'origin', origin, 'verdict', verdict, 'score', score, 'range_low', range_low,
      'range_high', range_high, 'sp500_close', sp500_close, 'formula_version', formula_version, 'weights', weights, 'inputs', inputs`,
  },
  {
    kind: 'grade',
    table: 'mailer.grades',
    content: `'week', week, 'horizon_weeks', horizon_weeks, 'rule', rule, 'entry_session', entry_session,
      'entry_close', entry_close, 'exit_session', exit_session, 'exit_close', exit_close,
      'change_percent', change_percent, 'status', status, 'reason', reason, 'graded_at', ${utc('graded_at')},
      'replaces', replaces, 'id', id`,
  },
  {
    kind: 'publication',
    table: 'archive.publications',
    content: `'id', id, 'created_at_batch', ${utc('created_at_batch')}, 'session', session, 'run', kind,
      'published_at', ${utc('published_at')}, 'source', source, 'origin', origin, 'formula_version', formula_version,
      'sha256', encode(sha256, 'hex')`,
  },
  {
    kind: 'event',
    table: 'public.quality_events',
    content: `'id', id, 'at', ${utc('at')}, 'session', session, 'event', kind, 'input', input, 'provider', provider,
      'detail', detail, 'before', before, 'after', after, 'event_key', event_key`,
  },
  {
    kind: 'change',
    table: 'archive.verdict_changes',
    content: `'id', id, 'session', session, 'at', ${utc('at')}, 'from_verdict', from_verdict, 'to_verdict', to_verdict,
      'score', score, 'source', source, 'formula_version', formula_version`,
  },
  {
    kind: 'risk',
    table: 'archive.risk_outlooks',
    content: `'id', id, 'part', kind, 'session', session, 'at', ${utc('at')}, 'rule', rule, 'source', source,
      'origin', origin, 'outcome_from', outcome_from, 'content', content, 'outlook', outlook, 'replaces', replaces`,
  },
];

const rowsOf = (condition: (kind: EntryKind) => string) =>
  `${SOURCES.map(
    ({ kind, table, content }, rank) =>
      `select ${rank} as rank, '${kind}' as kind, id as "rowId", jsonb_build_object(${content}) as content
       from ${table} as entered where ${condition(kind)}`,
  ).join(' union all ')} order by rank, "rowId"`;

/** Selects the rows that are not in the ledger yet, in the order in which they are appended. */
export const NEW_ROWS = rowsOf(
  (kind) => `not exists (select from archive.ledger_entries where kind = '${kind}' and row_id = entered.id)`,
);

export const ALL_ROWS = rowsOf(() => 'true');
