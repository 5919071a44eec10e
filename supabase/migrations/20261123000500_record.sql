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
call archive.make_append_only('archive.publications', dated => 'published_at', in_order => 'true');

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
call archive.make_append_only('public.quality_events', dated => 'at', in_order => 'true', is_shown => true);
grant select on public.quality_events to anon;
alter table public.quality_events enable row level security;
create policy "the operator adds events" on public.quality_events for insert to service_role with check (true);
create policy "anybody reads events" on public.quality_events for select to anon, service_role
  using (at <= now() + interval '1 hour');

-- Each change of the verdict that two closes in a row have confirmed, recorded in the transaction that published one of
-- them. The first row records the verdict at the beginning, which is not sent to anybody. Each other row refers to the
-- change before it, to which no second row can refer, even if two processes publish at once.
create table archive.verdict_changes (
  id bigint generated always as identity primary key,
  -- The session of the second close.
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
-- A change also changes the feeds.
call archive.make_append_only('archive.verdict_changes', dated => 'at', in_order => 'true', is_shown => true);

-- The view reads with the rights of its owner, because no other role has rights in the schema archive.
create view public.verdict_changes with (security_barrier) as
  select id, session, at, from_verdict, to_verdict, score, source, formula_version
  from archive.verdict_changes where from_verdict is not null and at <= now() + interval '1 hour';
revoke all on public.verdict_changes from public, anon, service_role;
grant select on public.verdict_changes to anon, service_role;

-- The risk outlook of each week, and its outcome after 20 sessions. `session` is the last session of the week, `outcome_from` the
-- next one: an outlook that is not recorded before that session opens is refused, unless it is of the simulated market and
-- 'rebuilt'. A corrected close adds an outcome that replaces the earlier one.
create table archive.risk_outlooks (
  id bigint generated always as identity primary key,
  kind text not null check (kind in ('outlook', 'outcome')),
  session date not null,
  at timestamptz not null,
  rule text not null check (rule in ('r1')),
  source public.market_source not null check (source <> 'replay'),
  origin text not null default 'live' check (origin in ('live', 'rebuilt')),
  outcome_from date,
  -- The figures of the rule, or for an outcome those of the 20 sessions or the reason why there are none.
  content jsonb not null,
  -- The outlook of an outcome.
  outlook bigint,
  replaces bigint,
  check ((kind = 'outcome') = (outlook is not null)),
  check ((kind = 'outlook') = (outcome_from is not null)),
  check (kind = 'outcome' or replaces is null),
  check (origin = 'live' or source = 'simulated'),
  check (kind = 'outcome' or origin = 'rebuilt'
    or at < (outcome_from + time '09:30') at time zone 'America/New_York'),
  check (outcome_from > session),
  check (outlook < id and replaces < id),
  -- One outlook of a week, one first outcome, and one successor of each outcome, also if two processes write at once.
  unique nulls not distinct (source, session, kind, replaces),
  unique (id, source, session, kind),
  foreign key (outlook) references archive.risk_outlooks,
  foreign key (replaces, source, session, kind) references archive.risk_outlooks (id, source, session, kind)
);
create index risk_outlooks_at on archive.risk_outlooks (at desc);
call archive.make_append_only('archive.risk_outlooks', dated => 'at', in_order => 'new.origin = ''live''', is_shown => true);

-- The ledger: a Merkle tree (RFC 6962) over the decisions, their grades, the hashes of the publications, the quality events,
-- the changes of the verdict and the risk outlooks. Each entry is the canonical JSON (RFC 8785) of one row.
create table archive.ledger_entries (
  index bigint primary key check (index >= 0),
  kind text not null check (kind in ('signal', 'grade', 'publication', 'event', 'change', 'risk')),
  -- The id of the row in the table of its kind, such as mailer.issued_signals.
  row_id bigint not null,
  entry text not null check (octet_length(entry) <= 65535),
  created_at timestamptz not null default now(),
  unique (kind, row_id)
);
create index ledger_entries_created_at on archive.ledger_entries (created_at desc);
call archive.make_append_only('archive.ledger_entries', dated => 'created_at');

-- The seed of the Ed25519 key that signs checkpoints. It has no default row: an import brings its own.
create table archive.ledger_key (
  only_one boolean primary key default true check (only_one),
  seed bytea not null check (octet_length(seed) = 32),
  created_at timestamptz not null default now()
);
call archive.make_append_only('archive.ledger_key');
