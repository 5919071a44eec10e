-- The market tables, which everybody may read. Each row set has one created_at, and a collector run writes one or more: the time that the
-- row set describes (for a closed session, its closing bell). An unknown value is null, never 0. `source` is the origin of
-- the numbers; null if the collector did not write the row.

create domain public.market_source as text
  check (value in ('simulated', 'replay', 'csv', 'live'));

-- Short text that carries words, never a document.
create domain public.short_text as text
  check (char_length(value) between 1 and 200);

create domain public.percentage as double precision
  check (value >= 0 and value <= 100);

create domain public.finite_number as double precision
  check (value > '-Infinity' and value < 'Infinity');

-- Price of each index (USD or points) and its change since the last close, one row per index.
create table public.market_indices (
  id bigint generated always as identity primary key,
  symbol public.short_text not null,
  name public.short_text not null,
  price public.finite_number check (price > 0),
  change public.finite_number,
  change_percent public.finite_number,
  source public.market_source,
  created_at timestamptz not null default now(),
  unique (created_at, symbol)
);
create index market_indices_created_at on public.market_indices (created_at desc);

-- Share of the stocks above their 50-session average, and Overall Strength, both 0 to 100.
create table public.market_metrics (
  id bigint generated always as identity primary key,
  market_exposure public.percentage,
  overall_strength public.percentage,
  source public.market_source,
  created_at timestamptz not null default now()
);
create unique index market_metrics_created_at on public.market_metrics (created_at desc);

-- The Fear & Greed index and its seven components, each 0 to 100.
create table public.fear_greed_index (
  id bigint generated always as identity primary key,
  index_value public.percentage not null,
  index_label text not null
    check (index_label in ('Extreme Fear', 'Fear', 'Neutral', 'Greed', 'Extreme Greed')),
  market_momentum public.percentage,
  stock_price_strength public.percentage,
  stock_price_breadth public.percentage,
  put_call_options public.percentage,
  junk_bond_demand public.percentage,
  market_volatility public.percentage,
  safe_haven_demand public.percentage,
  -- The components with a value of an earlier session than the row, separated by commas; null if there are none.
  earlier_components text
    check (earlier_components ~ '^[a-z_]+(,[a-z_]+)*$' and length(earlier_components) <= 200),
  source public.market_source,
  created_at timestamptz not null default now()
);
create unique index fear_greed_index_created_at on public.fear_greed_index (created_at desc);

-- Strength of each sector, 0 to 100, one row per sector.
create table public.sector_strength (
  id bigint generated always as identity primary key,
  sector public.short_text not null,
  strength public.percentage,
  source public.market_source,
  created_at timestamptz not null default now(),
  unique (created_at, sector)
);
create index sector_strength_created_at on public.sector_strength (created_at desc);

-- Volatility, put/call ratio and market internals. The *_universe columns name the stocks an internal is
-- counted over ('NYSE', 'S&P 500'), so that a substitute is never shown as the exchange's own value.
create table public.advanced_indicators (
  id bigint generated always as identity primary key,
  vix public.finite_number check (vix >= 0),
  vix_change public.finite_number,
  put_call_ratio public.finite_number check (put_call_ratio >= 0),
  high_low_index public.percentage,
  high_low_universe public.short_text,
  advance_decline_ratio public.finite_number check (advance_decline_ratio >= 0),
  mcclellan_oscillator public.finite_number,
  mcclellan_universe public.short_text,
  tick_index public.finite_number,
  tick_universe public.short_text,
  trin public.finite_number check (trin >= 0),
  trin_universe public.short_text,
  source public.market_source,
  created_at timestamptz not null default now()
);
create unique index advanced_indicators_created_at on public.advanced_indicators (created_at desc);

-- Sentiment of each timeframe, with the readings that it comes from.
create table public.market_sentiment (
  id bigint generated always as identity primary key,
  timeframe text not null check (timeframe in ('short', 'medium', 'long')),
  signal text
    check (signal in ('Very Bullish', 'Bullish', 'Neutral', 'Bearish', 'Very Bearish')),
  score public.percentage,
  description public.short_text,
  rsi public.percentage,
  macd public.finite_number,
  moving_avg_trend public.short_text,
  volume_trend public.short_text,
  source public.market_source,
  created_at timestamptz not null default now(),
  unique (created_at, timeframe)
);
create index market_sentiment_created_at on public.market_sentiment (created_at desc);

