import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { recordPublications } from '#collector/publish/publications.ts';
import { sessionClose } from '#domain/calendar/sessions.ts';
import { databaseOfTheseTests } from '#tests/support/database-of-each-test.ts';
import { AWAY, failingDatabase, KEY, startTestServer } from '#tests/support/gate-server.ts';
import { MIDDLING } from '#tests/support/market-tables.ts';
import { type MarketTables, writeTables } from '#tests/support/page-over-rows.ts';
import { temporaryFolder } from '#tests/support/product.ts';
import { violations } from '#tests/support/schemas/schemas.ts';
import { sendRequest } from '#tests/support/send-request.ts';
import { shared } from '#tests/support/shared.ts';
import { ROOT } from '../../scripts/set-up.mjs';

const HOME = 'https://market.example/';
const FRIDAY = Date.parse('2026-11-13T21:30:00Z');
const WEDNESDAY = Date.parse('2026-11-18T23:00:00Z');

const RECORD = `
  insert into mailer.issued_signals (week, status, reason, decided_at, session, source, verdict, score, formula_version,
      weights, inputs) values
    ('2026-11-02', 'withheld', '=cmd() the rows are "old"', '2026-11-07T14:00:00Z', null, null, null, null, '2', '{}', '{}'),
    ('2026-11-09', 'issued', null, '2026-11-14T14:00:00Z', '2026-11-13', 'live', 'HOLD', 54.3, '2', '{}', '{}');
  insert into mailer.grades (week, horizon_weeks, rule, entry_session, entry_close, exit_session, exit_close, change_percent,
      status, reason, graded_at) values
    ('2026-11-02', 1, 'g2', '2026-11-09', 6000.5, '2026-11-16', 6001, 0.3, 'graded', null, '2026-11-16T22:00:00Z'),
    ('2026-11-02', 4, 'g2', null, null, null, null, null, 'void', 'A close is missing.', '2026-11-17T22:00:00Z');
  insert into archive.verdict_changes (session, at, to_verdict, score, source, formula_version) values
    ('2026-11-10', '2026-11-10T21:30:00Z', 'BUY', 61, 'live', '2');
  insert into archive.verdict_changes (session, at, from_verdict, to_verdict, score, source, formula_version, follows)
    select '2026-11-13', '2026-11-13T21:15:00Z', 'BUY', 'HOLD', 54.3, 'live', '2', id from archive.verdict_changes;`;

const from = (source: string): MarketTables =>
  Object.fromEntries(
    Object.entries(MIDDLING).map(([name, rows]) => [name, rows.map((row) => ({ ...row, source }))]),
  );

const DATA_OUTPUTS = [
  '/signal.json',
  '/signals.csv',
  '/fear-greed.csv',
  '/feed.atom',
  '/feed.json',
  '/grades.atom',
  '/grades.json',
  '/badge.svg',
  '/badge.json',
  '/embed',
  `/oembed?url=${HOME}`,
];

const { database, script } = databaseOfTheseTests();
const data = failingDatabase(database);
let now = FRIDAY;
// biome-ignore lint/suspicious/noExplicitAny: an OpenAPI document.
let description: any;

beforeAll(async () => {
  await script(RECORD);
  await writeTables(database, MIDDLING);
  await database.transaction((transaction) =>
    recordPublications(transaction, [sessionClose('2026-11-13')], { source: 'live', now: FRIDAY }),
  );
});
const server = shared(() =>
  startTestServer(data.database, {
    config: { publicUrl: HOME, ratePerSecond: 0.001 },
    now: () => now,
  }),
);
beforeAll(async () => {
  description = JSON.parse((await sendRequest(server.url, '/openapi.json')).body.toString());
});

interface Received {
  status: number;
  headers: Record<string, string>;
  text: string;
}

