import { MARKET_TABLES, STOCKS_TABLE } from '#schema/tables.ts';

const names = [...MARKET_TABLES, STOCKS_TABLE].map((name) => `'${name}'`).join(', ');

/**
 * Drops every check, domain, unique constraint and `not null` from the market tables, keeps the column types, and shows
 * rows of any date. Postgres refuses to alter columns of a view, so the view is created again.
 */
export const UNCHECKED_TABLES = `
do $$
declare
  it record;
  sessions constant text := pg_get_viewdef('public.fear_greed_sessions');
begin
  drop view public.fear_greed_sessions;
  for it in select unnest(array[${names}]) as of_table loop
    execute format('drop trigger future_row_refused on public.%I', it.of_table);
    execute format('alter policy "anybody reads the market" on public.%I using (true)', it.of_table);
  end loop;
  for it in
    select conrelid::regclass as of_table, conname from pg_constraint
    where conrelid in (select format('public.%I', name)::regclass from unnest(array[${names}]) as name)
      and contype in ('c', 'u')
  loop
    execute format('alter table %s drop constraint %I', it.of_table, it.conname);
  end loop;
  for it in
    select table_name, column_name, data_type, domain_name, is_nullable from information_schema.columns
    where table_schema = 'public' and table_name in (${names}) and column_name not in ('id', 'created_at')
  loop
    if it.domain_name is not null then
      execute format('alter table public.%I alter column %I type %s', it.table_name, it.column_name, it.data_type);
    end if;
    execute format('alter table public.%I alter column %I drop not null', it.table_name, it.column_name);
  end loop;
  execute 'create view public.fear_greed_sessions with (security_invoker) as ' || sessions;
  create trigger rows_stand instead of insert or update or delete on public.fear_greed_sessions
    for each row execute function archive.refuse_change();
  -- A hosted project grants all rights on a new view.
  for it in select rolname from pg_roles where rolname in ('anon', 'authenticated', 'service_role') loop
    execute format('revoke all on public.fear_greed_sessions from %I', it.rolname);
  end loop;
  grant select on public.fear_greed_sessions to anon;
end
$$;
`;

/** The tables of a custom backend: the numbers of market_indices are text, as in the specification. */
export const LAX_TABLES = `${UNCHECKED_TABLES}
alter table public.market_indices
  alter column price type text, alter column change type text, alter column change_percent type text;
`;
