import { type Database, queryOnce } from '#database/port.ts';
import { sessionsBetween } from '#domain/calendar/sessions.ts';
import { noise } from './bars.ts';

/** The sessions of the closes: long enough for risk outlooks of 2026. */
const SESSIONS = sessionsBetween('2015-01-02', '2026-10-30');

interface StoredCloses {
  readonly from?: string;
  readonly source?: string;
  /** The last session with a VIX; all by default. */
  readonly vixUntil?: string;
}

/** Stores the S&P 500 and the VIX up to a session, in place of all stored closes. */
export async function storeCloses(
  database: Database,
  last: string,
  { from = '', source = 'live', vixUntil = last }: StoredCloses = {},
): Promise<void> {
  const random = noise(3);
  let close = 1_000;
  const rows = SESSIONS.flatMap((session, at) => {
    const size = 0.005 + 0.01 * (0.5 + 0.5 * Math.sin(at / 60));
    close *= Math.exp(size * (random() - 0.5));
    if (session > last || session < from) return [];
    const vix = session > vixUntil ? [] : [{ name: 'vix_close', session, value: 1_000 * size }];
    return [{ name: 'sp500_close', session, value: close }, ...vix];
  });
  await queryOnce(
    database,
    `with gone as (delete from collector.series), owner as (
         insert into collector.holding (source, universe) values ($2, 'x') on conflict (only_one) do update set source = $2)
       insert into collector.series (name, session, value)
       select name, session, value from json_to_recordset($1::json) as row (name text, session date, value double precision)
       on conflict (name, session) do update set value = excluded.value`,
    [JSON.stringify(rows), source],
  );
}
