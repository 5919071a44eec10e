-- The issued signal of each week, its grades, and the messages about signals and changes of the verdict.

-- The issued signal of each week, or the reason for withholding it. `week` is its Monday in New York.
create table mailer.issued_signals (
  id bigint generated always as identity primary key,
  week date not null unique check (extract(isodow from week) = 1),
  status text not null check (status in ('issued', 'withheld')),
  reason text,
  decided_at timestamptz not null,
  session date,
  source public.market_source,
  -- 'rebuilt': computed after its week, when nobody could receive it. Only the simulated market has such a past.
  origin text not null default 'live' check (origin in ('live', 'rebuilt')),
  verdict text check (verdict in ('BUY', 'HOLD', 'SELL')),
  score public.percentage,
  range_low public.percentage,
  range_high public.percentage,
  sp500_close public.finite_number check (sp500_close > 0),
  formula_version text not null,
  weights jsonb not null,
  inputs jsonb not null,
  created_at timestamptz not null default now(),
  check ((status = 'withheld') = (reason is not null)),
  check (origin = 'live' or source is not null and source = 'simulated'),
  check (status = 'withheld' or (session is not null and verdict is not null and score is not null))
);
create index issued_signals_created_at on mailer.issued_signals (created_at desc);
call archive.make_append_only('mailer.issued_signals', dated => 'decided_at', in_order => 'new.origin = ''live''',
  beside => 'week', is_shown => true);

-- The view reads with the rights of its owner, because anon has no rights in the schema mailer.
create view public.issued_signals with (security_barrier) as
  select id, week, status, reason, decided_at, session, source, verdict, score, range_low, range_high, sp500_close,
    formula_version, origin, created_at
  from mailer.issued_signals where decided_at <= now() + interval '1 hour';
revoke all on public.issued_signals from public, anon, service_role;
grant select on public.issued_signals to anon, service_role;

-- Grades of the weekly signal: the change of the S&P 500 after each decision, by a rule that was fixed before the first
-- grade. A close that may not be published is null.
create table mailer.grades (
  id bigint generated always as identity primary key,
  week date not null references mailer.issued_signals (week),
  horizon_weeks integer not null check (horizon_weeks in (1, 4, 13)),
  rule text not null check (rule in ('g2')),
  entry_session date,
  entry_close public.finite_number check (entry_close > 0),
  exit_session date,
  exit_close public.finite_number check (exit_close > 0),
  change_percent public.finite_number,
  status text not null check (status in ('graded', 'void')),
  reason public.short_text,
  graded_at timestamptz not null default now(),
  -- The grade that this one replaces, because a close was corrected or arrived late.
  replaces bigint,
  check ((status = 'void') = (reason is not null)),
  check ((status = 'graded') = (change_percent is not null)),
  check (status = 'void' or entry_session < exit_session),
  -- One first grade, and one successor of each grade, also if two processes grade at once.
  unique nulls not distinct (week, horizon_weeks, rule, replaces),
  unique (id, week, horizon_weeks, rule),
  foreign key (replaces, week, horizon_weeks, rule) references mailer.grades (id, week, horizon_weeks, rule),
  check (replaces < id)
);
create index grades_graded_at on mailer.grades (graded_at desc);
call archive.make_append_only('mailer.grades', dated => 'graded_at', in_order => 'true', is_shown => true);

-- Also with the rights of its owner.
create view public.signal_grades with (security_barrier) as
  select id, week, horizon_weeks, rule, entry_session, entry_close, exit_session, exit_close, change_percent, status,
    reason, graded_at, replaces
  from mailer.grades where graded_at <= now() + interval '1 hour';
revoke all on public.signal_grades from public, anon, service_role;
grant select on public.signal_grades to anon, service_role;

-- A message about an issue or a change of the verdict, for all recipients of a channel: a mail, a call of a webhook, or the
-- checkpoint of the ledger after a decision. The transaction that adds the mail of an issue also adds the issue. Append-only.
create table mailer.messages (
  id bigint generated always as identity primary key,
  channel text not null check (channel in ('mail', 'webhook', 'anchor')),
  issue_id bigint references mailer.issued_signals,
  change_id bigint references archive.verdict_changes,
  -- Identifies the message for its recipients, as a part of each Message-ID or as the id of the webhook calls.
  name text not null,
  -- The subject, HTML and text of a mail, the text and event of a webhook call, or the checkpoint.
  content json not null,
  created_at timestamptz not null default now(),
  check ((issue_id is null) <> (change_id is null)),
  unique nulls not distinct (channel, issue_id, change_id)
);
call archive.make_append_only('mailer.messages');

