-- The components of the Fear & Greed index at the end of each session: the last row of each day in New York, rounded as
-- displayed. The page draws a year of them. It does not need the rows within a session, which the table also has.
--
-- The view reads with the rights of its reader, so that the policies of the table apply.
create view public.fear_greed_sessions with (security_invoker) as
  select distinct on (session) id, (created_at at time zone 'America/New_York')::date as session,
    round(market_momentum::numeric, 1) as market_momentum,
    round(stock_price_strength::numeric, 1) as stock_price_strength,
    round(stock_price_breadth::numeric, 1) as stock_price_breadth,
    round(put_call_options::numeric, 1) as put_call_options,
    round(junk_bond_demand::numeric, 1) as junk_bond_demand,
    round(market_volatility::numeric, 1) as market_volatility,
    round(safe_haven_demand::numeric, 1) as safe_haven_demand,
    source, created_at
  from public.fear_greed_index
  order by session, created_at desc;
-- With a trigger, Postgres refuses a write for missing rights, as it does for a table, and not because of the view.
create trigger rows_stand instead of insert or update or delete on public.fear_greed_sessions
  for each row execute function archive.refuse_change();

do $$
declare
  everybody text := 'public, anon, service_role';
begin
  if exists (select from pg_roles where rolname = 'authenticated') then
    everybody := everybody || ', authenticated';
  end if;
  execute format('revoke all on public.fear_greed_sessions from %s', everybody);
end
$$;
grant select on public.fear_greed_sessions to anon, service_role;
