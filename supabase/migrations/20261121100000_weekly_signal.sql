-- The weekly signal by mail: subscribers, the issued signal of each week, and its deliveries.

-- Links and mails name a subscriber by `reference`. An unconfirmed subscriber gets only the confirmation request.
-- Subscribers from before confirmation existed count as confirmed.
alter table public.email_subscribers
  add column reference uuid not null default gen_random_uuid() unique,
  add column confirmed_at timestamptz default now(),
  add column deactivated_at timestamptz,
  add column deactivated_because text
    check (deactivated_because in ('left', 'address refused', 'never confirmed'));

-- Not exposed either, and anon has no access to it.
create schema mailer;
grant usage on schema mailer to service_role;

-- Settings that all processes share: the key that signs links, and the switch for confirmation.
create table mailer.settings (
  only_one boolean primary key default true check (only_one),
  signing_key uuid[] not null default array[gen_random_uuid(), gen_random_uuid()],
  asks_to_confirm boolean not null default false,
  -- Once mails were sent by SMTP, a process without an SMTP server may not write them to its outbox.
  sends_by_smtp boolean not null default false
);
insert into mailer.settings default values;

-- The ledger: the issued signal of each week, or the reason for withholding it. `week` is its Monday in New York.
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
  mail jsonb,
  created_at timestamptz not null default now(),
  check ((status = 'withheld') = (reason is not null)),
  check (origin = 'live' or source is not null and source = 'simulated'),
  check (status = 'withheld' or (session is not null and verdict is not null and score is not null and mail is not null))
);
create index issued_signals_created_at on mailer.issued_signals (created_at desc);

create function mailer.keep_ledger() returns trigger language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  raise exception 'what was issued is never changed nor removed' using errcode = '55000';
end
$$;
create trigger issued_signals_stand before update or delete on mailer.issued_signals
  for each row execute function mailer.keep_ledger();
create trigger issued_signals_stay before truncate on mailer.issued_signals
  for each statement execute function mailer.keep_ledger();
-- Fires also where a session disables ordinary triggers, as a replica does.
alter table mailer.issued_signals enable always trigger issued_signals_stand;
alter table mailer.issued_signals enable always trigger issued_signals_stay;

-- One mail to one subscriber: the signal of an issue, or the confirmation request if there is no issue.
create table mailer.deliveries (
  id bigint generated always as identity primary key,
  issue_id bigint references mailer.issued_signals,
  subscriber_id bigint not null references public.email_subscribers on delete cascade,
  status text not null default 'pending'
    check (status in ('pending', 'sending', 'sent', 'refused', 'expired', 'skipped')),
  attempts integer not null default 0,
  due_at timestamptz not null,
  give_up_at timestamptz not null,
  claimed_by text,
  claimed_until timestamptz,
  -- The server's last reply, as numbers, because its text may quote the address.
  smtp_status text,
  address_refused boolean not null default false,
  finished_at timestamptz,
  created_at timestamptz not null default now(),
  unique nulls not distinct (issue_id, subscriber_id)
);
create index deliveries_created_at on mailer.deliveries (created_at desc);
create index deliveries_to_send on mailer.deliveries (due_at) where status in ('pending', 'sending');
create index deliveries_subscriber on mailer.deliveries (subscriber_id, issue_id desc);

-- Number of addresses that a client added within an hour. A client is a digest, not an address.
create table mailer.subscription_counts (
  client bytea not null,
  hour timestamptz not null,
  added integer not null,
  primary key (client, hour)
);
create index subscription_counts_hour on mailer.subscription_counts (hour);

-- The network of an address; for IPv6 the /64, which is one connection. Null for an invalid address.
create function mailer.network_of(address text) returns text language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
  parsed inet;
begin
  parsed := btrim(address)::inet;
  if parsed <<= '::ffff:0:0/96' then
    parsed := '0.0.0.0'::inet + (parsed - '::ffff:0:0'::inet);
  end if;
  return host(network(set_masklen(parsed, case family(parsed) when 6 then 64 else 32 end)));
exception when invalid_text_representation then
  return null;
end
$$;

-- The network of the client as the database sees it: from the product's server, or from the proxy before a hosted
-- PostgREST. The last address of x-forwarded-for is the one that this proxy saw itself.
create function mailer.client_network() returns text language plpgsql stable set search_path = pg_catalog, pg_temp as $$
declare
  headers json := nullif(current_setting('request.headers', true), '')::json;
  forwarded text[] := string_to_array(headers ->> 'x-forwarded-for', ',');
begin
  return coalesce(
    mailer.network_of(nullif(current_setting('barometer.client', true), '')),
    mailer.network_of(headers ->> 'cf-connecting-ip'),
    mailer.network_of(forwarded[cardinality(forwarded)])
  );
end
$$;