async function ask(
  path: string,
  headers: Record<string, string> = {},
  method = 'GET',
  body = '',
): Promise<Received> {
  const response = await sendRequest(server.url, path, { headers, method, body });
  return {
    status: response.status,
    headers: Object.fromEntries(
      Object.entries(response.headers).map(([name, value]) => [name, String(value)]),
    ),
    text: response.body.toString(),
  };
}

/** The violations of the OpenAPI document by a response; empty if it is as described. */
function undescribed(
  path: string,
  { status, headers, text }: Received,
  described = path.split('?')[0] ?? '',
  method = 'get',
): string[] {
  const operation = description.paths[described]?.[method];
  const result = operation?.responses[status];
  if (result === undefined) return [`${path}: ${status} is not described`];
  const missing = Object.entries<{ required: boolean; schema: object }>(result.headers ?? {}).flatMap(
    ([name, { required, schema }]) => {
      const value = headers[name.toLowerCase()];
      if (value === undefined) return required ? [`${path}: ${name} is missing`] : [];
      return violations(schema, value);
    },
  );
  if (result.content === undefined) return [...missing, ...(text === '' ? [] : [`${path}: has a body`])];
  const type = headers['content-type']?.split(';')[0] ?? '';
  const media = result.content[type];
  if (media === undefined) return [`${path}: ${type} is not described for ${status}`];
  const value = type.endsWith('json') ? JSON.parse(text) : text;
  return [...missing, ...violations({ ...media.schema, components: description.components }, value)];
}

/** Writes the market's tables, and waits until the server has noticed. */
async function publish(tables: MarketTables, badge: string): Promise<void> {
  await writeTables(database, tables);
  const isShown = async () => expect(JSON.parse((await ask('/badge.json')).text).message).toBe(badge);
  // Hooks have no `expect.poll`.
  await vi.waitFor(isShown, { timeout: 150_000 });
}

const all = () => Promise.all(DATA_OUTPUTS.map(async (path) => [path, await ask(path)] as const));

/** The same outputs in each state of the data, in this order. */
describe.each<[state: string, reach: () => Promise<unknown>, shown: Record<string, unknown>, badge: string]>([
  [
    'current',
    async () => undefined,
    { source: 'live', sessions_behind: 0, demonstration: false, verdict: 'HOLD' },
    'HOLD 50.0, 13 Nov',
  ],
  [
    'stale',
    async () => {
      now = WEDNESDAY;
    },
    { source: 'live', sessions_behind: 3, verdict: 'HOLD' },
    'stale',
  ],
  [
    'a demonstration',
    async () => {
      now = FRIDAY;
      await publish(from('simulated'), 'demo HOLD 50.0, 13 Nov');
    },
    { source: 'simulated', sessions_behind: 0, demonstration: true },
    'demo HOLD 50.0, 13 Nov',
  ],
  [
    'missing',
    async () => {
      await publish({}, 'no data');
    },
    { source: null, as_of: null, sessions_behind: null, verdict: null },
    'no data',
  ],
])('while the data are %s', (state, reach, shown, badge) => {
  let outputs: ReadonlyMap<string, Received>;
  beforeAll(async () => {
    await reach();
    outputs = new Map(await all());
  });
  const textOf = (path: string) => outputs.get(path)?.text ?? '';

  it('every output is as the OpenAPI document describes', () => {
    const wrong = [...outputs].flatMap(([path, output]) => undescribed(path, output));
    expect(wrong).toEqual([]);
    expect([...outputs.values()].map(({ status }) => status)).toEqual(DATA_OUTPUTS.map(() => 200));
  });

  it('signal, badge and feeds show that state', () => {
    expect(JSON.parse(textOf('/signal.json'))).toMatchObject(shown);
    expect(JSON.parse(textOf('/badge.json')).message).toBe(badge);
    expect(textOf('/badge.svg')).toContain(`<title>Barometer: ${badge}</title>`);
    expect(JSON.parse(textOf('/feed.json')).title).toBe(
      `${state === 'a demonstration' ? 'Demo: ' : ''}Barometer weekly signal`,
    );
  });

  it('the main feed has no grade, and the other one only grades', () => {
    const titles = (path: string) =>
      JSON.parse(textOf(path)).items.map(({ title }: { title: string }) => title.replace('Demo: ', ''));
    expect(titles('/feed.json')).toEqual([
      'Week 2026-W46: HOLD 54.3',
      'Verdict changed from BUY to HOLD',
      'Week 2026-W45: no signal',
    ]);
    expect(titles('/grades.json')).toEqual([
      'Week 2026-W45, 4 weeks after withheld: void',
      'Week 2026-W45, 1 week after withheld: S&P 500 +0.30%',
    ]);
  });

  it('the card has at most 5 KiB and no script', () => {
    expect(Buffer.byteLength(textOf('/embed'))).toBeLessThanOrEqual(5 * 1024);
    const isDemo = state === 'a demonstration';
    expect(textOf('/embed').includes('<title>Demo: Barometer: ')).toBe(isDemo);
    expect(textOf('/embed')).not.toMatch(/<script|javascript:| on\w+=/i);
  });
});

