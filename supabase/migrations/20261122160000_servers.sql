-- The market source of each running server. A command on the same database is refused if it names another source. An
-- expired row belongs to a server that was killed.
create table operations.servers (
  name text primary key,
  source text not null,
  folder text,
  seen_until timestamptz not null
);

-- Symbols and days for which no provider has data, with the session of the run that found this. Runs of the same
-- session do not request them again.
create table operations.known_gaps (
  name text primary key,
  session date not null
);

do $$
declare
  everybody text := 'public, anon, service_role';
begin
  if exists (select from pg_roles where rolname = 'authenticated') then
    everybody := everybody || ', authenticated';
  end if;
  execute format('revoke all on operations.servers, operations.known_gaps from %s', everybody);
end
$$;