-- The delivery of a message to a subscriber, to a webhook, or to a place that keeps checkpoints. A delivery without a message is the confirmation request.
create table mailer.deliveries (
  id bigint generated always as identity primary key,
  channel text not null check (channel in ('mail', 'webhook', 'anchor')),
  message_id bigint references mailer.messages,
  subscriber_id bigint references public.email_subscribers on delete cascade,
  -- A digest of the webhook's kind and URL, because the URL is a secret; or the kind of the anchor.
  target text,
  status text not null default 'pending'
    check (status in ('pending', 'sending', 'sent', 'refused', 'expired', 'skipped')),
  attempts integer not null default 0,
  due_at timestamptz not null,
  give_up_at timestamptz not null,
  claimed_by text,
  claimed_until timestamptz,
  -- The codes of the last reply by SMTP or HTTP. Its text is not stored, because it may quote the address. For an anchor,
  -- the sentence about the last failure.
  reply text,
  address_refused boolean not null default false,
  finished_at timestamptz,
  created_at timestamptz not null default now(),
  check (case channel
    when 'mail' then subscriber_id is not null and target is null
    else subscriber_id is null and target is not null and message_id is not null end),
  unique nulls not distinct (message_id, subscriber_id, target)
);
create index deliveries_created_at on mailer.deliveries (created_at desc);
create index deliveries_to_send on mailer.deliveries (channel, due_at) where status in ('pending', 'sending');
create index deliveries_subscriber on mailer.deliveries (subscriber_id, id desc);
revoke all on mailer.deliveries from public, anon;
revoke all on sequence mailer.deliveries_id_seq from public, anon;
grant all on mailer.deliveries to service_role;
grant usage on sequence mailer.deliveries_id_seq to service_role;

-- The proofs that somebody outside has received a checkpoint: the commit of a git repository, a timestamp (RFC 3161) or the
-- signature of a witness. Append-only. Copies of the proofs outside count, because the owner of the database could replace all
-- of them at once.
create table archive.anchors (
  id bigint generated always as identity primary key,
  message_id bigint not null references mailer.messages,
  kind text not null check (kind in ('git', 'timestamp', 'witness')),
  -- The public name of the repository, authority or witness.
  authority public.short_text not null,
  proof text not null check (octet_length(proof) <= 65535),
  -- By the authority's clock; by ours for git.
  anchored_at timestamptz not null,
  created_at timestamptz not null default now(),
  unique (message_id, kind)
);
create index anchors_created_at on archive.anchors (created_at desc);
call archive.make_append_only('archive.anchors');

-- Wakes the servers that send.
create function mailer.announce_deliveries() returns trigger language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  perform pg_notify('deliveries', '');
  return null;
end
$$;

create trigger deliveries_announced after insert on mailer.deliveries
  for each statement execute function mailer.announce_deliveries();
create trigger changes_announced after insert on archive.verdict_changes
  for each statement execute function mailer.announce_deliveries();

-- Sends the confirmation request.
create function mailer.send_question() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  insert into mailer.deliveries (channel, subscriber_id, due_at, give_up_at)
  values ('mail', new.id, now(), now() + interval '1 day');
  return null;
end
$$;

-- Sends nothing more to a subscription that has ended.
create function mailer.skip_the_inactive() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  update mailer.deliveries set status = 'skipped', finished_at = now()
  where subscriber_id = new.id and status = 'pending';
  return null;
end
$$;

create trigger subscriber_4_asked after insert on public.email_subscribers
  for each row when (new.is_active and new.confirmed_at is null) execute function mailer.send_question();
create trigger subscriber_5_skipped after update of is_active on public.email_subscribers
  for each row when (old.is_active and not new.is_active) execute function mailer.skip_the_inactive();

-- Each row is a report whose sender is proven: by a token of the mail, or by the signature of a mail service. A report
-- has no address: it refers to the subscriber. Without one, the row only records that a token of Mailgun was used.
create table mailer.reports (
  id bigint generated always as identity primary key,
  subscriber_id bigint references public.email_subscribers on delete cascade,
  kind text not null check (kind in ('hard bounce', 'soft bounce', 'complaint', 'automatic reply', 'unknown')),
  -- The enhanced status code (RFC 3463); null if the report has none.
  status text check (status ~ '^[245]\.\d{1,3}\.\d{1,3}$'),
  -- SHA-256 of the report, or of the id of an event, so that a repeated report counts once.
  digest bytea not null unique,
  created_at timestamptz not null default now()
);
create index reports_created_at on mailer.reports (created_at desc);
create index reports_subscriber on mailer.reports (subscriber_id);
revoke all on mailer.reports from public, anon;
revoke all on sequence mailer.reports_id_seq from public, anon;
grant all on mailer.reports to service_role;
grant usage on sequence mailer.reports_id_seq to service_role;

revoke all on all routines in schema mailer from public, anon;
