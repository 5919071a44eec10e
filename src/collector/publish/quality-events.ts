import { epochMs, type Transaction } from '#database/port.ts';
import {
  bondSessionsAfter,
  isSessionClose,
  marketDay,
  newestOpenedSession,
  newestPublishableSession,
  previousSession,
  publicationKind,
  sessionClose,
} from '#domain/calendar/sessions.ts';
import { SIGNAL_FORMULA } from '#domain/signal/decide-signal.ts';
import type { InputOrigin } from '../history/source.ts';
import { toIso } from '../instants.ts';
import { lateOf } from '../live/plan.ts';
import { MISSED_AFTER, missedPeriods, newestPeriod, nextPeriod } from '../periods.ts';
import type { ProblemSummary } from '../problems.ts';
import type { ProviderCalls } from '../providers/provider.ts';
import type { BatchOrigins } from './origins.ts';
import type { Correction } from './publications.ts';

/** A fault of the data, or the end of a fault. All texts are our own; none comes from a provider. */
interface QualityEvent {
  readonly session: string | null;
  readonly kind:
    | 'missing'
    | 'late'
    | 'corrected'
    | 'refused'
    | 'provider down'
    | 'missed run'
    | 'universe changed';
  readonly input?: string;
  readonly provider?: string;
  readonly detail?: string;
  readonly before?: string;
  readonly after?: string;
  /** Identifies the event among all events of its kind and session. */
  readonly key: string;
}

export interface RunQuality {
  /** Epoch ms. */
  readonly now: number;
  /** Number of sessions after which a session is published; 0 by default. */
  readonly delay?: number | undefined;
  readonly batches: readonly BatchOrigins[];
  readonly corrections: readonly Correction[];
  readonly refusals: readonly ProblemSummary[];
  readonly calls: readonly ProviderCalls[];
}

/** Columns, by table, that a late input cannot change. A different value in them is a correction. */
const CORRECTED_COLUMNS: Readonly<Record<string, readonly string[]>> = {
  market_indices: ['price'],
  market_metrics: ['market_exposure'],
  advanced_indicators: ['vix', 'put_call_ratio'],
  market_breadth: ['advancing_stocks', 'declining_stocks'],
};

/** Adds the quality events of a run, in the run's transaction. Leaves events alone that are already recorded. */
export async function writeQualityEvents(transaction: Transaction, run: RunQuality): Promise<void> {
  const events = [
    ...(await missedRuns(transaction, run)),
    ...providersDown(run),
    ...refusedRows(run),
    ...(await absentInputs(transaction, run)),
    ...correctedValues(run),
    ...(await changedUniverse(transaction, run)),
  ];
  const at = toIso(run.now);
  await addEvents(transaction, events, at);
  await addCompleted(transaction, run);
  await transaction.query(
    `insert into public.quality_events (at, session, kind, detail, event_key)
     select $1, session, 'withheld', 'The weekly signal was withheld.', 'withheld ' || week
     from mailer.issued_signals where status = 'withheld' and origin = 'live' and decided_at <= $1 order by week
     on conflict (event_key) do nothing`,
    [at],
  );
  await transaction.query(
    `insert into public.quality_events (at, kind, before, after, event_key)
     select $1, 'formula changed', formula_version, $2::text, concat('formula changed ', formula_version, ' to ', $2::text)
     from (
       select formula_version from archive.publications
       where formula_version is not null and published_at < $1 order by id desc limit 1
     ) as newest
     where formula_version <> $2::text
     on conflict (event_key) do nothing`,
    [at, SIGNAL_FORMULA],
  );
}

/** Adds the quality events of a failed run. One that failed after it published has them already. */
export async function writeFailureEvents(
  transaction: Transaction,
  run: Pick<RunQuality, 'now' | 'refusals' | 'calls'>,
): Promise<void> {
  await addEvents(transaction, [...providersDown(run), ...refusedRows(run)], toIso(run.now));
}

async function addEvents(
  transaction: Transaction,
  events: readonly QualityEvent[],
  at: string,
): Promise<void> {
  if (events.length === 0) return;
  await transaction.query(
    `insert into public.quality_events (at, session, kind, input, provider, detail, before, after, event_key)
     select $2, session, kind, input, provider, detail, before, after, left(concat_ws(' ', kind, session, key), 200)
     from json_to_recordset($1::json) as event (session date, kind text, input text, provider text, detail text,
       before text, after text, key text)
     on conflict (event_key) do nothing`,
    [JSON.stringify(events), at],
  );
}

/** True if the newest value of an input is of the given session, or as old as an input may be that is published late. */
function isOnTime({ input, session: of }: InputOrigin, session: string): boolean {
  if (of === null) return false;
  const late = lateOf(input);
  return of >= session || (late > 0 && bondSessionsAfter(of, session) <= late);
}

const closingBatches = ({ batches }: RunQuality) =>
  batches
    .filter(({ createdAt }) => isSessionClose(createdAt))
    .map(({ createdAt, origins }) => ({ session: marketDay(createdAt), origins }));

