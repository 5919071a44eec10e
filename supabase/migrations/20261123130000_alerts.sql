-- Alerts on a change of the verdict: the changes, their mails to subscribers who opted in, and their webhooks.

-- Each change of the verdict that has stood for two closing runs, recorded in the transaction that published the second
-- run. The first row records the verdict at the beginning, which is not sent to anybody. Each other row refers to the
-- change before it, to which no second row can refer, even if two processes publish at once.
create table archive.verdict_changes (
  id bigint generated always as identity primary key,
  -- The session of the second closing run.
  session date not null unique,
  at timestamptz not null,
  from_verdict text check (from_verdict in ('BUY', 'HOLD', 'SELL')),
  to_verdict text not null check (to_verdict in ('BUY', 'HOLD', 'SELL')),
  score public.percentage not null,
  source public.market_source not null check (source in ('csv', 'live')),
  formula_version text not null,
  follows bigint references archive.verdict_changes,
  unique nulls not distinct (follows),
  check ((from_verdict is null) = (follows is null)),
  check (from_verdict <> to_verdict),
  check (follows < id)
);
create index verdict_changes_at on archive.verdict_changes (at desc);

create trigger rows_stand before update or delete on archive.verdict_changes
  for each row execute function archive.refuse_change();
create trigger rows_stay before truncate on archive.verdict_changes
  for each statement execute function archive.refuse_change();
create trigger future_row_refused after insert on archive.verdict_changes
  for each row when (new.at > clock_timestamp() + interval '1 hour')
  execute function operations.refuse_future_row('at');
create trigger order_kept before insert on archive.verdict_changes
  for each row execute function operations.keep_order('at');
-- A new change also changes the feeds, so it increases the data version.
create trigger data_added after insert on archive.verdict_changes
  for each statement execute function operations.note_data_change();
-- These triggers also fire in a session that disables ordinary triggers, as a replica does.
alter table archive.verdict_changes
  enable always trigger rows_stand, enable always trigger rows_stay, enable always trigger data_added,
  enable always trigger future_row_refused, enable always trigger order_kept;

-- The view reads with the rights of its owner, because no other role has rights in the schema archive.
create view public.verdict_changes with (security_barrier) as
  select id, session, at, from_verdict, to_verdict, score, source, formula_version
  from archive.verdict_changes where from_verdict is not null and at <= now() + interval '1 hour';

-- True if the subscriber also wants a mail when the verdict changes.
alter table public.email_subscribers add column alerts boolean not null default false;
grant insert (alerts) on public.email_subscribers to anon;

-- The mail of a change for all subscribers. The transaction that adds it also adds its deliveries.
create table mailer.alert_mails (
  change_id bigint primary key references archive.verdict_changes,
  mail jsonb not null,
  created_at timestamptz not null default now()
);

-- A delivery belongs to an issue or to a change. A delivery without both is a request for confirmation.
alter table mailer.deliveries
  add column change_id bigint references archive.verdict_changes,
  add check (issue_id is null or change_id is null),
  drop constraint deliveries_issue_id_subscriber_id_key,
  add unique nulls not distinct (issue_id, change_id, subscriber_id);

-- The delivery of one change to one webhook. `webhook` is a digest of the webhook's kind and URL, because the URL is a
-- secret.
create table mailer.webhook_deliveries (
  id bigint generated always as identity primary key,
  change_id bigint not null references archive.verdict_changes,
  webhook text not null,
  status text not null default 'pending' check (status in ('pending', 'sending', 'sent', 'expired')),
  attempts integer not null default 0,
  due_at timestamptz not null,
  give_up_at timestamptz not null,
  claimed_by text,
  claimed_until timestamptz,
  http_status integer,
  finished_at timestamptz,
  created_at timestamptz not null default now(),
  unique (change_id, webhook)
);
create index webhook_deliveries_created_at on mailer.webhook_deliveries (created_at desc);
create index webhook_deliveries_to_send on mailer.webhook_deliveries (due_at) where status in ('pending', 'sending');

do $$
declare
  everybody text := 'public, anon, service_role';
begin
  if exists (select from pg_roles where rolname = 'authenticated') then
    everybody := everybody || ', authenticated';
  end if;
  execute format('revoke all on archive.verdict_changes, mailer.alert_mails, mailer.webhook_deliveries, '
    'public.verdict_changes from %s', everybody);
  execute format('revoke all on sequence archive.verdict_changes_id_seq, mailer.webhook_deliveries_id_seq from %s', everybody);
end
$$;
grant select, insert on archive.verdict_changes to service_role;
grant all on mailer.alert_mails, mailer.webhook_deliveries to service_role;
grant usage on sequence archive.verdict_changes_id_seq, mailer.webhook_deliveries_id_seq to service_role;
grant select on public.verdict_changes to anon, service_role;
