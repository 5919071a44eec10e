-- Schema for live data: the origin of each input, corrections, and one run at a time among processes.

-- True if a part of the index is from an earlier session than the row.
alter table public.fear_greed_index add column mixed_sessions boolean;

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

do $$
declare
  everybody text := 'public, anon';
begin
  if exists (select from pg_roles where rolname = 'authenticated') then
    everybody := everybody || ', authenticated';
  end if;
  execute format('revoke all on public.input_origins from %s', everybody);
  execute format('revoke all on sequence %s from %s', pg_get_serial_sequence('public.input_origins', 'id'), everybody);
end
$$;
grant all on public.input_origins to service_role;
grant usage on all sequences in schema public to service_role;
alter table public.input_origins enable row level security;
create policy "the operator does everything" on public.input_origins to service_role using (true) with check (true);
grant select on public.input_origins to anon;
create policy "anybody reads the market" on public.input_origins for select to anon using (true);

-- The purpose of a run, its requests to each provider, and the origins of its inputs.
alter table collector.runs
  add column period timestamptz,
  add column providers jsonb not null default '[]',
  add column origins jsonb not null default '[]';

-- A replaced row of a closed session: its old and its new values.
create table collector.corrections (
  id bigint generated always as identity primary key,
  table_name text not null,
  session date not null,
  before jsonb not null,
  after jsonb not null,
  corrected_at timestamptz not null
);
create index corrections_corrected_at on collector.corrections (corrected_at desc);

-- Jobs of the server. This schema is not exposed either.
create schema operations;
revoke all on schema operations from public;
grant usage on schema operations to service_role;

-- Leases of jobs: only the holder of a job's lease may run it, until the lease expires.
create table operations.leases (
  name text primary key,
  holder text not null,
  taken_at timestamptz not null,
  held_until timestamptz not null
);

-- One row per period of a job, so that only one of several processes runs it.
create table operations.job_runs (
  job text not null,
  period timestamptz not null,
  status text not null check (status in ('running', 'succeeded', 'failed')),
  holder text not null,
  attempts integer not null default 1,
  started_at timestamptz not null,
  finished_at timestamptz,
  error text,
  primary key (job, period)
);

do $$
begin
  if exists (select from pg_roles where rolname = 'authenticated') then
    revoke all on all tables in schema collector, operations from authenticated;
  end if;
end
$$;
revoke all on all tables in schema collector, operations from public, anon;
grant all on all tables in schema collector, operations to service_role;
grant usage on all sequences in schema collector, operations to service_role;
