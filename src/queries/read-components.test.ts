import { expect, test } from 'vitest';
import { marketDay, startOfMarketDay } from '#domain/calendar/sessions.ts';
import { readComponents } from './read-components.ts';
import type { SendRead } from './read-rows.ts';
import type { TableRead } from './table-reads.ts';

const clock = { now: Date.parse('2026-11-13T21:30:00Z'), marketDay, startOfMarketDay };

test('reads the sessions of the last 365 days, without rows that have no session', async () => {
  const sent: TableRead[] = [];
  const send: SendRead = async (read) => {
    sent.push(read);
    const data = [
      { session: '2026-11-12', market_momentum: 44.9, put_call_options: 101 },
      { session: '2026-02-30', market_momentum: 1 },
      null,
    ];
    return { data, error: null, status: 200, count: null };
  };
  expect(await readComponents(send, clock)).toEqual([
    {
      session: '2026-11-12',
      market_momentum: 44.9,
      stock_price_strength: null,
      stock_price_breadth: null,
      put_call_options: null,
      junk_bond_demand: null,
      market_volatility: null,
      safe_haven_demand: null,
    },
  ]);
  expect(sent).toMatchObject([
    { table: 'fear_greed_sessions', filters: [['session', 'gte', '2025-11-13']], order: ['session.asc'] },
  ]);
});
