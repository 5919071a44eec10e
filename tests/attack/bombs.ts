import { describe, expect, it } from 'vitest';
import { onEach } from '../support/on-each.ts';
import { exchange, headerOf, rawRequest } from '../support/raw-http.ts';
import type { LoopWatch } from './loop-watch.ts';
import { ask, askTables, rowsOf, type Target } from './target.ts';

const enc = encodeURIComponent;
const times = <Item>(count: number, item: (at: number) => Item) =>
  Array.from({ length: count }, (_, at) => item(at));

const WIDEST = `select=${times(100, () => 'description').join(',')}`;

/** Patterns that take some engines exponential time. */
const PATTERNS = [
  '(a+)+$',
  '(.*)(.*)(.*)(.*)\\1\\2\\3\\4x',
  '(((((.{0,99}){0,99}){0,99}){0,99}){0,99})',
  '%_'.repeat(2_000),
  '*'.repeat(4_000),
  '(?=(a*)*)*b',
  '[[:alpha:]]{1,255}{1,255}',
  '(|a){99}{99}',
];

/** Full-text search uses no patterns, but reads every word of every row. */
const OF_WORDS = PATTERNS.slice(0, 2);

/** Requests that are short to write and expensive for the database. */
const FOR_THE_DATABASE: Record<string, (at: number) => string> = {
  'the widest rows, as many as possible': (at) => `/market_sentiment?${WIDEST}&limit=${1_000 - at}`,
  'the most columns in the order': (at) =>
    `/sector_strength?order=${times(25, (index) => `sector.desc,strength.asc.nullsfirst,created_at,id.${(index + at) % 2 ? 'asc' : 'desc'}`).join(',')}`,
  'the most lists of many values': (at) =>
    `/sector_strength?${times(18, (index) => `id=in.(${times(100, (value) => value * index + at).join(',')})`).join('&')}`,
  'lists of thousands': (at) => `/sector_strength?id=in.(${times(3_000, (value) => value + at).join(',')})`,
  'as many filters as may be, all counted': (at) =>
    `/fear_greed_index?${times(38, (index) => `index_value=gte.${index + at / 100}`).join('&')}`,
  'offsets beyond the last row': (at) =>
    `/sector_strength?offset=${at * 100_000}&limit=1000&order=sector.desc`,
};

/** Requests that are short to write and expensive for the parser. */
const FOR_THE_PARSER: Record<string, (at: number) => string> = {
  'orders of hundreds': (at) => `/sector_strength?order=${times(600 + at, () => 'sector').join(',')}`,
  'filters of hundreds': (at) => `/fear_greed_index?${times(900, () => `id=gt.${at}`).join('&')}`,
  'thousands of empty parameters': (at) => `/fear_greed_index?${'&'.repeat(12_000 + at)}`,
  'thousands of equals signs': (at) => `/fear_greed_index?${'='.repeat(12_000 + at)}`,
  'brackets within brackets': (at) => `/sector_strength?and=${'(or'.repeat(2_000 + at)}`,
  'tables within tables': (at) => `/sector_strength?select=${'a('.repeat(3_000 + at)}`,
  'thousands of negations': (at) => `/sector_strength?sector=${'not.'.repeat(3_000 + at)}eq.x`,
  arrows: (at) => `/sector_strength?sector${'-%3E'.repeat(2_000 + at)}a=eq.1`,
  'an unclosed quoted value': (at) => `/sector_strength?sector=in.(${'%22%5C%22'.repeat(1_200 + at)}`,
  'quotes that end and go on': (at) =>
    `/sector_strength?sector=in.(${'%22a%22b,'.repeat(80)}${'%22a'.repeat(3_000 + at)}`,
  'an unclosed quoted name': (at) => `/sector_strength?select=${'%22%5C'.repeat(1_500 + at)}`,
  spaces: (at) => `/sector_strength?select=${'+'.repeat(7_000 + at)}%2C${'+'.repeat(7_000)}`,
  stars: (at) => `/sector_strength?select=${'*,'.repeat(6_000 + at)}*`,
  'a limit of thousands of brackets': (at) => `/sector_strength?limit=${'('.repeat(14_000 + at)}`,
  'a limit of thousands of digits': (at) => `/sector_strength?limit=${'9'.repeat(14_000 + at)}`,
  'an offset of thousands of digits': (at) => `/sector_strength?offset=${'9'.repeat(14_000 + at)}`,
  'a number of thousands of digits': (at) => `/fear_greed_index?index_value=lt.${'9'.repeat(14_000 + at)}`,
  'an invalid timestamp': (at) => `/fear_greed_index?created_at=lt.${'-'.repeat(10_000 + at)}`,
  'a path of thousands of segments': (at) => `/${'a%2f'.repeat(3_500 + at)}`,
  'invalid UTF-8': (at) => `/fear_greed_index?index_label=eq.${'%ff'.repeat(4_500 + at)}`,
  'a text of thousands of characters': (at) =>
    `/market_sentiment?description=gt.${'%F0%9F%92%A3'.repeat(1_200 + at)}`,
};

