-- Stores each address in one spelling: compatibility characters (full-width, circled, mathematical) as plain ones, lower
-- case, the domain in ASCII. The trigger refuses an address without such a spelling. It is in the database because inserts
-- into a hosted project reach the table without our server.

-- 'duplicate': an older row has the same mailbox.
alter table public.email_subscribers
  drop constraint email_subscribers_deactivated_because_check,
  add constraint email_subscribers_deactivated_because_check
    check (deactivated_because in ('left', 'address refused', 'never confirmed', 'duplicate'));

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

-- The one spelling of an address, to which its mail is sent; null for an address without one.
create function mailer.plain_address(email text) returns text language plpgsql immutable strict set search_path = pg_catalog, pg_temp as $$
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

create or replace function mailer.normalise_subscriber() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
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

-- Existing rows. Among several active rows of a mailbox the oldest stays active, a confirmed one before an unconfirmed
-- one. The others are deactivated and kept: deliveries and unsubscribe links refer to them. A trigger skips their
-- pending mails.
update public.email_subscribers
  set is_active = false, deactivated_at = now(), deactivated_because = 'address refused'
  where is_active and mailer.plain_address(email) is null;
update public.email_subscribers as subscriber
  set is_active = false, deactivated_at = now(), deactivated_because = 'duplicate'
  from (
    select id, row_number() over (
      partition by mailer.plain_address(email) order by confirmed_at is null, created_at, id
    ) as place
    from public.email_subscribers where is_active
  ) as spelling
  where spelling.id = subscriber.id and spelling.place > 1;
update public.email_subscribers set email = mailer.plain_address(email) where email <> mailer.plain_address(email);

do $$
declare
  everybody text := 'public, anon';
begin
  if exists (select from pg_roles where rolname = 'authenticated') then
    everybody := everybody || ', authenticated';
  end if;
  execute format('revoke all on all functions in schema mailer from %s', everybody);
end
$$;
