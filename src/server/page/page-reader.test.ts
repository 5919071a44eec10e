import { afterEach, describe, expect, it, vi } from 'vitest';
import { QueryError } from '#queries/errors.ts';
import type { RestRequest, RestResponse } from '../rest/exchange.ts';
import { createPageReader } from './page-reader.ts';

const JSON_TYPE = { 'Content-Type': 'application/json; charset=utf-8' };
const AWAY: RestResponse = { status: 503, headers: JSON_TYPE, body: '{"code":"PGRST000","message":"away"}' };
const NOTHING: RestResponse = { status: 200, headers: { ...JSON_TYPE, 'Content-Range': '*/0' }, body: '[]' };

afterEach(() => {
  vi.restoreAllMocks();
});

/** A time limit that the test reaches when it likes. */
function newLimit(limits: AbortController[]): AbortSignal {
  const limit = new AbortController();
  limits.push(limit);
  return limit.signal;
}

function readerOver(answer: (request: RestRequest) => RestResponse | Promise<RestResponse>) {
  const asked: RestRequest[] = [];
  const read = createPageReader({
    gate: async (request) => {
      asked.push(request);
      return answer(request);
    },
    publicKey: 'sb_publishable_x',
    productName: 'Kompass',
    now: () => Date.parse('2026-11-13T21:30:00Z'),
  });
  return { asked, read };
}

describe('the page read within the server', () => {
  it('asks the gate what a browser would ask, with the public key', async () => {
    const { asked, read } = readerOver(() => NOTHING);
    const { view } = await read();
    expect(view.signal.verdict).toBe('Insufficient data');
    expect(new Set(asked.map(({ method }) => method))).toEqual(new Set(['GET']));
    expect(new Set(asked.map(({ headers }) => headers.apikey))).toEqual(new Set(['sb_publishable_x']));
    const metrics = asked.find(({ path }) => path === '/market_metrics');
    expect(new URLSearchParams(metrics?.query).get('order')).toBe('created_at.desc');
  });

  it('shows the rows the gate gives, under the name of the product', async () => {
    const row = {
      market_exposure: 54,
      overall_strength: 58,
      source: 'live',
      created_at: '2026-11-13T21:00:00Z',
    };
    const { read } = readerOver(({ path }) =>
      path === '/market_metrics' ? { ...NOTHING, body: JSON.stringify([row]) } : NOTHING,
    );
    const { rows, view } = await read();
    expect(rows.metrics?.market_exposure).toBe(54);
    expect(view.metrics?.cards.map(({ description }) => description)).toContain('Kompass score');
  });

  it('fails as the page does when the database is away', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {});
    await expect(readerOver(() => AWAY).read()).rejects.toThrow(QueryError);
  });

  it('fails when the database keeps silent, and does not wait with it', async () => {
    vi.spyOn(console, 'error').mockImplementation(() => {});
    const limits: AbortController[] = [];
    vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => newLimit(limits));
    const failure = expect(readerOver(() => new Promise(() => {})).read()).rejects.toThrow(QueryError);
    await new Promise(setImmediate);
    for (const limit of limits) limit.abort();
    await failure;
  });
});