/** Headers that are short to write and long to read. */
const HEADERS: Record<string, readonly (readonly [name: string, value: string])[]> = {
  'thousands of forwarded addresses': [['X-Forwarded-For', '127.0.0.1,'.repeat(1_500)]],
  'thousands of bracketed addresses': [['X-Forwarded-For', '[::1%'.repeat(3_000)]],
  'thousands of types': [['Accept', 'a/b;q=0.1,'.repeat(1_500)]],
  'thousands of preferences': [['Prefer', `handling=strict,${'count=exact,x,'.repeat(1_000)}`]],
  'thousands of tags': [['If-None-Match', 'W/"x",'.repeat(2_400)]],
  'thousands of encodings': [['Accept-Encoding', 'br;q=0.0000,'.repeat(1_200)]],
  'a range of thousands of digits': [['Range', `${'1'.repeat(7_000)}-${'9'.repeat(7_500)}`]],
  'thousands of headers to allow': [
    ['Origin', 'https://x.example'],
    ['Access-Control-Request-Method', 'GET'],
    ['Access-Control-Request-Headers', 'x-a,'.repeat(3_500)],
  ],
};

/** Maximum time for which a request may block the event loop (ms). */
const LONGEST_STALL_MS = 200;
const ANSWERED = [200, 206, 400, 404, 406, 415, 416, 503];

/**
 * Checks that short requests take limited time. `watch` watches our server's event loop; null if PostgREST responds.
 * `areParsed` is false to leave out the requests for the parser, because the same server code has already parsed them.
 */
export function bombs(
  target: () => Target,
  watch: LoopWatch | null,
  { areParsed }: { areParsed: boolean },
): void {
  const ROUNDS = watch === null ? 2 : 4;
  const BOMBS = watch === null || !areParsed ? FOR_THE_DATABASE : { ...FOR_THE_DATABASE, ...FOR_THE_PARSER };

  describe('many expensive requests', () => {
    it.each(Object.keys(BOMBS))('%s: each is refused or takes limited time', async (name) => {
      const bomb = BOMBS[name] as (at: number) => string;
      const answers = await onEach(times(ROUNDS, bomb), (path) =>
        askTables(target(), path, { headers: [['Prefer', 'count=exact']] }),
      );
      if (target().isOurs)
        expect(answers.map(({ status }) => status).filter((status) => !ANSWERED.includes(status))).toEqual(
          [],
        );
      for (const answer of answers) expect(rowsOf(answer)?.length ?? 0).toBeLessThanOrEqual(1_000);
    });

    it.each([
      'like',
      'ilike',
      'match',
      'imatch',
      'not.match',
      'fts',
      'plfts',
      'wfts',
      'cs',
      'cd',
      'ov',
      'sl',
      'like(any)',
      'like(all)',
      'eq(any)',
      'isdistinct',
    ])('patterns by %s: each is refused or takes limited time', async (operator) => {
      const patterns = operator.endsWith('fts') ? OF_WORDS : PATTERNS;
      const answers = await onEach(patterns, (pattern) =>
        askTables(target(), `/market_sentiment?description=${operator}.${enc(pattern)}`),
      );
      if (target().isOurs) expect(answers.map(({ status }) => status)).toEqual(patterns.map(() => 400));
      for (const answer of answers) expect(rowsOf(answer)?.length ?? 0).toBeLessThanOrEqual(1_000);
    });

    it.each(areParsed ? Object.keys(HEADERS) : [])('%s: each is handled without an error', async (name) => {
      const headers = HEADERS[name] ?? [];
      const methods = ['GET', 'HEAD', 'OPTIONS'];
      const paths = ['/market_metrics?limit=1', '/nope'];
      const asked = methods.flatMap((method) => paths.map((path) => ({ method, path })));
      const answers = await onEach(asked, ({ method, path }) =>
        askTables(target(), path, { method, headers }),
      );
      const page = target().isOurs ? [await ask(target(), target().pageUrl, '/', { headers })] : [];
      expect([...answers, ...page].map(({ status }) => status).filter((status) => status >= 500)).toEqual([]);
    });

    it('hundreds of different reads succeed or are refused with Retry-After', async () => {
      const paths = times(
        300,
        (at) => `/sector_strength?select=sector,strength&id=gt.${at}&limit=${at % 50}`,
      );
      const answers = await onEach(paths, (path) => askTables(target(), path));
      const refused = answers.filter(({ status }) => status !== 200);
      expect(
        refused.filter((answer) => answer.status !== 503 || headerOf(answer, 'retry-after') === undefined),
      ).toEqual([]);
    });

    it('all attacks at once do not delay the page and the reads of others [T4]', async () => {
      const { restUrl, anonKey } = target();
      const prefix = new URL(restUrl).pathname;
      const all = Object.values(BOMBS).flatMap((bomb) => times(ROUNDS, (at) => bomb(at + 50)));
      const lines = all.map((path) =>
        exchange(restUrl, rawRequest('GET', prefix + path, [['apikey', anonKey]]), { answers: 1 }),
      );
      const read = askTables(target(), '/market_metrics?select=id&limit=1');
      const page = target().isOurs ? ask(target(), target().pageUrl, '/') : null;
      expect(rowsOf(await read)).toHaveLength(1);
      if (page !== null) expect((await page).status).toBe(200);
      const exchanged = await Promise.all(lines);
      expect(exchanged.filter(({ answers }) => answers.length !== 1)).toEqual([]);
    });

    if (watch === null) return;
    it(`no attack blocked the event loop for ${LONGEST_STALL_MS} ms`, async () => {
      // After two round trips the watch has reported the stalls of the last attack.
      for (const path of ['/healthz', '/healthz']) await ask(target(), target().pageUrl, path);
      expect(watch.isWatching()).toBe(true);
      expect(watch.take().filter(({ own }) => own >= LONGEST_STALL_MS)).toEqual([]);
    });
  });
}