describe('an output', () => {
  beforeAll(async () => {
    await publish(MIDDLING, 'HOLD 50.0, 13 Nov');
  });

  it.each(DATA_OUTPUTS)('responds 304 to its own ETag, and without a body to HEAD: %s', async (path) => {
    const { headers, text } = await ask(path);
    const unchanged = await ask(path, { 'If-None-Match': headers.etag ?? '' });
    expect(unchanged.status).toBe(304);
    expect(undescribed(path, unchanged)).toEqual([]);
    const head = await ask(path, {}, 'HEAD');
    expect([head.status, head.text, head.headers.etag]).toEqual([200, '', headers.etag]);
    expect(head.headers['content-length']).toBe(String(Buffer.byteLength(text)));
  });

  it('ignores Accept and unknown query parameters', async () => {
    const plain = await ask('/signal.json');
    const other = await ask('/signal.json?format=xml&x=1', { Accept: 'application/xml' });
    expect([other.status, other.text]).toEqual([200, plain.text]);
    const card = await ask(`/oembed?url=${HOME}&x=1`);
    expect(card.text).toBe((await ask(`/oembed?url=${HOME}`)).text);
  });

  it('refuses another method with 405, and a client over its rate limit with 429', async () => {
    for (const refused of [
      await ask('/signal.json', {}, 'POST'),
      await ask('/signal.json', { 'X-Forwarded-For': '203.0.113.9' }),
    ]) {
      expect(undescribed('/signal.json', refused)).toEqual([]);
      expect([405, 429]).toContain(refused.status);
    }
  });

  it.each([...DATA_OUTPUTS, '/openapi.json', '/ledger/checkpoint', '/on/2026-11-13.json'])(
    'responds 204 to the preflight request of another site: %s',
    async (path) => {
      const preflight = await ask(
        path,
        {
          Origin: 'https://elsewhere.example',
          'Access-Control-Request-Method': 'GET',
          'Access-Control-Request-Headers': 'if-none-match, x_client',
        },
        'OPTIONS',
      );
      expect([preflight.status, preflight.text]).toEqual([204, '']);
      expect(preflight.headers).toMatchObject({
        'access-control-allow-origin': '*',
        'access-control-allow-methods': 'GET, HEAD, OPTIONS',
        'access-control-allow-headers': 'if-none-match, x_client',
        'access-control-max-age': '86400',
      });
    },
  );

  it('repeats no malformed header of a preflight request, and has none on a page', async () => {
    const odd = { 'Access-Control-Request-Method': 'GET', 'Access-Control-Request-Headers': 'a b;c' };
    const { headers } = await ask('/signal.json', odd, 'OPTIONS');
    expect(headers['access-control-allow-headers']).toBeUndefined();
    expect((await ask('/record', odd, 'OPTIONS')).status).toBe(405);
  });

  it('has no formula in its CSV', async () => {
    const { text } = await ask('/signals.csv');
    expect(text).toContain(`,withheld,"'=cmd() the rows are ""old""",`);
    expect(text).toContain('2026-W46,2026-11-14T14:00:00.000Z,2026-11-13,issued,,HOLD,54.3,,,,pending,');
    const { text: index } = await ask('/fear-greed.csv');
    expect(index.split('\r\n')[1]).toBe('2026-11-13,50,50,50,50,50,50,50,50,live,2026-11-13T21:00:00.000Z');
  });

  it('is the same an hour later, so that the copy of a cache network is still true', async () => {
    const pages = ['/record', '/quality', '/method', '/risk', '/llms.txt', '/on/2026-11-13', '/og.png'];
    const tags = () =>
      Promise.all([...DATA_OUTPUTS, ...pages].map(async (path) => [path, (await ask(path)).headers.etag]));
    const before = await tags();
    now = FRIDAY + 3_600_000;
    expect(await tags()).toEqual(before);
    now = FRIDAY;
  });

  it('states the age of its data while the database is away, and never responds 304 then', async () => {
    const { headers } = await ask('/badge.svg');
    data.failure = AWAY;
    now = FRIDAY + 600_000;
    const outputs = await all();
    for (const [path, output] of outputs) {
      expect(undescribed(path, output)).toEqual([]);
      expect([path, output.headers['cache-control']]).toEqual([path, 'no-store']);
      expect(Number(output.headers.age)).toBeGreaterThanOrEqual(0);
    }
    const asked = await ask('/badge.svg', { 'If-None-Match': headers.etag ?? '' });
    expect(asked.status).toBe(200);
    data.failure = null;
  });
});