-- True if an address may stand in a mail's header. Lists characters one by one, because character classes differ
-- between locales, and the C locale knows only ASCII.
create function mailer.can_receive_mail(email text) returns boolean language sql immutable set search_path = pg_catalog, pg_temp as $$
  select email !~ ('['
    -- Characters that end an address in a header, or split it in two.
    || '][()<>,;:\\"'
    -- Control characters, and spaces of any width.
    || '\u0001-\u0020\u007f-\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u2800\u3000'
    -- Invisible characters, with which two addresses would look the same.
    || '\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5\u180b-\u180f'
    || '\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\uffff'
    || '\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff'
    || ']')
$$;

-- Existing rows: one form of each address, and none that every mail server rejects.
update public.email_subscribers set email = lower(btrim(email)) where email <> lower(btrim(email));
update public.email_subscribers
  set is_active = false, deactivated_at = now(), deactivated_because = 'address refused'
  where is_active and not mailer.can_receive_mail(email);

create function mailer.normalise_subscriber() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  new.email := lower(btrim(new.email));
  if not mailer.can_receive_mail(new.email) then
    raise exception 'This address cannot receive mail.' using errcode = '23514';
  end if;
  return new;
end
$$;

-- The unit of counting: an hour of UTC, in any time zone that a request sets.
create function mailer.this_hour() returns timestamptz language sql stable set search_path = pg_catalog, pg_temp as $$
  select date_trunc('hour', now(), 'UTC')
$$;

-- Refuses before anything is written, so that many simultaneous requests neither wait for each other nor cost much.
create function mailer.admit_subscriber() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  most constant integer := 20;
  this_hour constant timestamptz := mailer.this_hour();
  network constant text := mailer.client_network();
  digest constant bytea := (
    select sha256(convert_to(signing_key::text || network, 'UTF8')) from mailer.settings
  );
  so_far integer;
begin
  if digest is null then return new; end if;
  select added into so_far from mailer.subscription_counts where client = digest and hour = this_hour;
  if so_far is null or so_far < most then
    insert into mailer.subscription_counts as counted (client, hour, added) values (digest, this_hour, 1)
    on conflict (client, hour) do update set added = counted.added + 1
    returning added into so_far;
    if so_far = 1 then
      delete from mailer.subscription_counts where (client, hour) in (
        select client, hour from mailer.subscription_counts where hour < this_hour for update skip locked
      );
    end if;
    if so_far <= most then return new; end if;
  end if;
  raise exception 'Failed to subscribe. Please try again.' using errcode = 'PT429';
end
$$;

create function mailer.ask_to_confirm() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if (select asks_to_confirm from mailer.settings) then
    new.confirmed_at := null;
    -- Sends a lost confirmation request again, once a day.
    update public.email_subscribers
      set is_active = false, deactivated_at = now(), deactivated_because = 'never confirmed'
      where lower(btrim(email)) = new.email and is_active and confirmed_at is null
        and created_at <= now() - interval '1 day';
  end if;
  return new;
end
$$;

create function mailer.send_question() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  insert into mailer.deliveries (subscriber_id, due_at, give_up_at)
  values (new.id, now(), now() + interval '1 day');
  return null;
end
$$;

create function mailer.skip_the_inactive() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  update mailer.deliveries set status = 'skipped', finished_at = now()
  where subscriber_id = new.id and status = 'pending';
  return null;
end
$$;

-- The names set the order of the triggers. The operator's own inserts are neither counted nor need confirmation.
create trigger subscriber_1_normalised before insert or update of email on public.email_subscribers
  for each row execute function mailer.normalise_subscriber();
create trigger subscriber_2_admitted before insert on public.email_subscribers
  for each row when (current_user = 'anon') execute function mailer.admit_subscriber();
create trigger subscriber_3_unconfirmed before insert on public.email_subscribers
  for each row when (current_user = 'anon') execute function mailer.ask_to_confirm();
create trigger subscriber_4_asked after insert on public.email_subscribers
  for each row when (new.is_active and new.confirmed_at is null) execute function mailer.send_question();
create trigger subscriber_5_skipped after update of is_active on public.email_subscribers
  for each row when (old.is_active and not new.is_active) execute function mailer.skip_the_inactive();

do $$
declare
  everybody text := 'public, anon';
begin
  if exists (select from pg_roles where rolname = 'authenticated') then
    everybody := everybody || ', authenticated';
  end if;
  execute format('revoke all on schema mailer from %s', everybody);
  execute format('revoke all on all tables in schema mailer from %s', everybody);
  execute format('revoke all on all sequences in schema mailer from %s', everybody);
  execute format('revoke all on all functions in schema mailer from %s', everybody);
end
$$;
grant all on all tables in schema mailer to service_role;
revoke all on mailer.issued_signals from service_role;
grant select, insert on mailer.issued_signals to service_role;
grant usage on all sequences in schema mailer to service_role;
