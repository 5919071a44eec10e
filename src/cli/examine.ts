import { stat } from 'node:fs/promises';
import { IS_FUTURE } from '#collector/database-clock.ts';
import { latenessOf } from '#collector/freshness.ts';
import { isUnderWay } from '#database/moving/progress.ts';
import type { Database, Transaction } from '#database/port.ts';
import { marketDay } from '#domain/calendar/sessions.ts';
import { SESSIONS_NEEDED } from '#domain/fear-greed/score.ts';
import type { MarketSource } from '#schema/market-source.ts';
import { MARKET_TABLES } from '#schema/tables.ts';
import type { Environment } from './environment.ts';
import { examineCalls } from './examine-calls.ts';
import { examineFutureRows } from './examine-future-rows.ts';
import { examineJobs } from './examine-jobs.ts';
import { examineMailSettings, examineSignal } from './examine-mail.ts';
import { examinePlan, examineUniverse } from './examine-plan.ts';
import { examinePostgres } from './examine-postgres.ts';
import { examineSmtp } from './examine-smtp.ts';
import { type Finding, fine, note, wrong } from './finding.ts';

const LOOPBACK = ['127.0.0.1', '::1', 'localhost'];

async function examineTable(transaction: Transaction, table: string, now: number): Promise<Finding> {
  const [row] = await transaction.query<{ at: string | null; source: MarketSource | null }>(
    `select created_at as at, source from public.${table} where not ${IS_FUTURE} order by created_at desc limit 1`,
  );
  if (!row?.at) {
    const needs =
      table === 'fear_greed_index'
        ? ` The index needs ${SESSIONS_NEEDED.first} sessions of history, ${SESSIONS_NEEDED.full} for a full one.`
        : '';
    return wrong(`${table} is empty: run backfill.${needs}`);
  }
  const at = Date.parse(row.at);
  const session = marketDay(at);
  const { sessionsBehind, isBehindWithinSession } = latenessOf({ at, source: row.source }, now);
  const origin = row.source === null ? 'of unknown origin' : `from ${row.source}`;
  const newest = `${table}: newest of session ${session}, ${origin}`;
  if (sessionsBehind > 0) {
    return wrong(
      `${newest}, ${sessionsBehind} ${sessionsBehind === 1 ? 'session' : 'sessions'} behind: run collect.`,
    );
  }
  return isBehindWithinSession
    ? wrong(`${newest}, which has had nothing of the session under way for two hours: run collect.`)
    : fine(newest);
}

async function examineLastRun(transaction: Transaction): Promise<Finding> {
  const [run] = await transaction.query<{
    job: string;
    at: string;
    status: string;
    refused: number;
    error: string | null;
  }>(
    `select job, started_at as at, status, rows_refused as refused, error
     from collector.runs order by id desc limit 1`,
  );
  if (run === undefined) return note('No run of the collector yet.');
  const when = `The last run (${run.job}, ${run.at})`;
  if (run.status === 'failed') return wrong(`${when} failed: ${run.error ?? 'it left no reason'}`);
  const refused = run.refused > 0 ? ` and refused ${run.refused} rows; collector.runs names them` : '';
  return refused === '' ? fine(`${when} ${run.status}.`) : note(`${when} ${run.status}${refused}.`);
}

async function examineSource(environment: Environment): Promise<Finding[]> {
  const { marketSource, marketCsvFolder } = environment;
  if (marketSource === 'simulated') return [note('MARKET_SOURCE is simulated: the page shows demo data.')];
  if (marketSource === 'live') return [await examineUniverse(environment), ...examinePlan(environment)];
  if (marketCsvFolder === null) return [wrong('MARKET_SOURCE is csv, but MARKET_CSV_DIR is not set.')];
  const folder = await stat(marketCsvFolder).catch(() => null);
  return folder?.isDirectory()
    ? [fine(`MARKET_SOURCE is csv, from ${marketCsvFolder}.`)]
    : [wrong(`MARKET_CSV_DIR is ${marketCsvFolder}, which is not a folder.`)];
}

function examineAddress({ host, publicUrl }: Environment): Finding {
  if (publicUrl !== null) return fine(`Visitors come to ${publicUrl}.`);
  return LOOPBACK.includes(host)
    ? note('PUBLIC_URL is not set: the page is for this machine only.')
    : wrong(`The server listens on ${host}, but PUBLIC_URL is not set: links would lead elsewhere.`);
}

/** Looks at settings, database, rows and runs; says in plain words what is wrong. */
export async function examine(database: Database, environment: Environment, now: number): Promise<Finding[]> {
  const settings = [
    ...(environment.databaseUrl === null ? [] : await examinePostgres(environment.databaseUrl)),
    ...(await examineSource(environment)),
    examineAddress(environment),
    ...examineMailSettings(environment),
    ...(await examineSmtp(environment.mail)),
  ];
  const rows = await database.transaction(
    async (transaction) => {
      // What is missing meanwhile is on its way.
      if (await isUnderWay(transaction)) {
        return [
          wrong('An import into this database is not finished: run it again, and nothing else meanwhile.'),
        ];
      }
      const findings: Finding[] = [];
      for (const table of MARKET_TABLES) findings.push(await examineTable(transaction, table, now));
      return [
        ...findings,
        ...(await examineFutureRows(transaction, now)),
        ...(await examineJobs(transaction, now)),
        await examineLastRun(transaction),
        ...(await examineCalls(transaction)),
        ...(await examineSignal(transaction, environment, now)),
      ];
    },
    { readOnly: true },
  );
  const engine = database.engine === 'embedded' ? `embedded, in ${environment.dataFolder}` : 'Postgres';
  return [fine(`The database answers (${engine}); its migrations are applied.`), ...settings, ...rows];
}