-- Number of stocks of the universe that rose, fell and closed unchanged.
create table public.market_breadth (
  id bigint generated always as identity primary key,
  advancing_stocks integer check (advancing_stocks >= 0),
  declining_stocks integer check (declining_stocks >= 0),
  unchanged_stocks integer check (unchanged_stocks >= 0),
  universe public.short_text,
  source public.market_source,
  created_at timestamptz not null default now()
);
create unique index market_breadth_created_at on public.market_breadth (created_at desc);

-- Origins of the inputs of a row set, one row per input. `provider` is null if none supplied it.
create table public.input_origins (
  id bigint generated always as identity primary key,
  input public.short_text not null,
  provider public.short_text,
  session date,
  observed_at timestamptz,
  fetched_at timestamptz,
  source public.market_source,
  created_at timestamptz not null default now(),
  unique (created_at, input)
);
create index input_origins_created_at on public.input_origins (created_at desc);

-- Each stock of the newest row set only: the collector removes the rows of earlier ones. `change_percent` is the change since
-- the last close, `volume` the shares traded in the session in millions, and `weight` the average value of the shares traded
-- per session over 20 closed sessions, in millions of USD.
create table public.market_stocks (
  id bigint generated always as identity primary key,
  symbol public.short_text not null,
  name public.short_text not null,
  sector public.short_text not null,
  change_percent public.finite_number,
  weight public.finite_number check (weight >= 0),
  volume public.finite_number check (volume >= 0),
  source public.market_source,
  created_at timestamptz not null default now(),
  unique (created_at, symbol)
);
create index market_stocks_created_at on public.market_stocks (created_at desc);

-- The same rights, policies and triggers for each of these tables: anon reads the rows up to now, the operator does
-- everything, and each change is counted. Hosted projects grant every new table and its sequence to everybody, so revoke
-- first.
do $$
declare
  name text;
begin
  foreach name in array array[
    'market_indices', 'market_metrics', 'fear_greed_index', 'sector_strength',
    'advanced_indicators', 'market_sentiment', 'market_breadth', 'input_origins', 'market_stocks'
  ] loop
    execute format('revoke all on public.%I from public, anon', name);
    execute format('revoke all on sequence public.%I from public, anon', name || '_id_seq');
    execute format('grant select on public.%I to anon', name);
    execute format('grant all on public.%I to service_role', name);
    execute format('grant usage on sequence public.%I to service_role', name || '_id_seq');
    execute format('alter table public.%I enable row level security', name);
    execute format('create policy "anybody reads the market" on public.%I for select to anon
      using (created_at <= now() + interval ''1 hour'')', name);
    execute format('create policy "the operator does everything" on public.%I to service_role
      using (true) with check (true)', name);

    execute format('create trigger data_added after insert or truncate on public.%I
      for each statement execute function operations.note_data_change()', name);
    execute format('create trigger data_updated after update on public.%I referencing new table as changed_rows
      for each statement execute function operations.note_data_change()', name);
    execute format('create trigger data_deleted after delete on public.%I referencing old table as changed_rows
      for each statement execute function operations.note_data_change()', name);
    -- Postgres tests the condition itself, so it calls the function for refused rows only. An AFTER trigger, because a
    -- BEFORE trigger makes `copy` insert row by row.
    execute format('create trigger future_row_refused after insert or update of created_at on public.%I
      for each row when (new.created_at > clock_timestamp() + interval ''1 hour'')
      execute function operations.refuse_future_row(''created_at'')', name);
    execute format('alter table public.%I enable always trigger data_added, enable always trigger data_updated,
      enable always trigger data_deleted, enable always trigger future_row_refused', name);
  end loop;
end
$$;

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
revoke all on public.fear_greed_sessions from public, anon, service_role;
grant select on public.fear_greed_sessions to anon, service_role;
