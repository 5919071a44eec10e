import { type Database, DURABLE, epochMs, SNAPSHOT, type Transaction } from '#database/port.ts';
import { newestClosedSession, sessionClose } from '#domain/calendar/sessions.ts';
import { INDICES } from '#domain/readings/quotes.ts';
import {
  entrySessionOf,
  exitSessionOf,
  GRADE_RULE,
  type Grade,
  gradeWeeks,
  HORIZONS,
  marketOf,
} from '#domain/record/grade-weeks.ts';
import type { MarketSource } from '#schema/market-source.ts';
import type { SignalGradeRow } from '#schema/record-rows.ts';
import { checkClockNotBehind } from './clock.ts';
import { appendEntries } from './ledger/append-entries.ts';

const SP500 = INDICES.find(({ series }) => series === 'sp500_close')?.symbol ?? null;

type StoredGrade = Pick<
  SignalGradeRow,
  'id' | 'week' | 'horizon_weeks' | 'entry_close' | 'exit_close' | 'change_percent' | 'status'
> & {
  /** True if the grade is dated in the future, by a clock that was ahead. Such a grade is not shown. */
  readonly is_future: boolean;
};

/** True if a grade adds to the stored grade: it is the first one that is shown, or has a late or corrected close. */
function isNews(grade: Grade, stored: StoredGrade | undefined): boolean {
  if (stored === undefined || stored.is_future) return true;
  // When the market is changed, the rows of the former market are deleted. Their absence must not change the grades of
  // its weeks.
  if (grade.voidReason !== null) return false;
  return (
    stored.status === 'void' ||
    stored.entry_close !== grade.entryClose ||
    stored.exit_close !== grade.exitClose ||
    stored.change_percent !== grade.changePercent
  );
}

type NewGrade = Grade & { readonly replaces: number | null };

async function readNewGrades(transaction: Transaction): Promise<NewGrade[]> {
  const decided = await transaction.query<{ week: string; decidedAt: number; source: MarketSource | null }>(
    `select week, ${epochMs('decided_at')} as "decidedAt", source from mailer.issued_signals order by week`,
  );
  const [newest] = await transaction.query<{ at: number | null }>(
    `select ${epochMs('max(created_at)')} as at from public.market_indices where symbol = $1`,
    [SP500],
  );
  if (newest?.at == null) return [];
  const sessions = decided.flatMap(({ decidedAt }) => [
    entrySessionOf(decidedAt),
    ...HORIZONS.map((horizon) => exitSessionOf(decidedAt, horizon)),
  ]);
  const wanted = [...new Set(sessions)].map((session) => ({
    session,
    at: new Date(sessionClose(session)).toISOString(),
  }));
  // A published row without a price hides a provider's number. The change since then may still be published, so it is
  // computed from the stored series.
  const closes = await transaction.query<{
    session: string;
    price: number;
    isHidden: boolean;
    source: MarketSource | null;
  }>(
    `select session, coalesce(price, value) as price, price is null as "isHidden", source from public.market_indices
     join json_to_recordset($2::json) as wanted (session date, at timestamptz) on at = created_at
     left join (select session, value from collector.series where name = 'sp500_close') as stored using (session)
     where symbol = $1 and coalesce(price, value) is not null`,
    [SP500, JSON.stringify(wanted)],
  );
  const hidden = new Set(closes.flatMap(({ session, isHidden }) => (isHidden ? [session] : [])));
  const shown = (session: string, close: number | null) => (hidden.has(session) ? null : close);
  const stored = await transaction.query<StoredGrade>(
    `select distinct on (week, horizon_weeks) id, week, horizon_weeks, entry_close, exit_close, change_percent, status,
       graded_at > now() + interval '1 hour' as is_future
     from mailer.grades where rule = $1 order by week, horizon_weeks, id desc`,
    [GRADE_RULE],
  );
  const storedOf = new Map(stored.map((row) => [`${row.week} ${row.horizon_weeks}`, row]));
  const inMarket = <Row extends { source: MarketSource | null }>(row: Row) => ({
    ...row,
    market: marketOf(row.source),
  });
  const grades = gradeWeeks(decided.map(inMarket), {
    closes: closes.map(inMarket),
    newestSession: newestClosedSession(newest.at),
  });
  return grades.flatMap((each) => {
    const grade = {
      ...each,
      entryClose: shown(each.entrySession, each.entryClose),
      exitClose: shown(each.exitSession, each.exitClose),
    };
    const before = storedOf.get(`${grade.week} ${grade.horizonWeeks}`);
    return isNews(grade, before) ? [{ ...grade, replaces: before?.id ?? null }] : [];
  });
}

/** Grades all ended windows, again after a late or corrected close. Returns how many are new. Safe to repeat. */
export async function gradeDecisions(database: Database, now: number): Promise<number> {
  await checkClockNotBehind(database, now);
  const grades = await database.transaction(readNewGrades, SNAPSHOT);
  if (grades.length === 0) return 0;
  const rows = grades.map(({ voidReason, ...grade }) => ({
    ...grade,
    status: voidReason === null ? 'graded' : 'void',
    reason: voidReason,
  }));
  return database.transaction(async (transaction) => {
    const added = await transaction.query(
      `insert into mailer.grades (week, horizon_weeks, rule, entry_session, entry_close, exit_session, exit_close,
           change_percent, status, reason, graded_at, replaces)
         select week, "horizonWeeks", $2, "entrySession", "entryClose", "exitSession", "exitClose", "changePercent",
           status, reason, $3::timestamptz, replaces
         from json_to_recordset($1::json) as grade (week date, "horizonWeeks" integer, "entrySession" date,
           "entryClose" double precision, "exitSession" date, "exitClose" double precision,
           "changePercent" double precision, status text, reason text, replaces bigint)
         order by week, "horizonWeeks"
         on conflict do nothing returning id`,
      [JSON.stringify(rows), GRADE_RULE, new Date(now).toISOString()],
    );
    await appendEntries(transaction);
    return added.length;
  }, DURABLE);
}
