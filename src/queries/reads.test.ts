import { expect, it } from 'vitest';
import { marketDay, startOfMarketDay } from '#domain/calendar/sessions.ts';
import { recordOf } from '#tests/support/record-rows.ts';
import { createTableClient, sendThrough } from './client.ts';
import { readComponents, readOrigins, readStocks } from './read-dashboard.ts';
import { readRecord, readVerdictChanges } from './read-record.ts';
import type { SendRead } from './read-rows.ts';

const BELL = '2026-11-13T21:00:00.000Z';
const ORIGIN = {
  ...{ input: 'vix_close', provider: 'cboe', session: '2026-11-13', observed_at: BELL },
  ...{ fetched_at: '2026-11-13T21:31:04.500Z', created_at: '2026-11-13T21:00:00.000400+00:00' },
};
const NO_PROVIDER = { ...ORIGIN, input: 'put_call_total', provider: null };
const SESSION = {
  ...{ session: '2026-11-12', market_momentum: 44.9, stock_price_strength: null, stock_price_breadth: null },
  ...{ put_call_options: null, junk_bond_demand: null, market_volatility: null, safe_haven_demand: null },
};
const STOCK = {
  ...{ symbol: 'AAA', name: 'Aaa', sector: 'Energy', change_percent: null, weight: 12_300, volume: 51.2 },
  ...{ source: 'live', created_at: BELL },
};
const CHANGE = {
  ...{ id: 3, session: '2026-11-20', at: '2026-11-20T21:30:00.000Z', from_verdict: 'HOLD' },
  ...{ to_verdict: 'BUY', score: 62.3, source: 'live', formula_version: '2' },
};

it.each<
  [
    name: string,
    read: (send: SendRead) => Promise<unknown>,
    data: unknown[],
    rows: unknown[],
    address: string,
  ]
>([
  [
    'the origins of a row set, one per input',
    (send) => readOrigins(send, BELL),
    [ORIGIN, NO_PROVIDER, ORIGIN, { provider: 'cboe' }, null],
    [ORIGIN, NO_PROVIDER].map((row) => ({ ...row, created_at: BELL })),
    `input_origins?select=input,provider,session,observed_at,fetched_at,created_at&created_at=gte.${BELL}&created_at=lt.2026-11-13T21:00:00.001Z&limit=100`,
  ],
  [
    'the components of the sessions of the last 365 days',
    (send) => readComponents(send, { now: Date.parse('2026-11-13T21:30:00Z'), marketDay, startOfMarketDay }),
    [{ ...SESSION, put_call_options: 101 }, { session: '2026-02-30', market_momentum: 1 }, null],
    [SESSION],
    'fear_greed_sessions?select=session,market_momentum,stock_price_strength,stock_price_breadth,put_call_options,junk_bond_demand,market_volatility,safe_haven_demand&session=gte.2025-11-13&order=session.asc&limit=1000',
  ],
  [
    'the stocks of the newest row set',
    readStocks,
    [STOCK, STOCK, { ...STOCK, symbol: null }, { ...STOCK, symbol: 'B', created_at: '2026-11-12T21:00:00Z' }],
    [STOCK],
    'market_stocks?select=symbol,name,sector,change_percent,weight,volume,source,created_at&order=created_at.desc,weight.desc&limit=1000',
  ],
  [
    'the newest changes of the verdict',
    (send) => readVerdictChanges(send, 20),
    [CHANGE, { ...CHANGE, from_verdict: null }, { ...CHANGE, to_verdict: 'buy' }, { ...CHANGE, id: 'x' }],
    [CHANGE],
    'verdict_changes?select=id,session,at,from_verdict,to_verdict,score,source,formula_version&order=id.desc&limit=20',
  ],
])('reads %s with one request and leaves out invalid rows', async (_, read, data, rows, address) => {
  const asked: string[] = [];
  const fetch: typeof globalThis.fetch = async (input) => {
    const { pathname, search } = new URL(String(input));
    asked.push(pathname.replace('/rest/v1/', '') + decodeURIComponent(search));
    return Response.json(asked.length > 1 ? { code: 'XX000', message: 'no' } : data, {
      status: asked.length > 1 ? 500 : 200,
    });
  };
  const send = sendThrough(createTableClient({ supabaseUrl: 'http://stub', anonKey: 'key', fetch }));
  expect(await read(send)).toEqual(rows);
  expect(asked).toEqual([address]);
  await expect(read(send)).rejects.toMatchObject({ name: 'QueryError', message: 'no' });
});

it('reads every row of the record from any number of responses', async () => {
  const { weeks, grades } = recordOf(600);
  const send: SendRead = async ({ table, limit, offset: from = 0 }) => {
    const rows = table === 'issued_signals' ? weeks : grades;
    return { data: rows.slice(from, from + limit), error: null, status: 200, count: null };
  };
  expect(grades.length).toBeGreaterThan(1_000);
  expect(await readRecord(send)).toEqual({ weeks, grades });
});
