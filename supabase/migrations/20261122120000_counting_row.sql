-- Hosted projects reject an update without a filter through the data API, in any function, so the statement names the
-- single row.
create or replace function operations.count_data_change() returns trigger language plpgsql security definer set search_path = pg_catalog, pg_temp as $$
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
