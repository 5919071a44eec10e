import { type Database, DURABLE, SNAPSHOT, type Transaction } from '#database/port.ts';
import { weekStart } from '#domain/calendar/iso-week.ts';
import {
  newestClosedSession,
  nextSession,
  previousSession,
  publicationKind,
  sessionClose,
  sessionOpen,
} from '#domain/calendar/sessions.ts';
import { GRACE_SESSIONS } from '#domain/record/grade-weeks.ts';
import { judgeWeeks } from '#domain/risk/judgement.ts';
import { RISK_RULE, type RiskWeek, riskWeeks } from '#domain/risk/outlook.ts';
import { type DailyCloses, OUTLOOK_SESSIONS, outcomeOf } from '#domain/risk/past-weeks.ts';
import type { RecordedOutcome, RecordedOutlook, RecordedWeek } from '#domain/risk/recorded.ts';
import { worstByBand } from '#domain/risk/worst-by-band.ts';
import type { MarketSource } from '#schema/market-source.ts';
import type { RiskRecord } from '#views/risk-view.ts';
import { appendEntries } from './ledger/append-entries.ts';

/** Weeks of the simulated market whose outlooks are computed later, as those of its weekly signals are: four years. */
const REBUILT_WEEKS = 208;

async function readCloses(transaction: Transaction): Promise<DailyCloses> {
  const [row] = await transaction.query<{ closes: [string, number | null, number | null][] | null }>(
    `select json_agg(json_build_array(session, sp500, vix) order by session) as closes from (
       select session, max(value) filter (where name = 'sp500_close') as sp500,
         max(value) filter (where name = 'vix_close') as vix
       from collector.series where name in ('sp500_close', 'vix_close') group by session) as days`,
  );
  const days = row?.closes ?? [];
  return {
    sessions: days.map(([session]) => session),
    closes: Float64Array.from(days, ([, close]) => close ?? Number.NaN),
    vix: Float64Array.from(days, ([, , vix]) => vix ?? Number.NaN),
  };
}

interface StoredOutlook {
  readonly session: string;
  readonly outcomeId: number | null;
  readonly outcome: RecordedOutcome | null;
}

interface NewRow {
  readonly kind: 'outlook' | 'outcome';
  readonly session: string;
  readonly at: number;
  readonly origin: 'live' | 'rebuilt';
  readonly content: RecordedOutlook | RecordedOutcome;
  readonly replaces?: number | null;
}

/** The newest session with a close, if it ends its week and its outlook may be recorded now; null otherwise. */
function dueSession({ sessions, closes, vix }: DailyCloses, now: number): string | null {
  const at = closes.findLastIndex((close) => !Number.isNaN(close));
  const session = sessions[at];
  if (session === undefined || session !== newestClosedSession(now)) return null;
  const next = nextSession(session);
  const hasInputs = !Number.isNaN(vix[at] ?? Number.NaN) || publicationKind(session, now) === 'final';
  return endsWeek(session) && now < sessionOpen(next) && hasInputs ? session : null;
}

const endsWeek = (session: string) => weekStart(nextSession(session)) !== weekStart(session);

const withOutcome = ({ outlook, outcome }: RiskWeek) => (outcome === null ? [] : [{ outlook, outcome }]);

/** Returns the outlook of the week that is over, and the past of a simulated market that has no outlook. */
function newOutlooks(
  closes: DailyCloses,
  { stored, source, now }: { stored: readonly StoredOutlook[]; source: MarketSource; now: number },
): NewRow[] {
  const due = dueSession(closes, now);
  const isDue = due !== null && !stored.some(({ session }) => session === due);
  const isRebuilt = source === 'simulated' && stored.length === 0;
  if (!isDue && !isRebuilt) return [];
  const weeks = riskWeeks(closes);
  const past = isRebuilt
    ? weeks.filter(
        ({ outlook: { session } }) => endsWeek(session) && sessionOpen(nextSession(session)) <= now,
      )
    : [];
  const rebuilt = past.slice(-REBUILT_WEEKS);
  const newest = isDue ? weeks.find(({ outlook }) => outlook.session === due) : rebuilt.at(-1);
  const context = {
    bands: worstByBand(closes),
    past: judgeWeeks(weeks.flatMap(withOutcome)),
    ...(closes.sessions[0] !== undefined && { since: closes.sessions[0] }),
  };
  const rowOf = (week: RiskWeek, origin: NewRow['origin']): NewRow => {
    const { session } = week.outlook;
    const at = origin === 'live' ? now : sessionClose(session);
    const content = week === newest ? { ...week.outlook, ...context } : week.outlook;
    return { kind: 'outlook', session, at, origin, content };
  };
  return [
    ...rebuilt.map((week) => rowOf(week, 'rebuilt')),
    ...(isDue && newest !== undefined ? [rowOf(newest, 'live')] : []),
  ];
}

/** The outcome of the 20 sessions after one; null while one of them or its close may still come. */
function outcomeAfter(
  session: string,
  closeOf: ReadonlyMap<string, number>,
  newest: string,
): RecordedOutcome | null {
  const sessions = Array.from({ length: OUTLOOK_SESSIONS + 1 }, (_, at) => nextSession(session, at));
  const end = sessions.at(-1) ?? session;
  if (end > newest) return null;
  const missing = sessions.findLast((day) => !closeOf.has(day));
  if (missing === undefined) {
    const outcome = outcomeOf(sessions.map((day) => closeOf.get(day) ?? Number.NaN));
    return (
      outcome ?? {
        voidReason: `The closes of the S&P 500 after ${session} have a move of more than 30 % in one session.`,
      }
    );
  }
  return missing > previousSession(newest, GRACE_SESSIONS)
    ? null
    : { voidReason: `No S&P 500 close of ${missing} is stored.` };
}

