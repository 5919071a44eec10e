import type { Transaction } from '#database/port.ts';
import { bondSessionsAfter } from '#domain/calendar/bond-market.ts';
import { publicationKind } from '#domain/calendar/publication.ts';
import { marketDay, newestClosedSession, previousSession, sessionClose } from '#domain/calendar/sessions.ts';
import { SIGNAL_FORMULA } from '#domain/signal/decide-signal.ts';
import { epochMs, isClosing, toIso } from '../instants.ts';
import { missedPeriods } from '../periods.ts';
import type { ProblemSummary } from '../problems.ts';
import type { ProviderCalls } from '../providers/http-client.ts';
import type { InputOrigin } from '../sources/source.ts';
import type { BatchOrigins } from './origins.ts';

/** A fault of the data, or its end. All texts are ours: none is of a provider. */
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
  /** Identifies the event beside kind and session. */
  readonly key: string;
}

/** The part of a run that events are derived from. */
export interface RunQuality {
  /** Epoch ms. */
  readonly now: number;
  readonly batches: readonly BatchOrigins[];
  readonly refusals: readonly ProblemSummary[];
  readonly calls: readonly ProviderCalls[];
}

/** Inputs that are published on the day after their session, on days when bonds trade. */
const NEXT_DAY: ReadonlySet<string> = new Set([
  'high_yield_oas',
  'investment_grade_oas',
  'treasury_10y_yield',
]);

/** Columns of values that a completed input does not change: another value is a correction. */
const CORRECTED_COLUMNS: Readonly<Record<string, readonly string[]>> = {
  market_indices: ['price'],
  market_metrics: ['market_exposure'],
  advanced_indicators: ['vix', 'put_call_ratio'],
  market_breadth: ['advancing_stocks', 'declining_stocks'],
};

/** Adds the quality events of a run, in its transaction. Events that are recorded already are left alone. */
export async function writeQualityEvents(transaction: Transaction, run: RunQuality): Promise<void> {
  const events = [
    ...(await missedRuns(transaction, run)),
    ...providersDown(run),
    ...refusedRows(run),
    ...(await absentInputs(transaction, run)),
    ...(await correctedValues(transaction, run)),
    ...(await changedUniverse(transaction, run)),
  ];
  const at = toIso(run.now);
  if (events.length > 0) {
    await transaction.query(
      `insert into public.quality_events (at, session, kind, input, provider, detail, before, after, event_key)
       select $2, session, kind, input, provider, detail, before, after, left(concat_ws(' ', kind, session, key), 200)
       from json_to_recordset($1::json) as event (session date, kind text, input text, provider text, detail text,
         before text, after text, key text)
       on conflict (event_key) do nothing`,
      [JSON.stringify(events), at],
    );
  }
  await addCompleted(transaction, run);
  await transaction.query(
    `insert into public.quality_events (at, session, kind, detail, event_key)
     select decided_at, session, 'withheld', 'The weekly signal was withheld.', 'withheld ' || week
     from mailer.issued_signals where status = 'withheld'
     on conflict (event_key) do nothing`,
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

/** True if an input has its value of a session, as far as it can be published on that day. */
function isOnTime({ input, session: of }: InputOrigin, session: string): boolean {
  if (of === null) return false;
  return of >= session || (NEXT_DAY.has(input) && bondSessionsAfter(of, session) <= 1);
}

const closingBatches = ({ batches }: RunQuality) =>
  batches
    .filter(({ createdAt }) => isClosing(createdAt))
    .map(({ createdAt, origins }) => ({ session: marketDay(createdAt), origins }));

/** Inputs without their value of the newest session after its final run. An input that never had a value is none. */
async function absentInputs(transaction: Transaction, run: RunQuality): Promise<QualityEvent[]> {
  const session = newestClosedSession(run.now);
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

/** Ends the missing and late inputs that now have their value. */
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

/** Closing values that were replaced by others in this transaction. */
async function correctedValues(transaction: Transaction, { now }: RunQuality): Promise<QualityEvent[]> {
  type Row = Readonly<Record<string, unknown>>;
  const corrections = await transaction.query<{
    table: string;
    session: string;
    before: Row | null;
    after: Row | null;
  }>(
    `select table_name as table, session, before, after from collector.corrections
     where corrected_at = $1 order by id`,
    [toIso(now)],
  );
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

/** Providers of which every request of the run failed. */
function providersDown({ now, calls }: RunQuality): QualityEvent[] {
  return calls.flatMap(({ provider, requests, failures }): QualityEvent[] => {
    const failed = Object.values(failures).reduce((sum, count) => sum + count, 0);
    if (requests === 0 || failed < requests) return [];
    const detail = `${failed} of ${requests} requests failed: ${Object.keys(failures).join(', ')}`;
    return [{ session: marketDay(now), kind: 'provider down', provider, detail, key: provider }];
  });
}

/** Rows that the run refused, by kind. */
function refusedRows({ now, refusals }: RunQuality): QualityEvent[] {
  return refusals.map(({ kind, count }) => ({
    session: marketDay(now),
    kind: 'refused',
    detail: `${kind}: ${count} ${count === 1 ? 'row' : 'rows'}`,
    key: kind,
  }));
}

/** Periods that no run was done for since the last one. */
async function missedRuns(transaction: Transaction, { now }: RunQuality): Promise<QualityEvent[]> {
  const [last] = await transaction.query<{ done: number | null }>(
    `select ${epochMs('max(period)')} as done from operations.job_runs where job = 'collect' and status = 'succeeded'`,
  );
  const done = last?.done ?? null;
  const count = done === null ? 0 : missedPeriods(done, now);
  if (done === null || count === 0) return [];
  const detail = `${count} ${count === 1 ? 'period' : 'periods'}`;
  return [{ session: marketDay(now), kind: 'missed run', detail, key: toIso(done) }];
}

/** A change of the stocks that are counted, from the session before to the newest one. */
async function changedUniverse(transaction: Transaction, { now }: RunQuality): Promise<QualityEvent[]> {
  const session = newestClosedSession(now);
  if (publicationKind(session, now) !== 'final') return [];
  const universeOf = async (day: string) => {
    const [row] = await transaction.query<{ universe: string | null }>(
      'select universe from public.market_breadth where created_at = $1',
      [toIso(sessionClose(day))],
    );
    return row?.universe ?? null;
  };
  const [before, after] = [await universeOf(previousSession(session)), await universeOf(session)];
  if (before === null || after === null || before === after) return [];
  return [{ session, kind: 'universe changed', before, after, key: `${before} ${after}` }];
}