describe('/oembed', () => {
  it.each([
    ['', 400],
    ['url=https://elsewhere.example/', 404],
    [`url=${HOME}record`, 404],
    ['url=nonsense', 404],
    [`url=${HOME}&format=xml`, 501],
    [`url=${HOME}&maxwidth=wide`, 400],
  ])('refuses the query "%s" with %i', async (query, status) => {
    const refused = await ask(`/oembed?${query}`);
    expect(refused.status).toBe(status);
    expect(undescribed('/oembed', refused)).toEqual([]);
  });

  it.each(['', '/', '/embed', '/embed/'])(
    'describes the card for the address ending in "%s"',
    async (ending) => {
      const described = await ask(`/oembed?url=${HOME.slice(0, -1)}${ending}`);
      expect(described.status).toBe(200);
    },
  );

  it('describes the card within the requested size', async () => {
    const { text } = await ask(
      `/oembed?url=${encodeURIComponent(`${HOME}embed`)}&format=json&maxwidth=300&maxheight=900`,
    );
    const { html, ...described } = JSON.parse(text);
    expect(described).toMatchObject({ type: 'rich', version: '1.0', width: 300, height: 260 });
    expect(html).toContain(`<iframe src="${HOME}embed" `);
    expect(html).toContain(' width="300" height="260" ');
  });
});

