-- Progress of an import: one row per table while it runs, none before and after. `export` is the checksum of the
-- import's source, so that only the same source can continue it.
create table operations.moving (
  table_name text primary key,
  export text not null,
  rows_moved bigint not null default 0
);

-- Guards each table from the beginning of an import to its end, even if the import is interrupted: a database with half
-- of its data takes no subscriber, decides no signal and sends no mail.
create function operations.keep_out_while_moving() returns trigger language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if current_setting('barometer.moving', true) is distinct from 'yes' then
    raise exception 'An import into this database is not finished: run it again, and nothing else meanwhile.' using errcode = 'PT503';
  end if;
  return null;
end
$$;

do $$
declare
  everybody text := 'public, anon, service_role';
begin
  if exists (select from pg_roles where rolname = 'authenticated') then
    everybody := everybody || ', authenticated';
  end if;
  execute format('revoke all on operations.moving from %s', everybody);
  execute format('revoke all on all functions in schema operations from %s', everybody);
end
$$;
