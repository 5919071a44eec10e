-- The public key reads the market and adds a subscriber. It cannot read subscribers, or set an id or a date. Hosted
-- projects grant every new table and its sequence to everybody by default, so revoke first.
do $$
declare
  name text;
  everybody text := 'public, anon';
begin
  if exists (select from pg_roles where rolname = 'authenticated') then
    everybody := everybody || ', authenticated';
  end if;
  foreach name in array array[
    'market_indices', 'market_metrics', 'fear_greed_index', 'sector_strength',
    'advanced_indicators', 'market_sentiment', 'market_breadth', 'email_subscribers'
  ] loop
    execute format('revoke all on public.%I from %s', name, everybody);
    execute format('revoke all on sequence %s from %s', pg_get_serial_sequence('public.' || name, 'id'), everybody);
    execute format('grant all on public.%I to service_role', name);
    execute format('alter table public.%I enable row level security', name);
    execute format('create policy "the operator does everything" on public.%I to service_role using (true) with check (true)', name);
    if name <> 'email_subscribers' then
      execute format('grant select on public.%I to anon', name);
      execute format('create policy "anybody reads the market" on public.%I for select to anon using (true)', name);
    end if;
  end loop;
end
$$;

grant insert (email, is_active) on public.email_subscribers to anon;
create policy "anybody subscribes" on public.email_subscribers
  for insert to anon with check (is_active);
