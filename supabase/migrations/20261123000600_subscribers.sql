-- Subscribers to the weekly signal. The rules about them are in the database, because inserts into a hosted project reach
-- the table without our server.

-- Not exposed: anon has no access to this schema.
create schema mailer;
revoke all on schema mailer from public, anon;
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
revoke all on mailer.settings from public, anon;
grant all on mailer.settings to service_role;

-- Each address is stored in one spelling (mailer.plain_address). An unsubscribed address keeps its old row and may subscribe
-- again, so only active rows are unique. Links and mails name a subscriber by `reference`.
create table public.email_subscribers (
  id bigint generated always as identity primary key,
  email text not null
    check (char_length(email) <= 320 and email ~ '^ *[^\s@]+@[^\s@]+\.[^\s@]+ *$' and email !~ '[[:cntrl:]]'),
  is_active boolean not null default true,
  -- True if the subscriber also wants a mail when the verdict changes.
  alerts boolean not null default false,
  reference uuid not null default gen_random_uuid() unique,
  -- Null until the subscriber confirms the address. Such a subscriber gets only the confirmation request.
  confirmed_at timestamptz default now(),
  deactivated_at timestamptz,
  -- 'bounced': a mail server reported that the address does not exist. 'complained': the owner reported a mail as spam.
  deactivated_because text check (deactivated_because in
    ('left', 'address refused', 'never confirmed', 'bounced', 'complained')),
  created_at timestamptz not null default now()
);
create unique index email_subscribers_active_address
  on public.email_subscribers (lower(btrim(email))) where is_active;
create index email_subscribers_created_at on public.email_subscribers (created_at desc);
-- For former subscriptions of an address.
create index email_subscribers_email on public.email_subscribers (email);

-- The public key adds a subscriber. It cannot read subscribers, or set an id or a date.
revoke all on public.email_subscribers from public, anon;
revoke all on sequence public.email_subscribers_id_seq from public, anon;
grant insert (email, is_active, alerts) on public.email_subscribers to anon;
grant all on public.email_subscribers to service_role;
grant usage on sequence public.email_subscribers_id_seq to service_role;
alter table public.email_subscribers enable row level security;
create policy "anybody subscribes" on public.email_subscribers
  for insert to anon with check (is_active);
create policy "the operator does everything" on public.email_subscribers to service_role using (true) with check (true);

-- Number of addresses that a client added within an hour. A client is a digest, not an address.
create table mailer.subscription_counts (
  client bytea not null,
  hour timestamptz not null,
  added integer not null,
  primary key (client, hour)
);
create index subscription_counts_hour on mailer.subscription_counts (hour);
revoke all on mailer.subscription_counts from public, anon;
grant all on mailer.subscription_counts to service_role;

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

-- Lower case of all scripts, independent of the database's locale: uses the builtin collation of Postgres 17 or ICU, or
-- else the locale. Collations differ in the capital sigma at the end of a word and in the dotted capital I, so these two
-- are replaced first, as UTS #46 maps them.
do $do$
declare
  collation_clause text := (
    select format('collate pg_catalog.%I', collname) from pg_catalog.pg_collation
    where collname in ('pg_c_utf8', 'und-x-icu') and collnamespace = 'pg_catalog'::regnamespace
      and collencoding in (-1, pg_char_to_encoding('UTF8'))
    order by collname limit 1
  );
begin
  execute format($f$
    create function mailer.lower_case(words text) returns text language sql immutable
    set search_path = pg_catalog, pg_temp as $$
      select lower(replace(replace(words, U&'\03a3', U&'\03c3'), U&'\0130', U&'i\0307') %s)
    $$
  $f$, collation_clause);
end
$do$;

-- Punycode (RFC 3492) of one label of a domain, without the prefix xn--. Stops at 64 characters, more than a label may have.
create function mailer.punycode(label text) returns text language plpgsql immutable set search_path = pg_catalog, pg_temp as $$
declare
  digits constant text := 'abcdefghijklmnopqrstuvwxyz0123456789';
  points constant integer[] := array(
    select ascii(letter) from string_to_table(label, null) with ordinality as letters (letter, place) order by place
  );
  encoded text := regexp_replace(label, '[^\u0001-\u007f]', '', 'g');
  basic constant integer := char_length(encoded);
  handled integer := basic;
  reached integer := 128;
  bias integer := 72;
  delta integer := 0;
  next_point integer;
  point integer;
  rest integer;
  threshold integer;
  step integer;
