-- Imported subscribers, and reports about sent mails: bounces and complaints.

-- 'bounced': a mail server reported that the address does not exist. 'complained': the owner reported a mail as spam.
alter table public.email_subscribers
  drop constraint email_subscribers_deactivated_because_check,
  add constraint email_subscribers_deactivated_because_check check (deactivated_because in
    ('left', 'address refused', 'never confirmed', 'duplicate', 'bounced', 'complained'));

-- An index for former subscriptions of an address. The existing unique index has the active subscriptions only.
create index email_subscribers_email on public.email_subscribers (email);

-- Speeds up imports, which call this function twice for each address. Most addresses already have their normal form,
-- and a pattern detects that in a twentieth of the time.
alter function mailer.plain_address(text) rename to plain_address_of_any;
create function mailer.plain_address(email text) returns text language sql immutable strict set search_path = pg_catalog, pg_temp as $$
  select case
    when char_length(email) <= 253
      and email ~ '^[a-z0-9_+''-]+(\.[a-z0-9_+''-]+)*@([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$'
    then email
    else mailer.plain_address_of_any(email) end
$$;

-- Each row is a report whose token proves that its sender had the mail. A report has no address: it refers to the
-- subscriber.
create table mailer.reports (
  id bigint generated always as identity primary key,
  subscriber_id bigint not null references public.email_subscribers on delete cascade,
  kind text not null check (kind in ('hard bounce', 'soft bounce', 'complaint', 'automatic reply', 'unknown')),
  -- The enhanced status code (RFC 3463); null if the report has none.
  status text check (status ~ '^[245]\.\d{1,3}\.\d{1,3}$'),
  -- SHA-256 of the report, so that a repeated report counts once.
  digest bytea not null unique,
  created_at timestamptz not null default now()
);
create index reports_created_at on mailer.reports (created_at desc);
create index reports_subscriber on mailer.reports (subscriber_id);

do $$
declare
  everybody text := 'public, anon';
begin
  if exists (select from pg_roles where rolname = 'authenticated') then
    everybody := everybody || ', authenticated';
  end if;
  execute format('revoke all on mailer.reports from %s', everybody);
  execute format('revoke all on all sequences in schema mailer from %s', everybody);
  execute format('revoke all on all functions in schema mailer from %s', everybody);
end
$$;
grant all on mailer.reports to service_role;
grant usage on all sequences in schema mailer to service_role;
