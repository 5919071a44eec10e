-- An import is one transaction now, so nothing is left to resume and no table has to be closed to other writers.
do $$
begin
  if exists (select from operations.moving) then
    raise exception 'An import into this database was interrupted. Import with the version it was begun with, or into a new database.';
  end if;
end
$$;

drop table operations.moving;
drop function operations.keep_out_while_moving();
