import type { Transaction } from '#database/port.ts';
import type { RevisedDay } from '#domain/record/revisions.ts';
import type { ReadingName } from '#domain/signal/flips.ts';

const value = (table: string, column: string) => `(rows #>> '{${table},0,${column}}')::float8`;
const sentiment = (timeframe: string) =>
  `(select (term ->> 'score')::float8 from jsonb_array_elements(rows -> 'market_sentiment') as term
    where term ->> 'timeframe' = '${timeframe}' limit 1)`;
const [UP, DOWN, SAME] = ['advancing', 'declining', 'unchanged'].map((kind) =>
  value('market_breadth', `${kind}_stocks`),
);

const READING_SQL: Readonly<Record<ReadingName, string>> = {
  fearGreed: value('fear_greed_index', 'index_value'),
  overallStrength: value('market_metrics', 'overall_strength'),
  marketExposure: value('market_metrics', 'market_exposure'),
  short: sentiment('short'),
  medium: sentiment('medium'),
  long: sentiment('long'),
  vix: value('advanced_indicators', 'vix'),
  putCall: value('advanced_indicators', 'put_call_ratio'),
  mcclellan: value('advanced_indicators', 'mcclellan_oscillator'),
  sectors: `(select avg((sector ->> 'strength')::float8) from jsonb_array_elements(rows -> 'sector_strength') as sector)`,
  breadth: `100 * ${UP} / nullif(${UP} + ${DOWN} + ${SAME}, 0)`,
};

/** SQL for the readings of one publication per session: the first one with rows, or the newest. */
const publication = (order: 'asc' | 'desc') => `
  select session, json_build_object(${Object.entries(READING_SQL).map(([name, sql]) => `'${name}', ${sql}`)}) as readings
  from (
    select distinct on (session) session, rows::jsonb as rows from archive.publications
    where origin = 'live' and source in ('csv', 'live') and json_typeof(rows -> 'market_metrics') = 'array'
    order by session, id ${order} offset 0
  ) as one`;

/** Reads the readings of each session that was published on its own day, at first and newest; no demonstration data. Ascending. */
export function readFirstAndNewestReadings(transaction: Transaction): Promise<RevisedDay[]> {
  return transaction.query<RevisedDay>(
    `select session::text as session, first.readings as published, newest.readings as final
     from (${publication('asc')}) as first join (${publication('desc')}) as newest using (session) order by session`,
  );
}
