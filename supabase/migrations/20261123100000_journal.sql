-- The history of the published data: each closing row set as published, the page of each session, and the faults of the
-- data. All three are append-only.

create schema archive;

-- Each closing row set when it was published, replaced or removed. The newest record of a row set equals the tables. `rows`
-- holds the rows of each market table, none of a removed row set. It is json, which keeps its text: `sha256` is of that text.
-- `origin` is 'rebuilt' if the row set was computed after its session, when nobody could see it.
create table archive.publications (
  id bigint generated always as identity primary key,
  created_at_batch timestamptz not null,
  session date not null,
  kind text not null check (kind in ('close', 'final')),
  published_at timestamptz not null,
  source public.market_source,
  origin text not null check (origin in ('live', 'rebuilt')),
  -- Null if unknown.
  formula_version text,
  rows json not null,
  sha256 bytea not null
);
create index publications_published_at on archive.publications (published_at desc);
create index publications_batch on archive.publications (created_at_batch, id desc);

-- The view of the page as served after a session's first closing run and after its first final run: JSON, compressed with
-- raw deflate. `sha256` is of the JSON text.
create table archive.days (
  id bigint generated always as identity primary key,
  session date not null,
  kind text not null check (kind in ('close', 'final')),
  published_at timestamptz not null,
  source public.market_source,
  view_version integer not null check (view_version > 0),
  view bytea not null,
  sha256 bytea not null,
  unique nulls not distinct (session, kind, source)
);
create index days_published_at on archive.days (published_at desc);
create index days_session on archive.days (session, id desc);

-- Faults of the data and their ends. `event_key` identifies an event, so that a run that is repeated adds none twice.
create table public.quality_events (
  id bigint generated always as identity primary key,
  at timestamptz not null,
  session date,
  kind text not null check (kind in (
    'missing', 'late', 'completed', 'corrected', 'refused', 'provider down', 'missed run', 'withheld',
    'formula changed', 'universe changed'
  )),
  input public.short_text,
  provider public.short_text,
  detail public.short_text,
  before public.short_text,
  after public.short_text,
  event_key public.short_text not null unique
);
create index quality_events_at on public.quality_events (at desc);

create function archive.refuse_change() returns trigger language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  raise exception 'Rows of %.% are never changed or removed.', tg_table_schema, tg_table_name using errcode = '55000';
end
$$;

do $$
declare
  name regclass;
  dated text;
