-- Tables that a visitor may read. One collector run writes one row set with one created_at: the time that the row set
-- describes (for a closed session, its closing bell). An unknown value is null, never 0. `source` is the origin of the
-- numbers; null if the collector did not write the row.

create domain public.market_source as text
  check (value in ('simulated', 'replay', 'csv', 'live'));

-- Short text that carries words, never a document.
create domain public.short_text as text
  check (char_length(value) between 1 and 200);

create domain public.percentage as double precision
  check (value >= 0 and value <= 100);

create domain public.finite_number as double precision
  check (value > '-Infinity' and value < 'Infinity');

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

create table public.market_metrics (
  id bigint generated always as identity primary key,
  market_exposure public.percentage,
  overall_strength public.percentage,
  source public.market_source,
  created_at timestamptz not null default now()
);

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
  source public.market_source,
  created_at timestamptz not null default now()
);

create table public.sector_strength (
  id bigint generated always as identity primary key,
  sector public.short_text not null,
  strength public.percentage,
  source public.market_source,
  created_at timestamptz not null default now(),
  unique (created_at, sector)
);

-- The *_universe columns name the stocks an internal is counted over ('NYSE', 'S&P 500'), so that a substitute is never
-- shown as the exchange's own value.
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

create table public.market_breadth (
  id bigint generated always as identity primary key,
  advancing_stocks integer check (advancing_stocks >= 0),
  declining_stocks integer check (declining_stocks >= 0),
  unchanged_stocks integer check (unchanged_stocks >= 0),
  universe public.short_text,
  source public.market_source,
  created_at timestamptz not null default now()
);

create index market_indices_created_at on public.market_indices (created_at desc);
create unique index market_metrics_created_at on public.market_metrics (created_at desc);
create unique index fear_greed_index_created_at on public.fear_greed_index (created_at desc);
create index sector_strength_created_at on public.sector_strength (created_at desc);
create unique index advanced_indicators_created_at on public.advanced_indicators (created_at desc);
create index market_sentiment_created_at on public.market_sentiment (created_at desc);
create unique index market_breadth_created_at on public.market_breadth (created_at desc);
