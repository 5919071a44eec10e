-- Triggers that the tables of several subjects share: they count changes of the market, check the times of rows and keep
-- tables append-only.

-- Not exposed: anon has no access to these schemas.
create schema operations;
revoke all on schema operations from public;
grant usage on schema operations to service_role;

create schema archive;
revoke all on schema archive from public, anon, service_role;
grant usage on schema archive to service_role;

-- The version of the published data: a number that grows with each commit that changes what the pages show. A notification
-- on the channel barometer_market follows each change, for programs of the operator: Barometer itself reads the version.
create table operations.data_version (
  only_one boolean primary key default true check (only_one),
  version bigint not null default 1,
  changed_at timestamptz not null default now()
);
insert into operations.data_version default values;
revoke all on operations.data_version from public, anon, service_role;
grant select on operations.data_version to service_role;

-- The open transactions that changed the data. Each counts at its commit, which deletes its row again.
create table operations.data_changes (
  made_by xid8 primary key default pg_current_xact_id()
);
revoke all on operations.data_changes from public, anon, service_role;

-- Runs after a statement on a published table: once per transaction, and only if the statement changed a row.
create function operations.note_data_change() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if tg_op in ('UPDATE', 'DELETE') then
    if not exists (select from changed_rows) then return null; end if;
  end if;
  insert into operations.data_changes default values on conflict do nothing;
  return null;
end
$$;

-- Locks the row of the number last, so that writers wait for each other's commits only. Hosted projects reject an update
-- without a filter through the data API, in any function, so the statement names the single row.
create function operations.count_data_change() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  counted bigint;
begin
  delete from operations.data_changes where made_by = new.made_by;
  update operations.data_version set version = version + 1, changed_at = clock_timestamp() where only_one
    returning version into counted;
  perform pg_notify('barometer_market', counted::text);
  return null;
end
$$;

-- `enable always`, here and below: the trigger also fires where a session turns ordinary triggers off, as a replica or a
-- restore does.
create constraint trigger data_change_counted after insert on operations.data_changes
  deferrable initially deferred for each row execute function operations.count_data_change();
alter table operations.data_changes enable always trigger data_change_counted;

-- Two rules about the times of rows, for every role, the owner included.
--
-- 1. A row dated more than an hour after the clock of the database is refused, and never shown: it would be the newest row
--    until its time comes. This holds for the market and for each append-only table with a time: `dated` of
--    archive.make_append_only.
-- 2. The rows of an append-only table are in the order of their times, if `in_order` of archive.make_append_only says so: a
--    row that is older than the newest one is refused, so that nobody can add a decision or a publication to the past. Rows
--    with `origin` 'rebuilt' are exceptions: decisions and risk outlooks computed later, which exist for the simulated
--    market only and whose entry in the ledger says so.
--
-- An import restores rows that were checked when they were first stored. It turns both triggers off, which only the owner of
-- the tables can do.

-- For AFTER triggers with rule 1 as their condition. The argument is the column with the time of the row.
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

-- For BEFORE triggers: rule 2. The first argument is the column with the time of the row; the second one, if any, is a column that has the same order.
--
-- The clocks of two computers differ, so a row that is older by at most an hour gets the time of the newest row. Rows dated
-- later than the clock of the database do not count: a clock that was ahead has left them. If the clock of the database is
-- behind instead, this rule cannot notice it, so Barometer adds no row until the operator says which one it is
-- (src/record/clock.ts). The lock makes writers wait for
-- each other, because otherwise neither would see the row of the other. The ids have the same order.
create function operations.keep_order() returns trigger language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  iso constant text := 'YYYY-MM-DD"T"HH24:MI:SS"Z"';
  dated timestamptz;
  newest timestamptz;
  last_id bigint;
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
  -- Another writer may have taken a later id while this one waited.
  execute format('select max(id) from %s', tg_relid::regclass) into last_id;
  if new.id < last_id then
    new.id := nextval(pg_get_serial_sequence(tg_relid::regclass::text, 'id'));
  end if;
  if dated < newest then
    new := jsonb_populate_record(new, jsonb_build_object(tg_argv[0], newest));
  end if;
  return new;
end
$$;

-- For a table whose rows are never changed or removed.
create function archive.refuse_change() returns trigger language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  raise exception 'Rows of %.% are never changed or removed.', tg_table_schema, tg_table_name using errcode = '55000';
end
$$;

-- Makes a table append-only: its rows are never changed or removed, and the operator reads and inserts them. With `dated`, the
-- column with the time of a row, rule 1 holds. With `in_order`, a condition, rule 2 holds for the rows that meet it; `beside` is a
-- column that has the same order. `is_shown`: a row changes what the pages show.
create procedure archive.make_append_only(of regclass, dated text default null, in_order text default null,
  beside text default null, is_shown boolean default false) language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  id_sequence constant text := case when exists (
    select from pg_attribute where attrelid = of and attname = 'id' and not attisdropped
  ) then pg_get_serial_sequence(of::text, 'id') end;
begin
  execute format('create trigger rows_stand before update or delete on %s
    for each row execute function archive.refuse_change()', of);
  execute format('create trigger rows_stay before truncate on %s
    for each statement execute function archive.refuse_change()', of);
  if dated is not null then
    execute format('create trigger future_row_refused after insert on %s
      for each row when (new.%I > clock_timestamp() + interval ''1 hour'')
      execute function operations.refuse_future_row(%L)', of, dated, dated);
  end if;
  if in_order is not null then
    execute format('create trigger order_kept before insert on %s
      for each row when (%s) execute function operations.keep_order(%s)',
      of, in_order, concat_ws(', ', quote_literal(dated), quote_literal(beside)));
  end if;
  if is_shown then
    execute format('create trigger data_added after insert on %s
      for each statement execute function operations.note_data_change()', of);
  end if;
  execute (
    select format('alter table %s %s', of, string_agg(format('enable always trigger %I', tgname), ', '))
    from pg_trigger where tgrelid = of and not tgisinternal
  );
  execute format('revoke all on %s from public, anon, service_role', of);
  execute format('grant select, insert on %s to service_role', of);
  if id_sequence is not null then
    execute format('revoke all on sequence %s from public, anon, service_role', id_sequence);
    execute format('grant usage on sequence %s to service_role', id_sequence);
  end if;
end
$$;

revoke all on all routines in schema operations, archive from public, anon, service_role;
