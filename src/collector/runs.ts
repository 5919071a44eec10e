import type { Database } from '#database/port.ts';
import type { MarketSource } from '#schema/market-source.ts';
import type { InputOrigin } from './origins.ts';
import { printable, printableJson } from './printable.ts';
import type { ProblemSummary, Problems } from './problems.ts';
import type { ProviderCalls } from './providers/http-client.ts';

export type Job = 'collect' | 'backfill';

/** What a run did, as its record says. */
export interface RunReport {
  job: Job;
  source: MarketSource;
  firstSession: string | null;
  lastSession: string | null;
  rowsWritten: number;
  rowsRefused: number;
  /** Why rows were refused, the first of each kind in words. */
  refusals: readonly ProblemSummary[];
  /** What cost no row but should be looked at. */
  notes: readonly ProblemSummary[];
  /** What was asked of each provider; none for a source that asks none. */
  providers: readonly ProviderCalls[];
  /** Where the inputs of the last session come from; none for a source that is one and the same. */
  origins: readonly InputOrigin[];
}

/** What a record says of a run beside what it did. */
export interface RunDescription {
  job: Job;
  source: MarketSource;
  now: () => number;
  problems: Problems;
  /** The instant it is due at (epoch ms); null when nobody's schedule asked for it. */
  period: number | null;
  /** What has been asked of providers so far. */
  calls: () => readonly ProviderCalls[];
}

/**
 * Runs `work` with a record of it in collector.runs: running, then succeeded with what it did, or failed with
 * why; with what the providers were asked either way. Only one run is under way at a time, so what is still
 * running was killed. Throws what `work` throws.
 */
export async function recordRun(
  database: Database,
  { job, source, now, problems, period, calls }: RunDescription,
  work: () => Promise<Pick<RunReport, 'firstSession' | 'lastSession' | 'rowsWritten' | 'origins'>>,
): Promise<RunReport> {
  const started = new Date(now()).toISOString();
  const id = await database.transaction(async (transaction) => {
    await transaction.query(
      `update collector.runs set status = 'failed', finished_at = $1, error = 'The run ended before it was done.'
       where status = 'running'`,
      [started],
    );
    const [row] = await transaction.query<{ id: number }>(
      `insert into collector.runs (job, source, started_at, status, period)
       values ($1, $2, $3, 'running', $4) returning id`,
      [job, source, started, period === null ? null : new Date(period).toISOString()],
    );
    return row?.id ?? 0;
  });
  const finish = (sql: string, parameters: (string | number | null)[]) =>
    database.transaction((transaction) =>
      transaction.query(
        `update collector.runs set finished_at = $2, rows_refused = $3, problems = $4, providers = $5, ${sql}
         where id = $1`,
        [
          id,
          new Date(now()).toISOString(),
          problems.refused,
          printableJson([...problems.refusals(), ...problems.notes()]),
          printableJson(calls()),
          ...parameters,
        ],
      ),
    );
  try {
    const { firstSession, lastSession, rowsWritten, origins } = await work();
    await finish(
      `status = 'succeeded', first_session = $6, last_session = $7, rows_written = $8, origins = $9`,
      [firstSession, lastSession, rowsWritten, printableJson(origins)],
    );
    return {
      job,
      source,
      firstSession,
      lastSession,
      rowsWritten,
      rowsRefused: problems.refused,
      refusals: problems.refusals(),
      notes: problems.notes(),
      providers: calls(),
      origins,
    };
  } catch (error) {
    // The record is worth less than the reason: a database that is gone cannot take it, and that is the reason.
    await finish(`status = 'failed', error = $6`, [printable(messageOf(error))]).catch(() => undefined);
    throw error;
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
