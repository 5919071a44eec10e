import { join } from 'node:path';
import { createRandomStream } from '#collector/simulated/random.ts';
import type { Database } from '#database/port.ts';
import { fearGreedBand } from '#domain/bands/score-bands.ts';
import { isSession, sessionClose } from '#domain/calendar/sessions.ts';
import { scoreComponent } from '#domain/fear-greed/score.ts';
import { baseRates, type IndexDay } from '#domain/record/base-rates.ts';
import { readSessionRows } from '#record/session-rows.ts';
import { secondBaseRates } from '#tests/support/second-base-rates.ts';
import type { Figure } from './figure.ts';
import { median } from './median.ts';
import { overNewDatabase } from './new-database.ts';
import { readTable } from './real-history.ts';

const FIRST = '1995-01-01';
/** The last session of a week, so that both implementations see complete weeks. */
const LAST = '2024-12-27';
const TIMES = 5;

/** Base rates over real closes, with the momentum component as the index, against a second implementation. */
export function benchMethod(data: string): Promise<Figure[]> {
  return overNewDatabase(async (database) => {
    await fill(database, data);
    return measure(database);
  });
}

async function fill(database: Database, data: string): Promise<void> {
  const closes = readTable(join(data, 'series', 'sp500.csv')).get('close') ?? new Map<string, number>();
  const sessions = [...closes].filter(
    ([session]) => session >= FIRST && session <= LAST && isSession(session),
  );
  const index = scoreComponent(Float64Array.from(sessions, ([, price]) => price));
  const rows = sessions.flatMap(([session, price], at) => {
    const value = index[at] ?? Number.NaN;
    if (Number.isNaN(value)) return [];
    const created_at = new Date(sessionClose(session)).toISOString();
    return [{ price, value, label: fearGreedBand(value).label, created_at }];
  });
  await database.transaction(async (transaction) => {
    const from = `from json_to_recordset($1::json)
      as row (price double precision, value double precision, label text, created_at timestamptz)`;
    const text = JSON.stringify(rows);
    await transaction.query(
      `insert into public.market_indices (symbol, name, price, source, created_at)
       select 'SPX', 'S&P 500', price, 'csv', created_at ${from}`,
      [text],
    );
    await transaction.query(
      `insert into public.fear_greed_index (index_value, index_label, source, created_at)
       select value, label, 'csv', created_at ${from}`,
      [text],
    );
  });
}

/** The same rows as a CSV, written by the database. */
async function exportCsv(database: Database): Promise<string> {
  const bytes = await database.transaction((transaction) =>
    transaction.copyOut(
      `copy (select created_at::date as date, index_value, price
         from public.fear_greed_index join public.market_indices using (created_at) order by created_at)
       to stdout (format csv, header)`,
    ),
  );
  return Buffer.from(bytes).toString();
}

async function measure(database: Database): Promise<Figure[]> {
  const readAt = performance.now();
  const rows = await database.transaction(readSessionRows, { role: 'anon', readOnly: true, snapshot: true });
  const reading = performance.now() - readAt;
  const days: IndexDay[] = rows.map(({ session, close, fearGreed }) => ({
    session,
    close,
    fearGreed: fearGreed?.index_value ?? null,
  }));
  const compute = () => baseRates(days);
  const times = Array.from({ length: TIMES }, () => {
    const startedAt = process.cpuUsage();
    compute();
    return process.cpuUsage(startedAt).user / 1_000;
  });
  const second = secondBaseRates(await exportCsv(database), createRandomStream('second').uniform);
  const cells = compute().flatMap(({ horizon, bands }) =>
    bands.flatMap(({ label, count, figures, difference }) => {
      const other = second.get(`${horizon} ${label}`);
      if (figures === null || difference === null || other === undefined) return [];
      const exact = [count - other.weeks, figures.mean - other.mean, figures.median - other.median];
      return [
        {
          exact: Math.max(...exact.map(Math.abs)),
          ends: Math.max(Math.abs(difference.low - other.low), Math.abs(difference.high - other.high)),
        },
      ];
    }),
  );
  return [
    { what: 'sessions', value: days.length, unit: '' },
    { what: 'reading them', value: reading, unit: 'ms' },
    {
      what: 'base rates, processor time',
      value: median(times),
      unit: 'ms',
      runs: times,
      bound: { atMost: 200 },
    },
    { what: 'cells compared with the second implementation', value: cells.length, unit: '' },
    {
      what: 'largest difference of weeks, means and medians',
      value: Math.max(...cells.map(({ exact }) => exact)),
      unit: 'points',
      bound: { atMost: 1e-9 },
    },
    {
      what: 'largest difference of interval ends',
      value: Math.max(...cells.map(({ ends }) => ends)),
      unit: 'points',
      bound: { atMost: 0.1 },
    },
  ];
}