describe('the OpenAPI document', () => {
  it('has no error and no warning in the linter', async () => {
    const folder = temporaryFolder();
    onTestFinished(() => folder.remove());
    const file = join(folder.path, 'openapi.json');
    writeFileSync(file, JSON.stringify(description));
    const program = join(ROOT, 'node_modules', '@redocly', 'cli', 'bin', 'cli.js');
    const { stdout } = await promisify(execFile)(process.execPath, [program, 'lint', file, '--format=json'], {
      cwd: folder.path,
      env: { HOME: folder.path, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' },
    }).catch((error: { stdout: string }) => error);
    const { problems, totals } = JSON.parse(stdout.slice(stdout.indexOf('{')));
    expect(problems.map(({ ruleId, message }: Record<string, string>) => `${ruleId}: ${message}`)).toEqual(
      [],
    );
    expect(totals).toMatchObject({ errors: 0, warnings: 0 });
  });

  it.each([
    ['/llms.txt', '/llms.txt'],
    ['/ledger/key', '/ledger/key'],
    ['/ledger/checkpoint', '/ledger/checkpoint'],
    ['/ledger/tile/0/000.p/5', '/ledger/tile/{level}/{index}.p/{width}'],
    ['/ledger/tile/entries/000', '/ledger/tile/{level}/{index}'],
    ['/on/2026-11-13.json', '/on/{date}.json'],
    ['/on/2026-11-12.json', '/on/{date}.json'],
  ])('describes %s', async (path, described) => {
    expect(undescribed(path, await ask(path), described)).toEqual([]);
  });
});

describe('/mcp', () => {
  const type = { 'Content-Type': 'application/json' };
  const both = { ...type, Accept: 'application/json, text/event-stream' };
  const call = (message: object) => JSON.stringify({ jsonrpc: '2.0', ...message });

  it.each<[what: string, headers: Record<string, string>, body: string, status: number]>([
    ['a call', both, call({ id: 1, method: 'tools/list' }), 200],
    ['an unknown method', both, call({ id: 1, method: 'nothing' }), 200],
    ['a notification', both, call({ method: 'notifications/initialized' }), 202],
    ['text that is not JSON', both, '{', 400],
    ['an array', both, '[]', 400],
    ['another Accept', { ...type, Accept: 'text/html' }, call({ id: 1, method: 'tools/list' }), 406],
    ['another content type', { ...both, 'Content-Type': 'text/plain' }, '{}', 415],
    ['a client over its limit', { ...both, 'X-Forwarded-For': '203.0.113.9' }, '{}', 429],
  ])('responds to %s as the OpenAPI document describes', async (_, headers, body, status) => {
    const length = { 'Content-Length': String(Buffer.byteLength(body)) };
    const response = await ask('/mcp', { ...headers, ...length }, 'POST', body);
    expect(response.status).toBe(status);
    expect(undescribed('/mcp', response, '/mcp', 'post')).toEqual([]);
  });
});

describe('the table reads', () => {
  const asAnon = (more: Record<string, string> = {}) => ({ apikey: KEY, ...more });

  it.each<[path: string, headers: Record<string, string>, status: number]>([
    ...[
      ...['market_indices', 'market_metrics', 'fear_greed_index', 'sector_strength', 'advanced_indicators'],
      ...[
        'market_sentiment',
        'market_breadth',
        'input_origins',
        'market_stocks',
        'issued_signals',
        'signal_grades',
      ],
      ...['publications', 'quality_events', 'verdict_changes'],
    ].map((table): [string, Record<string, string>, number] => [`/rest/v1/${table}`, asAnon(), 200]),
    ['/rest/v1/market_indices?limit=1', asAnon({ Prefer: 'count=exact' }), 206],
    ['/rest/v1/market_metrics?limit=1', asAnon({ Accept: 'application/vnd.pgrst.object+json' }), 200],
    ['/rest/v1/market_metrics?nothing=eq.1', asAnon(), 400],
    ['/rest/v1/market_metrics', {}, 401],
    ['/rest/v1/market_metrics', asAnon({ 'Accept-Profile': 'mailer' }), 406],
    ['/rest/v1/market_metrics', asAnon({ Accept: 'text/html' }), 415],
    ['/rest/v1/market_metrics?limit=x', asAnon(), 416],
    ['/rest/v1/market_metrics', asAnon({ 'X-Forwarded-For': '203.0.113.9' }), 429],
  ])('match the OpenAPI document: %s %j', async (path, headers, status) => {
    const response = await ask(path, headers);
    expect(response.status).toBe(status);
    expect(undescribed(path, response)).toEqual([]);
  });

  it('are all in the OpenAPI document', () => {
    const described = Object.keys(description.paths).filter((path) => path.startsWith('/rest/v1/'));
    expect(described).toHaveLength(15);
  });
});
