import { clockFault, IS_FUTURE } from '#collector/instants.ts';
import { latenessOf } from '#collector/runs/freshness.ts';
import { missingSeriesFiles } from '#collector/sources/csv-source.ts';
import { epochMs, type Transaction } from '#database/port.ts';
import { marketDay } from '#domain/calendar/sessions.ts';
import { SESSIONS_NEEDED } from '#domain/fear-greed/score.ts';
import { readClockFault } from '#record/clock.ts';
import { isDemonstration, type MarketSource } from '#schema/market-source.ts';
import { MARKET_TABLES, PUBLISHED_TABLE_NAMES, SUBSCRIBERS_TABLE } from '#schema/tables.ts';
import { EXPOSED_TABLES } from '#server/rest/exposed-tables.ts';
import { writeCount } from '../terminal/wording.ts';
import { type DatabaseCheck, type Finding, findings, fine, wrong } from './finding.ts';

interface NewestRow {
  at: string;
  source: MarketSource | null;
}

async function readNewest(transaction: Transaction, table: string): Promise<NewestRow | undefined> {
  const [row] = await transaction.query<NewestRow>(
    `select created_at as at, source from public.${table} where not ${IS_FUTURE} order by created_at desc limit 1`,
  );
  return row;
}

/** Names the tables that visitors cannot use. A restore into a Postgres without the role `anon` leaves out its rights. */
export const checkGrants: DatabaseCheck = async (transaction) => {
  const refused = await transaction.query<{ name: string }>(
    `select name from unnest($1::text[]) as name where not coalesce((
       select pg_has_role(oid, 'member') and has_any_column_privilege(oid, 'public.' || name,
         case name when '${SUBSCRIBERS_TABLE}' then 'insert' else 'select' end)
       from pg_roles where rolname = 'anon'), false)`,
    [EXPOSED_TABLES],
  );
  if (refused.length === 0) return [];
  const names = refused.map(({ name }) => name).join(', ');
  return [
    wrong(
      `The role anon of visitors is missing, or has no rights to ${names}. After a restore, create the roles and restore again; otherwise repeat the grants of supabase/migrations/.`,
    ),
  ];
};

export const checkTables: DatabaseCheck = async (transaction, { environment, now }) => {
  const { marketSource, marketCsvFolder, publishing } = environment;
  const missing =
    marketSource === 'csv' && marketCsvFolder !== null ? await missingSeriesFiles(marketCsvFolder) : [];
  const described: Finding[] = [];
  for (const table of MARKET_TABLES) {
    const row = await readNewest(transaction, table);
    described.push(
      row === undefined
        ? describeEmpty(table, missing)
        : describeNewest(table, row, { now, delay: publishing.delay }),
    );
  }
  return described;
};

/** Tables that stay empty without the files of some series. The others need only the files of bars. */
const NEED_SERIES: readonly string[] = ['fear_greed_index', 'market_indices'];

function describeEmpty(table: string, missingFiles: readonly string[]): Finding {
  const isLackingFiles = missingFiles.length > 0 && NEED_SERIES.includes(table);
  const advice = isLackingFiles
    ? `add ${missingFiles.join(', ')} to MARKET_CSV_DIR, then run backfill`
    : 'run backfill';
  const history =
    table === 'fear_greed_index'
      ? ` The index needs ${SESSIONS_NEEDED.first} sessions of history, ${SESSIONS_NEEDED.full} for a full one.`
      : '';
  return wrong(`${table} is empty: ${advice}.${history}`);
}

function describeNewest(
  table: string,
  row: NewestRow,
  { now, delay }: { now: number; delay: number },
): Finding {
  const at = Date.parse(row.at);
  const { sessionsBehind, isBehindWithinSession } = latenessOf({ at, source: row.source }, now, delay);
  const origin = row.source === null ? 'of unknown origin' : `from ${row.source}`;
  const newest = `${table}: newest of session ${marketDay(at)}, ${origin}`;
  if (sessionsBehind > 0) {
    // A run of the csv source only reads the files, so it cannot fetch missing sessions.
    const advice =
      row.source === 'csv'
        ? 'add newer rows to the files in MARKET_CSV_DIR, then run collect'
        : 'run collect';
    return wrong(`${newest}, ${writeCount(sessionsBehind, 'session')} behind: ${advice}.`);
  }
  return isBehindWithinSession
    ? wrong(`${newest}, more than two hours behind the open session: run collect.`)
    : fine(newest);
}

export const checkShownSource: DatabaseCheck = async (transaction, { environment: { marketSource } }) => {
  const shown = (await readNewest(transaction, 'market_metrics'))?.source ?? null;
  // A replay shows the files of the csv source, so these two names are no difference.
  if (shown === null || shown === marketSource || (shown === 'replay' && marketSource === 'csv')) return [];
  // True if the collector refuses to replace real data with demonstration data.
  const isRefused = isDemonstration(marketSource) && !isDemonstration(shown);
  const advice = isRefused ? `set MARKET_SOURCE to ${shown}` : 'run backfill';
  return [wrong(`MARKET_SOURCE is ${marketSource}, but the page shows ${shown} data: ${advice}.`)];
};

/** Checks that no row is hidden as later than the database's clock, and that this computer's clock is right. */
export const checkFutureRows: DatabaseCheck = async (transaction, { now }) => {
  const [clock] = await transaction.query<{ there: number }>(
    `select ${epochMs('clock_timestamp()')} as there`,
  );
  const fault = clockFault(now, clock?.there ?? now);
  const behind = await readClockFault(transaction, now);
  const hidden = await transaction.query<{
    name: string;
    rows: number;
    collected: number;
    first: string;
    last: string;
  }>(
    PUBLISHED_TABLE_NAMES.map(
      (name) =>
        `select '${name}' as name, count(*) as rows, count(source) as collected,
             min(created_at) as first, max(created_at) as last
           from public.${name} where ${IS_FUTURE} having count(*) > 0`,
    ).join(' union all '),
  );
  return findings(
    fault !== null && wrong(fault),
    behind !== null && wrong(behind),
    ...hidden.map(({ name, rows, collected, first, last }) => {
      const dates = rows === 1 ? first : `${first} to ${last}`;
      const advice =
        collected === rows
          ? 'If the clock is right, run "collect --remove-future".'
          : `Delete them: delete from public.${name} where ${IS_FUTURE};`;
      return wrong(
        `${name} has ${writeCount(rows, 'row')} dated later than the database's clock (${dates}). They are hidden. ${advice}`,
      );
    }),
  );
};
