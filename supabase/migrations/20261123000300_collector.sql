-- Internal tables of the collector. This schema is not exposed, and anon has no access to it.
create schema collector;
revoke all on schema collector from public;
grant usage on schema collector to service_role;

-- Stocks and funds with bars.
create table collector.symbols (
  id smallint generated always as identity primary key,
  symbol text not null unique,
  name text not null,
  sector text not null
);

-- Split- and dividend-adjusted daily bars. symbol_id is one of collector.symbols, without a foreign key, which would
-- make `copy` take two and a half times as long.
create table collector.bars (
  symbol_id smallint not null,
  session date not null,
  open double precision not null,
  high double precision not null,
  low double precision not null,
  close double precision not null,
  volume double precision not null,
  primary key (symbol_id, session)
);

-- Daily series that are not bars of a symbol: index closes, VIX, put/call, advances, yields, …
create table collector.series (
  name text not null,
  session date not null,
  value double precision not null,
  primary key (name, session)
);

-- The owner of this history: bars of an invented market and real ones are never stored together.
create table collector.holding (
  only_one boolean primary key default true check (only_one),
  source text not null,
  universe text not null
);

-- One row per run: its inputs, rejected data, written rows, or the reason of its failure. A run has stopped if its process
-- ended or lost the database. The next process then repeats it at once.
create table collector.runs (
  id bigint generated always as identity primary key,
  job text not null check (job in ('collect', 'backfill')),
  source text not null,
  started_at timestamptz not null,
  finished_at timestamptz,
  status text not null check (status in ('running', 'stopped', 'succeeded', 'failed')),
  first_session date,
  last_session date,
  rows_written integer not null default 0,
  rows_refused integer not null default 0,
  problems jsonb not null default '[]',
  error text,
  -- The newest period that was due at the start, which a success completes.
  period timestamptz not null,
  -- False for a run on request.
  is_scheduled boolean not null,
  -- Requests to each provider, and the origins of the inputs.
  providers jsonb not null default '[]',
  origins jsonb not null default '[]'
);

revoke all on all tables in schema collector from public, anon;
grant all on all tables in schema collector to service_role;
grant usage on all sequences in schema collector to service_role;
