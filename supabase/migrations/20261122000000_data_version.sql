-- The version of the market tables: a number that grows with each commit that changes them. A notification on the
-- channel barometer_market follows each change, so that caches can drop stale entries.

create table operations.data_version (
  only_one boolean primary key default true check (only_one),
  version bigint not null default 1,
  changed_at timestamptz not null default now()
);
insert into operations.data_version default values;

-- The open transactions that changed the market. Each counts at its commit, which deletes its row again.
create table operations.data_changes (
  made_by xid8 primary key default pg_current_xact_id()
);

-- Runs after a statement on a market table: once per transaction, and only if the statement changed a row.
create function operations.note_data_change() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
begin
  if tg_op in ('UPDATE', 'DELETE') then
    if not exists (select from changed_rows) then return null; end if;
  end if;
  insert into operations.data_changes default values on conflict do nothing;
  return null;
end
$$;

-- Locks the row of the number last, so that writers wait for each other's commits only.
create function operations.count_data_change() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
declare
  counted bigint;
begin
  delete from operations.data_changes where made_by = new.made_by;
  update operations.data_version set version = version + 1, changed_at = clock_timestamp() returning version into counted;
  perform pg_notify('barometer_market', counted::text);
  return null;
end
$$;

create constraint trigger data_change_counted after insert on operations.data_changes
  deferrable initially deferred for each row execute function operations.count_data_change();
-- These fire also where a session disables ordinary triggers, as a restore does.
alter table operations.data_changes enable always trigger data_change_counted;

do $$
declare
  name text;
begin
  foreach name in array array[
    'market_indices', 'market_metrics', 'fear_greed_index', 'sector_strength',
    'advanced_indicators', 'market_sentiment', 'market_breadth', 'input_origins'
  ] loop
    execute format('create trigger data_added after insert or truncate on public.%I
      for each statement execute function operations.note_data_change()', name);
    execute format('create trigger data_updated after update on public.%I referencing new table as changed_rows
      for each statement execute function operations.note_data_change()', name);
    execute format('create trigger data_deleted after delete on public.%I referencing old table as changed_rows
      for each statement execute function operations.note_data_change()', name);
    execute format('alter table public.%I enable always trigger data_added, enable always trigger data_updated,
      enable always trigger data_deleted', name);
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
  execute format('revoke all on operations.data_version, operations.data_changes from %s', everybody);
  execute format('revoke all on all functions in schema operations from %s', everybody);
end
$$;
grant select on operations.data_version to service_role;