begin
  if basic > 0 then encoded := encoded || '-'; end if;
  while handled < cardinality(points) and char_length(encoded) < 64 loop
    select min(each) into next_point from unnest(points) as each where each >= reached;
    delta := delta + (next_point - reached) * (handled + 1);
    reached := next_point;
    foreach point in array points loop
      if point < reached then delta := delta + 1; end if;
      continue when point <> reached;
      rest := delta;
      step := 36;
      loop
        threshold := least(greatest(step - bias, 1), 26);
        exit when rest < threshold;
        encoded := encoded || substr(digits, threshold + (rest - threshold) % (36 - threshold) + 1, 1);
        rest := (rest - threshold) / (36 - threshold);
        step := step + 36;
      end loop;
      encoded := encoded || substr(digits, rest + 1, 1);
      delta := case handled when basic then delta / 700 else delta / 2 end;
      handled := handled + 1;
      delta := delta + delta / handled;
      bias := 0;
      while delta > 455 loop
        delta := delta / 35;
        bias := bias + 36;
      end loop;
      bias := bias + 36 * delta / (delta + 38);
      delta := 0;
    end loop;
    delta := delta + 1;
    reached := reached + 1;
  end loop;
  return encoded;
end
$$;

-- The one spelling of an address, to which its mail is sent: compatibility characters (full-width, circled, mathematical) as
-- plain ones, lower case, the domain in ASCII. Null for an address without one.
create function mailer.plain_address_of_any(email text) returns text language plpgsql immutable strict set search_path = pg_catalog, pg_temp as $$
declare
  address text := btrim(email);
  labels text[];
  label text;
  domain text := '';
begin
  -- Check the length first: NFKC turns one character into up to eighteen.
  if char_length(address) > 320 or not mailer.can_receive_mail(address) then return null; end if;
  address := normalize(mailer.lower_case(normalize(address, NFKC)), NFKC);
  if not mailer.can_receive_mail(address) or address !~ '^[^@]+@[^@]+$' then return null; end if;
  -- Characters of private use look different to everybody.
  if address ~ '[\ue000-\uf8ff\U000f0000-\U0010ffff]' then return null; end if;
  if split_part(address, '@', 1) ~ '^\.|\.\.|\.$' then return null; end if;
  -- The ideographic full stop separates labels as well.
  labels := string_to_array(replace(split_part(address, '@', 2), U&'\3002', '.'), '.');
  foreach label in array labels loop
    -- Punycode is never shorter than its label.
    if char_length(label) > 63 then return null; end if;
    if label ~ '[^\u0001-\u007f]' then label := 'xn--' || mailer.punycode(label); end if;
    if label !~ '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$' then return null; end if;
    domain := domain || '.' || label;
  end loop;
  domain := substr(domain, 2);
  -- A domain that ends in a number is an IP address (WHATWG URL).
  if cardinality(labels) < 2 or label ~ '^[0-9]' or char_length(domain) > 253 then return null; end if;
  address := split_part(address, '@', 1) || '@' || domain;
  return case when char_length(address) <= 320 then address end;
end
$$;

-- The same, in a twentieth of the time for the addresses that have this spelling already, as most have. An import calls it
-- twice for each address.
create function mailer.plain_address(email text) returns text language sql immutable strict set search_path = pg_catalog, pg_temp as $$
  select case
    when char_length(email) <= 253
      and email ~ '^[a-z0-9_+''-]+(\.[a-z0-9_+''-]+)*@([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?$'
    then email
    else mailer.plain_address_of_any(email) end
$$;

-- Stores the plain spelling of an address. Refuses an address without one.
create function mailer.normalise_subscriber() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  address constant text := mailer.plain_address(new.email);
begin
  -- The table's own constraint refuses a missing address.
  if new.email is not null and address is null then
    raise exception 'This address cannot receive mail.' using errcode = '23514';
  end if;
  new.email := address;
  return new;
end
$$;

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

-- The unit of counting: an hour of UTC, in any time zone that a request sets.
create function mailer.this_hour() returns timestamptz language sql stable set search_path = pg_catalog, pg_temp as $$
  select date_trunc('hour', now(), 'UTC')
$$;

-- Refuses the 21st address of a client within an hour, with the error code that PostgREST responds with as status 429.
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

-- A new subscriber is unconfirmed if the operator's settings ask for confirmation.
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

-- The names set the order of the triggers. The operator's own inserts are neither counted nor need confirmation.
create trigger subscriber_1_normalised before insert or update of email on public.email_subscribers
  for each row execute function mailer.normalise_subscriber();
create trigger subscriber_2_admitted before insert on public.email_subscribers
  for each row when (current_user = 'anon') execute function mailer.admit_subscriber();
create trigger subscriber_3_unconfirmed before insert on public.email_subscribers
  for each row when (current_user = 'anon') execute function mailer.ask_to_confirm();

revoke all on all routines in schema mailer from public, anon;
