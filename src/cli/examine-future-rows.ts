import { clockFault, IS_FUTURE } from '#collector/database-clock.ts';
import type { Transaction } from '#database/port.ts';
import { MARKET_TABLES, ORIGINS_TABLE } from '#schema/tables.ts';
import { type Finding, wrong } from './finding.ts';
import { writeCount } from './write-count.ts';

const TABLES = [...MARKET_TABLES, ORIGINS_TABLE];

/** Rows that are hidden because they are dated later than the database's clock, and a clock here that is ahead of it. */
export async function examineFutureRows(transaction: Transaction, now: number): Promise<Finding[]> {
  const [clock] = await transaction.query<{ there: number }>(
    'select (extract(epoch from clock_timestamp()) * 1000)::double precision as there',
  );
  const fault = clockFault(now, clock?.there ?? now);
  const hidden = await transaction.query<{
    name: string;
    rows: number;
    collected: number;
    first: string;
    last: string;
  }>(
    TABLES.map(
      (name) =>
        `select '${name}' as name, count(*) as rows, count(source) as collected,
           min(created_at) as first, max(created_at) as last
         from public.${name} where ${IS_FUTURE} having count(*) > 0`,
    ).join(' union all '),
  );
  return [
    ...(fault === null ? [] : [wrong(fault)]),
    ...hidden.map(({ name, rows, collected, first, last }) => {
      const dates = rows === 1 ? first : `${first} to ${last}`;
      const advice =
        collected === rows
          ? 'The next run of collect removes them.'
          : `Delete them: delete from public.${name} where ${IS_FUTURE};`;
      return wrong(
        `${name} has ${writeCount(rows, 'row')} dated later than the database's clock (${dates}), not shown to anybody. ${advice}`,
      );
    }),
  ];
}