begin
  for name, dated in values
    ('archive.publications'::regclass, 'published_at'), ('archive.days', 'published_at'), ('public.quality_events', 'at')
  loop
    execute format('create trigger rows_stand before update or delete on %s
      for each row execute function archive.refuse_change()', name);
    execute format('create trigger rows_stay before truncate on %s
      for each statement execute function archive.refuse_change()', name);
    execute format('create trigger future_row_refused after insert on %1$s
      for each row when (new.%2$I > clock_timestamp() + interval ''1 hour'')
      execute function operations.refuse_future_row(%2$L)', name, dated);
    execute format('create trigger order_kept before insert on %s
      for each row execute function operations.keep_order(%L)', name, dated);
    -- Also where a session turns ordinary triggers off, as a replica does.
    execute format('alter table %s enable always trigger rows_stand, enable always trigger rows_stay,
      enable always trigger future_row_refused, enable always trigger order_kept', name);
  end loop;
end
$$;

-- A stored day and an event change what the pages show.
create trigger data_added after insert on archive.days
  for each statement execute function operations.note_data_change();
create trigger data_added after insert on public.quality_events
  for each statement execute function operations.note_data_change();
alter table archive.days enable always trigger data_added;
alter table public.quality_events enable always trigger data_added;

-- The journal without its content.
create view public.publications as
  select id, created_at_batch, session, kind, published_at, source, origin, formula_version, encode(sha256, 'hex') as sha256
  from archive.publications where published_at <= now() + interval '1 hour';

do $$
declare
  everybody text := 'public, anon, service_role';
begin
  if exists (select from pg_roles where rolname = 'authenticated') then
    everybody := everybody || ', authenticated';
  end if;
  execute format('revoke all on schema archive from %s', everybody);
  execute format('revoke all on all tables in schema archive from %s', everybody);
  execute format('revoke all on all sequences in schema archive from %s', everybody);
  execute format('revoke all on all functions in schema archive from %s', everybody);
  execute format('revoke all on public.quality_events, public.publications from %s', everybody);
  execute format('revoke all on sequence public.quality_events_id_seq from %s', everybody);
end
$$;
grant usage on schema archive to service_role;
grant select, insert on archive.publications, archive.days, public.quality_events to service_role;
grant usage on all sequences in schema archive to service_role;
grant usage on sequence public.quality_events_id_seq to service_role;
grant select on public.publications, public.quality_events to anon;
grant select on public.publications to service_role;
alter table public.quality_events enable row level security;
create policy "the operator adds events" on public.quality_events for insert to service_role with check (true);
create policy "anybody reads events" on public.quality_events for select to anon, service_role
  using (at <= now() + interval '1 hour');

-- Closing row sets from before the journal. A session closes at 16:00 in New York, or at 13:00 on 3 July, the day after
-- Thanksgiving and 24 December; on those half-days nothing is published later.
set local timezone = 'UTC';
insert into archive.publications
  (created_at_batch, session, kind, published_at, source, origin, rows, sha256)
select batch, session, 'final', now(), source, 'rebuilt', content, sha256(convert_to(content::text, 'UTF8'))
from (
  select created_at as batch, source, created_at at time zone 'America/New_York' as local,
    (created_at at time zone 'America/New_York')::date as session
  from public.market_metrics
) as batches
cross join lateral (
  select json_build_object(
    'market_indices', coalesce((select json_agg(each) from (
      select symbol, name, price, change, change_percent
      from public.market_indices where created_at = batch order by id) as each), '[]'),
    'market_metrics', coalesce((select json_agg(each) from (
      select market_exposure, overall_strength
      from public.market_metrics where created_at = batch order by id) as each), '[]'),
    'fear_greed_index', coalesce((select json_agg(each) from (
      select index_value, index_label, market_momentum, stock_price_strength, stock_price_breadth,
        put_call_options, junk_bond_demand, market_volatility, safe_haven_demand, mixed_sessions
      from public.fear_greed_index where created_at = batch order by id) as each), '[]'),
    'sector_strength', coalesce((select json_agg(each) from (
      select sector, strength
      from public.sector_strength where created_at = batch order by id) as each), '[]'),
    'advanced_indicators', coalesce((select json_agg(each) from (
      select vix, vix_change, put_call_ratio, high_low_index, high_low_universe, advance_decline_ratio,
        mcclellan_oscillator, mcclellan_universe, tick_index, tick_universe, trin, trin_universe
      from public.advanced_indicators where created_at = batch order by id) as each), '[]'),
    'market_sentiment', coalesce((select json_agg(each) from (
      select timeframe, signal, score, description, rsi, macd, moving_avg_trend, volume_trend
      from public.market_sentiment where created_at = batch order by id) as each), '[]'),
    'market_breadth', coalesce((select json_agg(each) from (
      select advancing_stocks, declining_stocks, unchanged_stocks, universe
      from public.market_breadth where created_at = batch order by id) as each), '[]'),
    'input_origins', coalesce((select json_agg(each) from (
      select input, provider, session, observed_at, fetched_at
      from public.input_origins where created_at = batch order by id) as each), '[]')
  ) as content
) as contents
where extract(isodow from session) <= 5 and (
  local::time = '16:00'
  or local::time = '13:00' and (
    to_char(session, 'MM-DD') in ('07-03', '12-24')
    or extract(month from session) = 11 and extract(isodow from session) = 5 and extract(day from session) between 23 and 29
  )
)
order by batch;
