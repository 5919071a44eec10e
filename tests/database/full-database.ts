import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { type Database, queryOnce } from '#database/port.ts';
import { acceptAnyTime } from '#tests/support/future-rows.ts';
import { FILLED_TABLES, importArchive, TRANSFERRED_TABLES } from '../../src/cli/transfer/copy-tables.ts';

/** An address that every mail server rejects, from before addresses were checked. */
const OLD_ADDRESS = '<quoted>@example.com';

const READERS = `
  insert into public.email_subscribers (email) select 'reader-' || n || '@example.com' from generate_series(1, 300) as n;
  insert into public.email_subscribers (email, confirmed_at, created_at)
    values ('ünïcode@exämple.com', '2026-11-20T21:00:00.123456Z', '2026-11-01T00:00:00.000001Z'),
           ('asked@example.com', null, '2026-11-21T00:00:00Z');
  update public.email_subscribers set is_active = false, deactivated_at = '2026-11-20T10:00:00.5Z', deactivated_because = 'left'
    where email ~ '7@';
  update public.email_subscribers set alerts = true where email ~ '3@';
  -- Deleted again, so that the numbers have gaps and no row has the last one.
  delete from public.email_subscribers where email ~ '(13|300)@';
  alter table public.email_subscribers disable trigger user;
  insert into public.email_subscribers (email, is_active, deactivated_at, deactivated_because)
    values ('${OLD_ADDRESS}', false, '2026-11-20T10:00:00Z', 'address refused');
  alter table public.email_subscribers enable trigger user;
  update mailer.settings set asks_to_confirm = true, sends_by_smtp = true;
  insert into operations.public_key (key) values ('sb_publishable_' || repeat('Ab-_', 8));`;

const MAILS = `
  insert into mailer.issued_signals (week, status, reason, decided_at, formula_version, weights, inputs)
    values ('2001-01-01', 'withheld', 'The rows are stale.', '2026-11-14T14:00:00.000123Z', '1', '{}', '{"a": null}');
  insert into mailer.issued_signals
    (week, status, decided_at, session, verdict, score, sp500_close, formula_version, weights, inputs)
    values ('2001-01-08', 'issued', '2026-11-21T14:00:00Z', '2026-11-20', 'HOLD', 54.000000000000007, 6543.21, '1',
      '{"exposure": 0.30000000000000004, "exact": 12345678901234567890.123456789}', '[1e-7, "\\u2028", "a\\\\b\\tc"]');
  insert into mailer.messages (channel, issue_id, name, content)
    select 'mail', id, week, json_build_object('html', '<p>' || repeat('A line, "quoted".' || chr(10), 500) || '</p>',
      'text', E'tab\\there \\\\. \\\\N') from mailer.issued_signals where status = 'issued';
  insert into mailer.grades (week, horizon_weeks, rule, entry_session, entry_close, exit_session, exit_close, change_percent,
      status, graded_at, replaces)
    values ('2001-01-01', 1, 'g2', '2026-11-16', 6543.21, '2026-11-23', 6543.2100000000005, 0.30000000000000004, 'graded',
        '2026-11-23T22:00:00.000001Z', null);
  insert into mailer.grades (week, horizon_weeks, rule, entry_session, entry_close, exit_session, exit_close, change_percent,
      status, replaces)
    select week, 1, 'g2', '2026-11-16', 6543.21, '2026-11-23', 6500, -5e-324, 'graded', id from mailer.grades
    where week = '2001-01-01';
  insert into mailer.grades (week, horizon_weeks, rule, status, reason) values ('2001-01-08', 13, 'g2', 'void', E'A "close"\tis missing.');
  insert into mailer.deliveries (channel, message_id, subscriber_id, status, attempts, due_at, give_up_at, reply, finished_at)
    select 'mail', 1, id, (array['pending', 'sending', 'sent', 'refused', 'expired', 'skipped'])[1 + id % 6], id % 4,
      '2026-11-21T14:00:00Z', '2026-11-23T14:00:00Z', case when id % 6 = 3 then '550 5.1.1' end, now()
    from public.email_subscribers where is_active;
  insert into mailer.reports (subscriber_id, kind, status, digest)
    select id, 'soft bounce', '5.2.2', sha256(id::text::bytea) from public.email_subscribers where id % 5 = 0;
  insert into mailer.subscription_counts values ('\\x00ff', '2026-11-20T10:00:00Z', 3);
  insert into operations.leases values ('collector', 'serve', now(), now());
  insert into operations.servers values ('serve', 'csv', '/data', 'all T+0', now());
  insert into operations.known_gaps values ('AAA', '2026-11-20');`;

