import { expect, it } from 'vitest';
import type { RestRequest } from '../rest/exchange.ts';
import type { ServedGate } from '../rest/served-gate.ts';
import { readAhead } from './read-ahead.ts';

const NOW = Date.parse('2026-11-24T15:00:00Z');

function gateThat(answer: () => Promise<{ status: number; headers: Record<string, string>; body: string }>) {
  const asked: RestRequest[] = [];
  const gate: ServedGate = {
    hit: () => null,
    answer: (request) => {
      asked.push(request);
      return answer();
    },
    families: () => [],
    close: () => undefined,
  };
  return { asked, gate };
}

it('asks for what a page reads, with the key of a visitor', async () => {
  const headers = { 'Content-Type': 'application/json', 'Content-Range': '*/0' };
  const { asked, gate } = gateThat(async () => ({ status: 200, headers, body: '[]' }));
  await readAhead(gate, 'sb_publishable_x', NOW);
  expect(new Set(asked.map(({ headers }) => headers.apikey))).toEqual(new Set(['sb_publishable_x']));
  const tables = new Set(asked.map(({ path }) => path));
  for (const table of ['/market_indices', '/fear_greed_index', '/sector_strength', '/market_breadth']) {
    expect(tables).toContain(table);
  }
});

it('leaves it at that where the database is away', async () => {
  const { asked, gate } = gateThat(async () => ({ status: 503, headers: {}, body: '{}' }));
  await readAhead(gate, 'sb_publishable_x', NOW);
  expect(asked.length).toBeGreaterThan(0);
  const broken = gateThat(() => Promise.reject(new Error('It broke.')));
  await readAhead(broken.gate, 'sb_publishable_x', NOW);
});