/** Inputs without a value of the newest session after its final run. Leaves out inputs that never had a value. */
async function absentInputs(transaction: Transaction, run: RunQuality): Promise<QualityEvent[]> {
  const session = newestPublishableSession(run.now, run.delay ?? 0);
  if (publicationKind(session, run.now) !== 'final') return [];
  const origins = closingBatches(run).find((batch) => batch.session === session)?.origins ?? [];
  const absent = origins.filter((origin) => !isOnTime(origin, session));
  if (absent.length === 0) return [];
  const known = await transaction.query<{ input: string }>(
    'select distinct input from public.input_origins where provider is not null and created_at < $1',
    [toIso(sessionClose(session))],
  );
  const hadValue = new Set(known.map(({ input }) => input));
  return absent
    .filter(({ input }) => hadValue.has(input))
    .map(({ input, session: of }) =>
      of === null
        ? { session, kind: 'missing', input, key: input }
        : { session, kind: 'late', input, detail: `newest value of ${of}`, key: input },
    );
}

/** Adds a 'completed' event for each missing or late input whose value has arrived. */
async function addCompleted(transaction: Transaction, run: RunQuality): Promise<void> {
  const complete = closingBatches(run).flatMap(({ session, origins }) =>
    origins.flatMap((origin) => {
      const { input, provider } = origin;
      return isOnTime(origin, session) ? [{ session, input, provider }] : [];
    }),
  );
  if (complete.length === 0) return;
  await transaction.query(
    `insert into public.quality_events (at, session, kind, input, provider, event_key)
     select $2, session, 'completed', input, provider, concat_ws(' ', 'completed', session, input)
     from json_to_recordset($1::json) as complete (session date, input text, provider text)
     where exists (
       select from public.quality_events gap
       where gap.event_key in (
         concat_ws(' ', 'missing', complete.session, complete.input), concat_ws(' ', 'late', complete.session, complete.input))
     )
     on conflict (event_key) do nothing`,
    [JSON.stringify(complete), toIso(run.now)],
  );
}

/** Closing values that the run replaced with other values. */
function correctedValues({ corrections }: RunQuality): QualityEvent[] {
  return corrections.flatMap(({ table, session, before, after }) => {
    if (before === null || after === null || before.universe !== after.universe) return [];
    return (CORRECTED_COLUMNS[table] ?? []).flatMap((column): QualityEvent[] => {
      const [was, is] = [before[column], after[column]];
      if (typeof was !== 'number' || typeof is !== 'number' || was === is) return [];
      const input = [table, before.symbol, column].filter((word) => word !== undefined).join(' ');
      const [old, value] = [String(was), String(is)];
      return [
        { session, kind: 'corrected', input, before: old, after: value, key: `${input} ${old} ${value}` },
      ];
    });
  });
}

/** Providers of which every request of the run failed. The session is the newest one at the time of the run. */
function providersDown({ now, calls }: Pick<RunQuality, 'now' | 'calls'>): QualityEvent[] {
  return calls.flatMap(({ provider, requests, failures }): QualityEvent[] => {
    const failed = Object.values(failures).reduce((sum, count) => sum + count, 0);
    if (requests === 0 || failed < requests) return [];
    const detail = `${failed} of ${requests} requests failed: ${Object.keys(failures).join(', ')}`;
    return [{ session: newestOpenedSession(now), kind: 'provider down', provider, detail, key: provider }];
  });
}

/** Rows that the run refused, by kind. The session is the newest one at the time of the run. */
function refusedRows({ now, refusals }: Pick<RunQuality, 'now' | 'refusals'>): QualityEvent[] {
  return refusals.map(({ kind, count }) => ({
    session: newestOpenedSession(now),
    kind: 'refused',
    detail: `${kind}: ${count} ${count === 1 ? 'row' : 'rows'}`,
    key: kind,
  }));
}

/** Periods missed since the last successful run. Ignores later periods, recorded by a process with a wrong clock. */
async function missedRuns(transaction: Transaction, { now }: RunQuality): Promise<QualityEvent[]> {
  const [last] = await transaction.query<{ done: number | null }>(
    `select ${epochMs('max(period)')} as done from collector.runs where status = 'succeeded' and period <= $1`,
    [toIso(now)],
  );
  const done = last?.done ?? null;
  const count = done === null ? 0 : missedPeriods(done, now);
  if (done === null || count === 0) return [];
  const first = marketDay(nextPeriod(done));
  const session = marketDay(newestPeriod(now - MISSED_AFTER));
  const runs = `${count} scheduled ${count === 1 ? 'run' : 'runs'}`;
  const detail = first === session ? runs : `${runs} since ${first}`;
  return [{ session, kind: 'missed run', detail, key: toIso(done) }];
}

/** A change of the counted stocks since the session before, if that was live: a backfill lacks the exchange's counts. */
async function changedUniverse(
  transaction: Transaction,
  { now, delay = 0 }: RunQuality,
): Promise<QualityEvent[]> {
  const session = newestPublishableSession(now, delay);
  if (publicationKind(session, now) !== 'final') return [];
  const [change] = await transaction.query<{ before: string; after: string }>(
    `select before.universe as before, after.universe as after
     from public.market_breadth before join public.market_breadth after on before.universe <> after.universe
     where before.created_at = $1 and after.created_at = $2 and exists (
       select from archive.publications where created_at_batch = before.created_at and origin = 'live'
     )`,
    [toIso(sessionClose(previousSession(session))), toIso(sessionClose(session))],
  );
  if (change === undefined) return [];
  const { before, after } = change;
  return [{ session, kind: 'universe changed', before, after, key: `${before} ${after}` }];
}
