import type { Database, Transaction } from '#database/port.ts';
import { newestClosedSession, sessionClose } from '#domain/calendar/sessions.ts';
import { INDICES } from '#domain/index-quotes.ts';
import {
  type Close,
  type DecidedWeek,
  entrySessionOf,
  exitSessionOf,
  GRADE_RULE,
  type Grade,
  gradeWeeks,
  HORIZONS,
  marketOf,
} from '#domain/record/grade-weeks.ts';
import type { MarketSource } from '#schema/market-source.ts';
import type { SignalGradeRow } from '#schema/signal-grade.ts';
import { appendEntries } from './ledger/append-entries.ts';

const SP500 = INDICES.find(({ series }) => series === 'sp500_close')?.symbol ?? null;

const epochMs = (column: string) => `(extract(epoch from ${column}) * 1000)::double precision`;

async function readWeeks(transaction: Transaction): Promise<DecidedWeek[]> {
  const rows = await transaction.query<{ week: string; at: number; source: MarketSource | null }>(
    `select week, ${epochMs('decided_at')} as at, source from mailer.issued_signals order by week`,
  );
  return rows.map(({ week, at, source }) => ({ week, decidedAt: at, market: marketOf(source) }));
}

/** Reads the stored closes of sessions. */
async function readCloses(transaction: Transaction, sessions: Iterable<string>): Promise<Close[]> {
  const sessionAt = new Map([...sessions].map((session) => [sessionClose(session), session]));
  const instants = [...sessionAt.keys()].map((instant) => new Date(instant).toISOString());
  const rows = await transaction.query<{ at: number; price: number; source: MarketSource | null }>(
    `select ${epochMs('created_at')} as at, price, source from public.market_indices
     where symbol = $1 and price is not null and created_at = any($2::timestamptz[])`,
    [SP500, `{${instants.join(',')}}`],
  );
  return rows.map(({ at, price, source }) => ({
    session: sessionAt.get(at) ?? '',
    price,
    market: marketOf(source),
  }));
}

/** Returns the newest session whose close can be among the stored rows; null if there are no rows. */
async function readNewestSession(transaction: Transaction): Promise<string | null> {
  const [row] = await transaction.query<{ at: number | null }>(
    `select ${epochMs('max(created_at)')} as at from public.market_indices where symbol = $1`,
    [SP500],
  );
  return row?.at == null ? null : newestClosedSession(row.at);
}

type StoredGrade = Pick<
  SignalGradeRow,
  'id' | 'week' | 'horizon_weeks' | 'entry_close' | 'exit_close' | 'status'
> & {
  /** True if the grade is dated in the future, by a process with a wrong clock. Such a grade is not shown. */
  readonly is_future: boolean;
};

async function readNewestGrades(transaction: Transaction): Promise<Map<string, StoredGrade>> {
  const rows = await transaction.query<StoredGrade & Record<string, unknown>>(
    `select distinct on (week, horizon_weeks) id, week, horizon_weeks, entry_close, exit_close, status,
       graded_at > now() + interval '1 hour' as is_future
     from mailer.grades where rule = $1 order by week, horizon_weeks, id desc`,
    [GRADE_RULE],
  );
  return new Map(rows.map((row) => [`${row.week} ${row.horizon_weeks}`, row]));
}

/** True if a grade adds to the stored grade: it is the first one that is shown, or has a late or corrected close. */
function isNews(grade: Grade, stored: StoredGrade | undefined): boolean {
  if (stored === undefined || stored.is_future) return true;
  // When the market is changed, the rows of the former market are deleted. Their absence must not change the grades of
  // its weeks.
  if (grade.voidReason !== null) return false;
  return (
    stored.status === 'void' ||
    stored.entry_close !== grade.entryClose ||
    stored.exit_close !== grade.exitClose
  );
}

type NewGrade = Grade & { readonly replaces: number | null };

function readNewGrades(database: Database): Promise<NewGrade[]> {
  return database.transaction(
    async (transaction) => {
      const weeks = await readWeeks(transaction);
      const newestSession = await readNewestSession(transaction);
      if (newestSession === null) return [];
      const sessions = new Set(
        weeks.flatMap(({ decidedAt }) => [
          entrySessionOf(decidedAt),
          ...HORIZONS.map((horizon) => exitSessionOf(decidedAt, horizon)),
        ]),
      );
      const closes = await readCloses(transaction, sessions);
      const stored = await readNewestGrades(transaction);
      return gradeWeeks(weeks, { closes, newestSession }).flatMap((grade) => {
        const before = stored.get(`${grade.week} ${grade.horizonWeeks}`);
        return isNews(grade, before) ? [{ ...grade, replaces: before?.id ?? null }] : [];
      });
    },
    { readOnly: true, snapshot: true },
  );
}

/**
 * Adds the grades of all windows that have ended. If a close was corrected or arrived late, adds a grade that replaces
 * the earlier grade. Returns the number of added grades. Nothing is added twice if two processes run it or if it is
 * repeated. `now` is epoch milliseconds.
 */
export async function gradeDecisions(database: Database, now: number): Promise<number> {
  const grades = await readNewGrades(database);
  if (grades.length === 0) return 0;
  const rows = grades.map(({ voidReason, ...grade }) => ({
    ...grade,
    status: voidReason === null ? 'graded' : 'void',
    reason: voidReason,
  }));
  return database.transaction(
    async (transaction) => {
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
    },
    { durable: true },
  );
}
