-- Jobs and servers of the product, which share one database.

-- Leases of jobs: only the holder of a job's lease may run it, until the lease expires.
create table operations.leases (
  name text primary key,
  holder text not null,
  taken_at timestamptz not null,
  held_until timestamptz not null
);
revoke all on operations.leases from public, anon;
grant all on operations.leases to service_role;

-- The market source and the publication settings of each running server. A command on the same database is refused if it
-- has others. An expired row belongs to a server that was killed.
create table operations.servers (
  name text primary key,
  source text not null,
  folder text,
  -- AUDIENCE, LICENSES and PUBLISH_DELAY as one text.
  publishing text not null,
  seen_until timestamptz not null
);
revoke all on operations.servers from public, anon, service_role;

-- Symbols and days for which no provider has data, with the session of the run that found this. Runs of the same
-- session do not request them again.
create table operations.known_gaps (
  name text primary key,
  session date not null
);
revoke all on operations.known_gaps from public, anon, service_role;

-- The public key that pages contain and the server requires. It is the same in every process on this database, because
-- a page from one of them may read from another. It is not a secret; the first server stores it.
create table operations.public_key (
  only_one boolean primary key default true check (only_one),
  key text not null check (key ~ '^sb_publishable_[A-Za-z0-9_-]{32}$')
);
revoke all on operations.public_key from public, anon, service_role;

-- The most that was ever published of each input: 'derived' or 'value' by name. A server or a run that may publish less is
-- refused, because the ledger refers to the rows and never changes.
create table operations.published_rights (
  only_one boolean primary key default true check (only_one),
  rights jsonb not null
);
revoke all on operations.published_rights from public, anon, service_role;