/** True if an outcome adds to the stored one: it is the first one, or a close has arrived or was corrected. */
function isNews(outcome: RecordedOutcome, stored: RecordedOutcome | null): boolean {
  if (stored === null) return true;
  if ('voidReason' in outcome) return false;
  if ('voidReason' in stored) return true;
  // Postgres keeps numbers exactly; a recomputed one is equal unless a close changed.
  return stored.volatility !== outcome.volatility || stored.worst !== outcome.worst;
}

function newOutcomes(closes: DailyCloses, outlooks: readonly StoredOutlook[], now: number): NewRow[] {
  const closeOf = new Map(
    closes.sessions.flatMap((session, at) => {
      const close = closes.closes[at] ?? Number.NaN;
      return Number.isNaN(close) ? [] : [[session, close] as const];
    }),
  );
  const newest = [...closeOf.keys()].at(-1) ?? '';
  return outlooks.flatMap(({ session, outcomeId, outcome: before }): NewRow[] => {
    const content = outcomeAfter(session, closeOf, newest);
    if (content === null || !isNews(content, before)) return [];
    return [{ kind: 'outcome', session, at: now, origin: 'live', content, replaces: outcomeId }];
  });
}

/**
 * Records the risk outlook of the week that is over, if its next session has not opened, the outcomes of earlier ones, and
 * the past of the simulated market. Returns the number of new rows. Safe to repeat. `now` is epoch ms.
 */
export async function recordRisk(database: Database, now: number): Promise<number> {
  const read = await database.transaction(async (transaction) => {
    const [owner] = await transaction.query<{ source: MarketSource }>('select source from collector.holding');
    // The sessions of a replay are moved, so they have no next session.
    if (owner === undefined || owner.source === 'replay') return null;
    const stored = await transaction.query<StoredOutlook>(
      `select outlook.session, newest.id as "outcomeId", newest.content as outcome
         from archive.risk_outlooks as outlook left join lateral (
           select id, content from archive.risk_outlooks as outcome where outcome.outlook = outlook.id order by id desc limit 1
         ) as newest on true
         where kind = 'outlook' and source = $1 order by outlook.id`,
      [owner.source],
    );
    return { source: owner.source, stored, closes: await readCloses(transaction) };
  }, SNAPSHOT);
  if (read === null) return 0;
  const { source, stored, closes } = read;
  const outlooks = newOutlooks(closes, { stored, source, now });
  const known = outlooks.map(({ session }) => ({ session, outcomeId: null, outcome: null }));
  const rows = [...outlooks, ...newOutcomes(closes, [...stored, ...known], now)];
  if (rows.length === 0) return 0;
  const written = rows.map(({ at, ...row }) => ({
    ...{ ...row, at: new Date(at).toISOString() },
    outcome_from: row.kind === 'outlook' ? nextSession(row.session) : null,
  }));
  return database.transaction(async (transaction) => {
    let added = 0;
    for (const kind of ['outlook', 'outcome']) {
      const inserted = await transaction.query(
        `insert into archive.risk_outlooks (kind, session, at, rule, source, origin, outcome_from, content, outlook, replaces)
             select new.kind, new.session, new.at, $2, $3, new.origin, new.outcome_from, new.content, stated.id, new.replaces
             from json_to_recordset($1::json) as new (kind text, session date, at timestamptz, origin text, outcome_from date,
               content jsonb, replaces bigint)
             left join archive.risk_outlooks as stated on new.kind = 'outcome' and stated.kind = 'outlook'
               and stated.source = $3 and stated.session = new.session
             order by new.session on conflict do nothing returning id`,
        [JSON.stringify(written.filter((row) => row.kind === kind)), RISK_RULE, source],
      );
      added += inserted.length;
    }
    await appendEntries(transaction);
    return added;
  }, DURABLE);
}

export async function readNewestOutlook(transaction: Transaction): Promise<RecordedOutlook | null> {
  const [row] = await transaction.query<{ content: RecordedOutlook }>(
    `select content from archive.risk_outlooks join collector.holding using (source)
     where kind = 'outlook' and at <= now() + interval '1 hour' order by session desc limit 1`,
  );
  return row?.content ?? null;
}

/** Reads the record of the market whose closes are stored. Leaves out the rows of the future that a wrong clock has left. */
export async function readRiskRecord(transaction: Transaction): Promise<RiskRecord> {
  const [owner] = await transaction.query<{ source: MarketSource; since: string | null }>(
    `select source, (select min(session) from collector.series where name = 'sp500_close') as since from collector.holding`,
  );
  const [forbidding] = await transaction.query(
    `select from operations.published_rights
     where rights ->> 'sp500_close' is distinct from 'value' or rights ->> 'vix_close' is distinct from 'value'`,
  );
  const [stress = null] = await transaction.query<{ session: string; value: number }>(
    `select session, value from collector.series where name = 'ofr_stress_index' order by session desc limit 1`,
  );
  const weeks = await transaction.query<RecordedWeek>(
    `select origin, content as outlook, (
       select content from archive.risk_outlooks as outcome where outcome.outlook = stated.id
         and at <= now() + interval '1 hour' order by id desc limit 1) as outcome
     from archive.risk_outlooks as stated
     where kind = 'outlook' and source = $1 and at <= now() + interval '1 hour' order by session`,
    [owner?.source ?? null],
  );
  return {
    source: owner?.source ?? null,
    weeks,
    closesSince: owner?.since ?? null,
    isForbidden: forbidding !== undefined,
    stress,
  };
}
