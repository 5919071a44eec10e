-- Two rules about the times of rows, for every role, the owner included.
--
-- 1. A row dated more than an hour after the clock of the database is refused, and never shown: it would be the newest row
--    until its time comes. This holds for the market and for every append-only table.
-- 2. The rows of an append-only table are in the order of their times: a row that is older than the newest one is refused,
--    so that nobody can add a decision or a publication to the past. The only exception are rows of
--    mailer.issued_signals with `origin` 'rebuilt': decisions computed later, which exist for the simulated market only and
--    whose entry in the ledger says so.
--
-- An import restores rows that were checked when they were first stored. It turns both triggers off, which only the owner of
-- the tables can do.

-- The argument is the column with the time of the row.
create function operations.refuse_future_row() returns trigger language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  iso constant text := 'YYYY-MM-DD"T"HH24:MI:SS"Z"';
  dated constant timestamptz := to_jsonb(new) ->> tg_argv[0];
begin
  raise exception 'A row of % is dated %, later than the clock of the database (%). Correct the date, or the clock of the computer that wrote it.',
    -- Null of infinity.
    tg_table_name, coalesce(to_char(dated at time zone 'UTC', iso), dated::text),
    to_char(clock_timestamp() at time zone 'UTC', iso)
    using errcode = '23514';
end
$$;

-- The first argument is the column with the time of the row; the second one, if any, is a column that has the same order.
--
-- The clocks of two computers differ, so a row that is older by at most an hour gets the time of the newest row. Rows dated
-- later than the clock of the database do not count: a clock that was wrong has left them. The lock makes writers wait for
-- each other, because otherwise neither would see the row of the other.
create function operations.keep_order() returns trigger language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  iso constant text := 'YYYY-MM-DD"T"HH24:MI:SS"Z"';
  dated timestamptz;
  newest timestamptz;
  is_out_of_order boolean;
begin
  perform pg_advisory_xact_lock('pg_class'::regclass::oid::int, tg_relid::int);
  execute format('select ($1).%I', tg_argv[0]) into dated using new;
  execute format('select %1$I from %2$s where %1$I <= clock_timestamp() + interval ''1 hour'' order by %1$I desc limit 1',
    tg_argv[0], tg_relid::regclass) into newest;
  is_out_of_order := dated < newest - interval '1 hour';
  if tg_nargs > 1 and not is_out_of_order then
    execute format('select exists (select from %3$s where %2$I > ($1).%2$I and %1$I <= clock_timestamp() + interval ''1 hour'')',
      tg_argv[0], tg_argv[1], tg_relid::regclass) into is_out_of_order using new;
  end if;
  if is_out_of_order then
    raise exception 'A row of % is dated %, earlier than its newest row (%). Rows of the past cannot be added: correct the date, or the clock of the computer that wrote it.',
      tg_table_name, to_char(dated at time zone 'UTC', iso), to_char(newest at time zone 'UTC', iso) using errcode = '23514';
  end if;
  if dated < newest then
    new := jsonb_populate_record(new, jsonb_build_object(tg_argv[0], newest));
  end if;
  return new;
end
$$;

-- Postgres tests the condition itself, so it calls the function for refused rows only. An AFTER trigger, because a
-- BEFORE trigger makes `copy` insert row by row.
do $$
declare
  name text;
begin
  foreach name in array array[
    'market_indices', 'market_metrics', 'fear_greed_index', 'sector_strength',
    'advanced_indicators', 'market_sentiment', 'market_breadth', 'input_origins'
  ] loop
    execute format('create trigger future_row_refused after insert or update of created_at on public.%I
      for each row when (new.created_at > clock_timestamp() + interval ''1 hour'')
      execute function operations.refuse_future_row(''created_at'')', name);
    -- Also where a session turns ordinary triggers off, as a replica does.
    execute format('alter table public.%I enable always trigger future_row_refused', name);
    execute format('alter policy "anybody reads the market" on public.%I
      using (created_at <= now() + interval ''1 hour'')', name);
  end loop;
end
$$;

create trigger future_row_refused after insert on collector.corrections
  for each row when (new.corrected_at > clock_timestamp() + interval '1 hour')
  execute function operations.refuse_future_row('corrected_at');
alter table collector.corrections enable always trigger future_row_refused;

create trigger future_row_refused after insert on mailer.issued_signals
  for each row when (new.decided_at > clock_timestamp() + interval '1 hour')
  execute function operations.refuse_future_row('decided_at');
create trigger order_kept before insert on mailer.issued_signals
  for each row when (new.origin = 'live')
  execute function operations.keep_order('decided_at', 'week');
alter table mailer.issued_signals enable always trigger future_row_refused, enable always trigger order_kept;

do $$
declare
  everybody text := 'public, anon, service_role';
begin
  if exists (select from pg_roles where rolname = 'authenticated') then
    everybody := everybody || ', authenticated';
  end if;
  execute format('revoke all on function operations.refuse_future_row(), operations.keep_order() from %s', everybody);
end
$$;
