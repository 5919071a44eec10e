-- The record: the history of the published rows, the faults of the data, the changes of the verdict, and the ledger of them
-- all. Every table is append-only.

-- The history: each closing row set when it was published, replaced or removed. The newest record of a row set equals the
-- tables, and the records up to an id are the tables at that time: past days and corrections are read from them. `rows` holds
-- the rows of each market table, none of a removed row set. It is json, which keeps its text: `sha256` is of that text.
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
create index publications_batch on archive.publications (created_at_batch desc, id desc);
create trigger rows_stand before update or delete on archive.publications
  for each row execute function archive.refuse_change();
create trigger rows_stay before truncate on archive.publications
  for each statement execute function archive.refuse_change();
create trigger future_row_refused after insert on archive.publications
  for each row when (new.published_at > clock_timestamp() + interval '1 hour')
  execute function operations.refuse_future_row('published_at');
create trigger order_kept before insert on archive.publications
  for each row execute function operations.keep_order('published_at');
alter table archive.publications
  enable always trigger rows_stand, enable always trigger rows_stay, enable always trigger future_row_refused,
  enable always trigger order_kept;
revoke all on archive.publications from public, anon, service_role;
revoke all on sequence archive.publications_id_seq from public, anon, service_role;
grant select, insert on archive.publications to service_role;
grant usage on sequence archive.publications_id_seq to service_role;

-- The history without its content.
create view public.publications as
  select id, created_at_batch, session, kind, published_at, source, origin, formula_version, encode(sha256, 'hex') as sha256
  from archive.publications where published_at <= now() + interval '1 hour';
revoke all on public.publications from public, anon, service_role;
grant select on public.publications to anon, service_role;

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
create trigger rows_stand before update or delete on public.quality_events
  for each row execute function archive.refuse_change();
create trigger rows_stay before truncate on public.quality_events
  for each statement execute function archive.refuse_change();
create trigger future_row_refused after insert on public.quality_events
  for each row when (new.at > clock_timestamp() + interval '1 hour')
  execute function operations.refuse_future_row('at');
create trigger order_kept before insert on public.quality_events
  for each row execute function operations.keep_order('at');
-- An event changes what the pages show.
create trigger data_added after insert on public.quality_events
  for each statement execute function operations.note_data_change();
alter table public.quality_events
  enable always trigger rows_stand, enable always trigger rows_stay, enable always trigger future_row_refused,
  enable always trigger order_kept, enable always trigger data_added;
revoke all on public.quality_events from public, anon, service_role;
revoke all on sequence public.quality_events_id_seq from public, anon, service_role;
grant select, insert on public.quality_events to service_role;
grant usage on sequence public.quality_events_id_seq to service_role;
grant select on public.quality_events to anon;
alter table public.quality_events enable row level security;
create policy "the operator adds events" on public.quality_events for insert to service_role with check (true);
create policy "anybody reads events" on public.quality_events for select to anon, service_role
  using (at <= now() + interval '1 hour');

-- Each change of the verdict that has stood for two closing runs, recorded in the transaction that published the second
-- run. The first row records the verdict at the beginning, which is not sent to anybody. Each other row refers to the
-- change before it, to which no second row can refer, even if two processes publish at once.
create table archive.verdict_changes (
  id bigint generated always as identity primary key,
  -- The session of the second closing run.
  session date not null unique,
  at timestamptz not null,
  from_verdict text check (from_verdict in ('BUY', 'HOLD', 'SELL')),
  to_verdict text not null check (to_verdict in ('BUY', 'HOLD', 'SELL')),
  score public.percentage not null,
  source public.market_source not null check (source in ('csv', 'live')),
  formula_version text not null,
  follows bigint references archive.verdict_changes,
  unique nulls not distinct (follows),
  check ((from_verdict is null) = (follows is null)),
  check (from_verdict <> to_verdict),
  check (follows < id)
);
create index verdict_changes_at on archive.verdict_changes (at desc);
create trigger rows_stand before update or delete on archive.verdict_changes
  for each row execute function archive.refuse_change();
create trigger rows_stay before truncate on archive.verdict_changes
  for each statement execute function archive.refuse_change();
create trigger future_row_refused after insert on archive.verdict_changes
  for each row when (new.at > clock_timestamp() + interval '1 hour')
  execute function operations.refuse_future_row('at');
create trigger order_kept before insert on archive.verdict_changes
  for each row execute function operations.keep_order('at');
-- A change also changes the feeds.
create trigger data_added after insert on archive.verdict_changes
  for each statement execute function operations.note_data_change();
alter table archive.verdict_changes
  enable always trigger rows_stand, enable always trigger rows_stay, enable always trigger future_row_refused,
  enable always trigger order_kept, enable always trigger data_added;
revoke all on archive.verdict_changes from public, anon, service_role;
revoke all on sequence archive.verdict_changes_id_seq from public, anon, service_role;
grant select, insert on archive.verdict_changes to service_role;
grant usage on sequence archive.verdict_changes_id_seq to service_role;

-- The view reads with the rights of its owner, because no other role has rights in the schema archive.
create view public.verdict_changes with (security_barrier) as
  select id, session, at, from_verdict, to_verdict, score, source, formula_version
  from archive.verdict_changes where from_verdict is not null and at <= now() + interval '1 hour';
revoke all on public.verdict_changes from public, anon, service_role;
grant select on public.verdict_changes to anon, service_role;

-- The ledger: a Merkle tree (RFC 6962) over the decisions, their grades, the hashes of the publications, the quality events
-- and the changes of the verdict. Each entry is the canonical JSON (RFC 8785) of one row.
create table archive.ledger_entries (
  index bigint primary key check (index >= 0),
  kind text not null check (kind in ('signal', 'grade', 'publication', 'event', 'change')),
  -- The id of the row in the table of its kind, such as mailer.issued_signals.
  row_id bigint not null,
  entry text not null check (octet_length(entry) <= 65535),
  created_at timestamptz not null default now(),
  unique (kind, row_id)
);
create index ledger_entries_created_at on archive.ledger_entries (created_at desc);
create trigger rows_stand before update or delete on archive.ledger_entries
  for each row execute function archive.refuse_change();
create trigger rows_stay before truncate on archive.ledger_entries
  for each statement execute function archive.refuse_change();
create trigger future_row_refused after insert on archive.ledger_entries
  for each row when (new.created_at > clock_timestamp() + interval '1 hour')
  execute function operations.refuse_future_row('created_at');
alter table archive.ledger_entries
  enable always trigger rows_stand, enable always trigger rows_stay, enable always trigger future_row_refused;
revoke all on archive.ledger_entries from public, anon, service_role;
grant select, insert on archive.ledger_entries to service_role;

-- The seed of the Ed25519 key that signs checkpoints. It has no default row: an import brings its own.
create table archive.ledger_key (
  only_one boolean primary key default true check (only_one),
  seed bytea not null check (octet_length(seed) = 32),
  created_at timestamptz not null default now()
);
create trigger rows_stand before update or delete on archive.ledger_key
  for each row execute function archive.refuse_change();
create trigger rows_stay before truncate on archive.ledger_key
  for each statement execute function archive.refuse_change();
alter table archive.ledger_key enable always trigger rows_stand, enable always trigger rows_stay;
revoke all on archive.ledger_key from public, anon, service_role;
grant select, insert on archive.ledger_key to service_role;
