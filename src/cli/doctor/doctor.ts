import { printable } from '#collector/problems.ts';
import { type Database, READ_ONLY } from '#database/port.ts';
import { reasonOf } from '#server/log.ts';
import { type Context, command } from '../command.ts';
import { missingDatabase, withDatabase } from '../open-database.ts';
import type { Environment } from '../settings/environment.ts';
import { checkFutureRows, checkGrants, checkShownSource, checkTables } from './check-market.ts';
import { checkRights } from './check-rights.ts';
import * as runs from './check-runs.ts';
import { checkMailServer, checkPostgres, checkProviderKeys } from './check-services.ts';
import { checkAddress, checkMailSettings, checkSource, checkWebhooks } from './check-settings.ts';
import { checkReportSettings, checkReports, checkSignal } from './check-signal.ts';
import { type Check, type DatabaseCheck, type Finding, fine, type Subject, wrong } from './finding.ts';

/** Timeout of a request (ms). It is shorter than in a run, because a person waits for the report. */
const TIMEOUT = 5_000;

const CHECKS: readonly Check[] = [
  ...[checkPostgres, checkSource, checkProviderKeys, checkRights, checkAddress],
  ...[checkMailSettings, checkMailServer, checkReportSettings, checkWebhooks],
];

const DATABASE_CHECKS: readonly DatabaseCheck[] = [
  ...[checkGrants, checkTables, checkShownSource, checkFutureRows, runs.checkPublications, runs.checkLedger],
  ...[runs.checkAnchors, runs.checkLeases, runs.checkScheduledRuns, runs.checkLastRun],
  ...[runs.checkProviderCalls, checkSignal, checkReports],
];

/** Runs the checks of settings and services at once, then those of the database in one read-only transaction. */
export async function examine(database: Database, environment: Environment, now: number): Promise<Finding[]> {
  const subject = { environment, now, timeoutMs: TIMEOUT };
  const found = await examineSettings(subject);
  const stored = await database.transaction(async (transaction) => {
    const findings: Finding[] = [];
    for (const check of DATABASE_CHECKS) findings.push(...(await check(transaction, subject)));
    return findings;
  }, READ_ONLY);
  const engine = environment.databaseUrl === null ? `embedded, in ${environment.dataFolder}` : 'Postgres';
  const reached = fine(`The database responds (${engine}), and its migrations are applied.`);
  return [reached, ...found, ...stored];
}

async function examineSettings(subject: Subject): Promise<Finding[]> {
  return (await Promise.all(CHECKS.map((check) => check(subject)))).flat();
}

const MARKS: Readonly<Record<Finding['state'], string>> = { fine: 'ok   ', note: 'note ', wrong: 'WRONG' };

async function examineConfigured(context: Context): Promise<Finding[]> {
  const { environment, now } = context;
  const missing = missingDatabase(environment);
  if (missing !== null)
    return [wrong(missing), ...(await examineSettings({ environment, now: now(), timeoutMs: TIMEOUT }))];
  try {
    return await withDatabase(context, (database) => examine(database, environment, now()));
  } catch (error) {
    return [wrong(reasonOf(error))];
  }
}

export const doctor = command({
  help: `Usage: npm run barometer -- doctor

Checks the settings, the services they name, the rows and the runs. Exits with 1 if a check finds a fault.`,
  flags: {},
  async run(context) {
    const findings = await examineConfigured(context);
    for (const { state, text } of findings) context.stdout.write(`${MARKS[state]}  ${printable(text)}\n`);
    return findings.some(({ state }) => state === 'wrong') ? 1 : 0;
  },
});
