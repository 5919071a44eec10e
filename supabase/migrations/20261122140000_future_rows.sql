-- Refuses and hides a market row dated more than an hour after the clock of the database: it would be the newest row
-- until its time comes.

create function operations.refuse_future_row() returns trigger language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  iso constant text := 'YYYY-MM-DD"T"HH24:MI:SS"Z"';
begin
  raise exception 'A row of % is dated %, later than the clock of the database (%). Correct the date, or the clock of the computer that wrote it.',
    -- Null of infinity.
    tg_table_name, coalesce(to_char(new.created_at at time zone 'UTC', iso), new.created_at::text),
    to_char(clock_timestamp() at time zone 'UTC', iso)
    using errcode = '23514';
end
$$;

-- Postgres tests the condition itself, so it calls the function for refused rows only. An AFTER trigger, because a
-- BEFORE trigger makes `copy` insert row by row. An import keeps the rows of the old database.
do $$
declare
  name text;
begin
  foreach name in array array[
    'market_indices', 'market_metrics', 'fear_greed_index', 'sector_strength',
    'advanced_indicators', 'market_sentiment', 'market_breadth', 'input_origins'
  ] loop
    execute format('create trigger future_row_refused after insert or update of created_at on public.%I
      for each row when (new.created_at > clock_timestamp() + interval ''1 hour''
        and current_setting(''barometer.moving'', true) is distinct from ''yes'')
      execute function operations.refuse_future_row()', name);
    execute format('alter policy "anybody reads the market" on public.%I
      using (created_at <= now() + interval ''1 hour'')', name);
  end loop;
end
$$;

do $$
declare
  everybody text := 'public, anon, service_role';
begin
  if exists (select from pg_roles where rolname = 'authenticated') then
    everybody := everybody || ', authenticated';
  end if;
  execute format('revoke all on function operations.refuse_future_row() from %s', everybody);
end
$$;