const MARKET = `
  insert into collector.series (name, session, value) values
    ('b', '2020-01-02', 'NaN'), ('B', '2020-01-02', 'Infinity'), ('a', '2020-01-02', '-Infinity'), ('ä', '2020-01-02', '-0'),
    ('Z', '2020-01-02', 5e-324), ('é', '2020-01-02', 1.7976931348623157e308), ('_', '2020-01-02', 0.1::float8 + 0.2::float8),
    ('\u{1f41c}', '2020-01-02', 1), ('\ufb00', '2020-01-02', 2), (E'tab\\tback\\\\slash', '2020-01-02', 3),
    (E'new\\nline', '2020-01-02', 4), (E'\\\\.', '2020-01-02', 5), (E'\\\\N', '2020-01-02', 6), ('', '2020-01-02', 7), ('o''clock', '0044-03-15 BC', 8);
  insert into public.input_origins (input, provider, session, observed_at, fetched_at, source, created_at)
    values ('bars', 'alpaca', '2020-01-02', '2020-01-02T21:00:00.000001Z', null, 'live', '2020-01-02T21:00:00Z');
  insert into public.advanced_indicators (vix, tick_universe, created_at) values (1e-5, '</script> ‮', '2020-01-02T21:00:00.999999Z');
  insert into operations.published_rights (rights) values ('{"bars": "value"}');
  insert into collector.runs (job, source, period, is_scheduled, status, started_at)
    select 'collect', 'csv', '2020-01-02T15:00:00Z'::timestamptz + n * interval '1 hour', true, 'succeeded', now()
    from generate_series(100, 110) as n;`;

const RECORD = `
  insert into archive.publications (created_at_batch, session, kind, published_at, source, origin, rows, sha256)
    values ('2020-01-02T21:00:00Z', '2020-01-02', 'final', '2020-01-03T01:00:00.000001Z', 'live', 'live',
      '{"market_indices": [{"name": "S&P \\u20ac\\n", "price": 0.30000000000000004}]}', '\\x00ff');
  insert into public.quality_events (at, session, kind, input, event_key)
    values ('2020-01-03T01:00:00Z', '2020-01-02', 'missing', 'put_call_total', 'missing put_call_total 2020-01-02');
  insert into archive.verdict_changes (session, at, to_verdict, score, source, formula_version)
    values ('2020-01-02', '2020-01-02T21:30:00.000001Z', 'HOLD', 54.000000000000007, 'live', '2');
  insert into archive.verdict_changes (session, at, from_verdict, to_verdict, score, source, formula_version, follows)
    select '2020-01-10', '2020-01-10T21:30:00Z', 'HOLD', 'BUY', 61, 'csv', '2', id from archive.verdict_changes;
  insert into archive.risk_outlooks (kind, session, at, rule, source, outcome_from, content)
    values ('outlook', '2020-01-03', '2020-01-03T22:00:00.000001Z', 'r1', 'live', '2020-01-06', '{"volatility": {"low": 0.0070000000000000001}}');
  insert into archive.risk_outlooks (kind, session, at, rule, source, content, outlook)
    select 'outcome', session, '2020-02-04T22:00:00Z', rule, source, '{"voidReason": "No close."}', id from archive.risk_outlooks where kind = 'outlook' and session = '2020-01-03';
  insert into mailer.messages (channel, change_id, name, content)
    select channel, id, 'change', '{"html": "A \\n \u2028"}'
    from archive.verdict_changes cross join unnest(array['mail', 'webhook']) as channel where from_verdict is not null;
  insert into mailer.deliveries (channel, message_id, subscriber_id, due_at, give_up_at)
    select channel, message.id, subscriber.id, now(), now()
    from mailer.messages as message cross join public.email_subscribers as subscriber
    where alerts and channel = 'mail' and change_id is not null;
  insert into mailer.deliveries (channel, message_id, target, status, attempts, due_at, give_up_at, reply)
    select channel, id, repeat('0a', 16), 'pending', 3, '2020-01-10T21:30:00Z', '2020-01-11T21:30:00Z', '500'
    from mailer.messages where channel = 'webhook';`;

const ANCHORS = `
  insert into mailer.messages (channel, issue_id, name, content)
    select 'anchor', id, week, json_build_object('checkpoint', E'name\n1\n') from mailer.issued_signals where status = 'issued';
  insert into mailer.deliveries (channel, message_id, target, status, due_at, give_up_at, reply)
    select channel, id, 'git', 'pending', now(), now(), 'git clone failed.' from mailer.messages where channel = 'anchor';
  insert into archive.anchors (message_id, kind, authority, proof, anchored_at)
    select id, 'witness', 'witness.example', E'— a\n', '2026-11-21T14:00:00.000001Z' from mailer.messages where channel = 'anchor';`;

// Rows from a time at which the clock of the database was wrong.
const FUTURE = `
  insert into public.market_breadth (advancing_stocks, source, created_at) values (1, 'live', '2999-01-02T21:00:00Z');
  insert into public.quality_events (at, kind, event_key) values ('2999-01-02T21:00:00Z', 'missed run', 'of the future');`;

/** Fills a migrated database with rows of every transferred table, in addition to its market. Some values and times are odd. */
export async function fillTables(database: Database): Promise<void> {
  await acceptAnyTime(database);
  await database.transaction((transaction) =>
    transaction.script([READERS, MAILS, MARKET, RECORD, ANCHORS, FUTURE].join('\n')),
  );
}

/** Options of an export without progress. */
export const quiet = { report: () => undefined };
export const importInto = (database: Database, path: string, options = {}) =>
  importArchive(database, path, { ...quiet, checkHeld: async () => undefined, ...options });

export const digestOf = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex');

export const query = <R extends Record<string, unknown>>(database: Database, sql: string) =>
  queryOnce<R>(database, sql);

/** Tables with rows that a new database does not have. */
export async function filledTables(database: Database): Promise<string[]> {
  const tables = TRANSFERRED_TABLES.filter((name) => !FILLED_TABLES.includes(name));
  const filled = tables.map((name) => `select distinct '${name}' as name from ${name}`).join(' union all ');
  return (await query<{ name: string }>(database, filled)).map(({ name }) => name);
}
