-- Grades of the weekly signal: the change of the S&P 500 after each decision, by a rule that was fixed before the first
-- grade. Two views make the decisions and their grades public, without mails and addresses.

create table mailer.grades (
  id bigint generated always as identity primary key,
  week date not null references mailer.issued_signals (week),
  horizon_weeks integer not null check (horizon_weeks in (1, 4, 13)),
  rule text not null check (rule in ('g2')),
  entry_session date,
  entry_close public.finite_number check (entry_close > 0),
  exit_session date,
  exit_close public.finite_number check (exit_close > 0),
  change_percent public.finite_number,
  status text not null check (status in ('graded', 'void')),
  reason public.short_text,
  graded_at timestamptz not null default now(),
  -- The grade that this one replaces, because a close was corrected or arrived late.
  replaces bigint,
  check ((status = 'void') = (reason is not null)),
  check ((status = 'graded') = (change_percent is not null)),
  check (status = 'void' or (entry_session < exit_session and entry_close is not null and exit_close is not null)),
  -- One first grade, and one successor of each grade, also if two processes grade at once.
  unique nulls not distinct (week, horizon_weeks, rule, replaces),
  unique (id, week, horizon_weeks, rule),
  foreign key (replaces, week, horizon_weeks, rule) references mailer.grades (id, week, horizon_weeks, rule),
  check (replaces < id)
);
create index grades_graded_at on mailer.grades (graded_at desc);

create trigger grades_stand before update or delete on mailer.grades
  for each row execute function mailer.keep_ledger();
create trigger grades_stay before truncate on mailer.grades
  for each statement execute function mailer.keep_ledger();
create trigger future_row_refused after insert on mailer.grades
  for each row when (new.graded_at > clock_timestamp() + interval '1 hour')
  execute function operations.refuse_future_row('graded_at');
create trigger order_kept before insert on mailer.grades
  for each row execute function operations.keep_order('graded_at');
alter table mailer.grades enable always trigger grades_stand, enable always trigger grades_stay,
  enable always trigger future_row_refused, enable always trigger order_kept;

-- A decision and a grade change what the pages show.
create trigger data_added after insert on mailer.issued_signals
  for each statement execute function operations.note_data_change();
create trigger data_added after insert on mailer.grades
  for each statement execute function operations.note_data_change();
alter table mailer.issued_signals enable always trigger data_added;
alter table mailer.grades enable always trigger data_added;

-- Read with the rights of their owner: nobody else has a way into the schema mailer.
create view public.issued_signals with (security_barrier) as
  select id, week, status, reason, decided_at, session, source, verdict, score, range_low, range_high, sp500_close,
    formula_version, origin, created_at
  from mailer.issued_signals where decided_at <= now() + interval '1 hour';
create view public.signal_grades with (security_barrier) as
  select id, week, horizon_weeks, rule, entry_session, entry_close, exit_session, exit_close, change_percent, status,
    reason, graded_at, replaces
  from mailer.grades where graded_at <= now() + interval '1 hour';

do $$
declare
  everybody text := 'public, anon, service_role';
begin
  if exists (select from pg_roles where rolname = 'authenticated') then
    everybody := everybody || ', authenticated';
  end if;
  execute format('revoke all on mailer.grades, public.issued_signals, public.signal_grades from %s', everybody);
  execute format('revoke all on sequence mailer.grades_id_seq from %s', everybody);
end
$$;
grant select, insert on mailer.grades to service_role;
grant usage on sequence mailer.grades_id_seq to service_role;
grant select on public.issued_signals, public.signal_grades to anon, service_role;
