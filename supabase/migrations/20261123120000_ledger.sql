-- The ledger: a Merkle tree (RFC 6962) over the decisions, their grades, the hashes of the pages of each session, the hashes
-- of the publications, the quality events and the changes of the verdict. Each entry is the canonical JSON (RFC 8785) of one
-- row.

create table archive.ledger_entries (
  index bigint primary key check (index >= 0),
  kind text not null check (kind in ('signal', 'grade', 'day', 'publication', 'event', 'change')),
  -- The id of the row in the table of its kind, such as mailer.issued_signals.
  row_id bigint not null,
  entry text not null check (octet_length(entry) <= 65535),
  created_at timestamptz not null default now(),
  unique (kind, row_id)
);
create index ledger_entries_created_at on archive.ledger_entries (created_at desc);

create trigger future_row_refused after insert on archive.ledger_entries
  for each row when (new.created_at > clock_timestamp() + interval '1 hour')
  execute function operations.refuse_future_row('created_at');
alter table archive.ledger_entries enable always trigger future_row_refused;

-- The seed of the Ed25519 key that signs checkpoints. It has no default row: an import brings its own.
create table archive.ledger_key (
  only_one boolean primary key default true check (only_one),
  seed bytea not null check (octet_length(seed) = 32),
  created_at timestamptz not null default now()
);

do $$
declare
  name text;
  everybody text := 'public, anon, service_role';
begin
  if exists (select from pg_roles where rolname = 'authenticated') then
    everybody := everybody || ', authenticated';
  end if;
  foreach name in array array['ledger_entries', 'ledger_key'] loop
    execute format('create trigger rows_stand before update or delete on archive.%I
      for each row execute function archive.refuse_change()', name);
    execute format('create trigger rows_stay before truncate on archive.%I
      for each statement execute function archive.refuse_change()', name);
    -- Also where a session turns ordinary triggers off, as a replica does.
    execute format('alter table archive.%I enable always trigger rows_stand, enable always trigger rows_stay', name);
    execute format('revoke all on archive.%I from %s', name, everybody);
    execute format('grant select, insert on archive.%I to service_role', name);
  end loop;
end
$$;
