import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createDice } from '../tests/support/dice.ts';
import { visit } from './day-visitors.ts';
import { temporaryFolder, withEnds } from './ends.ts';
import type { Figure } from './figure.ts';
import { mutated } from './mutations.ts';
import { pageReads } from './page-reads.ts';
import { startProduct } from './product.ts';
import type { Asked } from './wrk.ts';

const SECONDS = 300;
const VISITORS = 4;
/** Connections over which mutated requests are sent, one after the other on each. */
const ATTACKERS = 4;
/**
 * Time after which a request without a response is abandoned (ms), because the server may wait for the rest of the
 * request.
 */
const GIVE_UP_MS = 200;
const LONGEST_STALL_MS = 20;
/** The first collector run and compilation cause stalls that no request causes; ignores them for this time (ms). */
const WARM_UP_MS = 10_000;

/** Preloaded into the server. Records stalls of its event loop. */
const LOOP_WATCH = pathToFileURL(join('tests', 'attack', 'loop-watch.mjs')).href;

const EMAIL = JSON.stringify({ email: 'mutant@example.org', is_active: true });

/** Requests of every route as text. */
function requestsOf(reads: readonly Asked[], apikey: string): string[] {
  const text = (line: string, headers: Readonly<Record<string, string>> = {}, body = '') => {
    const fields = Object.entries({ host: 'localhost', ...headers }).map(
      (field) => `${field.join(': ')}\r\n`,
    );
    return `${line} HTTP/1.1\r\n${fields.join('')}\r\n${body}`;
  };
  const insert = { apikey, 'content-type': 'application/json', 'content-length': String(EMAIL.length) };
  const filtered = '/rest/v1/sector_strength?select=sector,"strength"&order=created_at.desc.nullslast,id';
  const conditions = 'id=in.(1,"2",3)&strength=gte.1';
  return [
    ...reads.map(({ path, headers }) => text(`GET ${path}`, headers)),
    text(`GET ${filtered}&limit=5&offset=2&${conditions}`, {
      apikey,
      prefer: 'count=exact,return=minimal',
      accept: 'application/json;q=0.9, */*;q=0.1',
    }),
    text(`GET ${filtered}&${conditions}`, { apikey, range: '0-9', 'accept-profile': 'public' }),
    text('POST /rest/v1/email_subscribers?columns=email,is_active', insert, EMAIL),
    text('OPTIONS /rest/v1/market_metrics', {
      origin: 'https://example.org',
      'access-control-request-method': 'GET',
      'access-control-request-headers': 'apikey, prefer',
    }),
    text('GET /', { 'accept-encoding': 'gzip;q=0.5, br', 'if-none-match': 'W/"a", "b"' }),
    text('GET /feed.json', { 'x-forwarded-for': '203.0.113.7, "[2001:db8::1]:80"' }),
    text('POST /unsubscribe/D4-tW9nLRp-hZXCGdyiVDiAbmXv96ZrSChBXkKjsiWc', { 'content-length': '0' }),
    text('GET /metrics', { authorization: 'Bearer token' }),
  ];
}

/** Sends bytes over a new connection. Returns the status of the response, or 0 without one. */
function send(url: string, text: string): Promise<number> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve) => {
    let status = 0;
    const socket = connect({ host: hostname, port: Number(port) });
    socket.setTimeout(GIVE_UP_MS, () => socket.destroy());
    socket.once('connect', () => socket.write(Buffer.from(text, 'latin1')));
    socket.once('data', (chunk) => {
      status = Number(chunk.subarray(9, 12).toString());
      socket.destroy();
    });
    socket.on('error', () => undefined).once('close', () => resolve(status));
  });
}

/** The stalls of the event loop measured by the server (ms), in order. */
function ownStalls(file: string): number[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line.includes('"own"'))
    .map((line) => Number(JSON.parse(line).own));
}

/**
 * Sends mutated requests to the built product for five minutes, or `BAROMETER_BENCH_SECONDS`, while visitors read. Its
 * database is embedded and filled beforehand.
 */
export function benchMutate(): Promise<Figure[]> {
  return withEnds(async (atEnd) => {
    const folder = temporaryFolder(atEnd);
    const stalls = join(folder, 'stalls');
    const product = await startProduct(join(folder, 'data'), atEnd, {
      NODE_OPTIONS: `--import=${LOOP_WATCH}`,
      LOOP_WATCH_FILE: stalls,
      LOOP_WATCH_FROM_MS: '5',
      // No rate limit, because visitors and attackers have the same address.
      RATE_PER_SECOND: '0',
    });
    const requests = requestsOf(await pageReads(product.url, product.apikey, Date.now()), product.apikey);
    const warmUp = visit(product.url);
    await new Promise((resolve) => setTimeout(resolve, WARM_UP_MS));
    await warmUp.stop();
    const before = ownStalls(stalls).length;

    const visitors = Array.from({ length: VISITORS }, () => visit(product.url));
    const until = performance.now() + 1_000 * Number(process.env.BAROMETER_BENCH_SECONDS || SECONDS);
    const statuses = new Map<number, number>();
    await Promise.all(
      Array.from({ length: ATTACKERS }, async (_, attacker) => {
        const dice = createDice(attacker + 1);
        while (performance.now() < until) {
          const status = await send(product.url, mutated(dice.pick(requests), dice));
          statuses.set(status, (statuses.get(status) ?? 0) + 1);
        }
      }),
    );
    const fared = await Promise.all(visitors.map((visitor) => visitor.stop()));

    const sent = [...statuses.values()].reduce((sum, count) => sum + count, 0);
    const counted = (from: number, to: number) =>
      [...statuses].reduce((sum, [status, count]) => sum + (status >= from && status <= to ? count : 0), 0);
    const all = (of: 'requests' | 'failed') => fared.reduce((sum, each) => sum + each[of], 0);
    return [
      { what: 'mutated requests', value: sent, unit: '' },
      { what: 'of them admitted', value: counted(200, 399), unit: '' },
      { what: 'refused', value: counted(400, 499), unit: '' },
      { what: 'turned away as one too many (503)', value: counted(503, 503), unit: '' },
      { what: 'failed (500)', value: counted(500, 502), unit: '', bound: { exactly: 0 } },
      {
        what: 'longest stall of the event loop, own computing',
        value: Math.max(0, ...ownStalls(stalls).slice(before)),
        unit: 'ms',
        bound: { atMost: LONGEST_STALL_MS },
      },
      { what: 'requests of visitors', value: all('requests'), unit: '' },
      { what: 'of them failed', value: all('failed'), unit: '', bound: { exactly: 0 } },
      { what: 'slowest of them', value: Math.max(...fared.map(({ slowest }) => slowest)), unit: 'ms' },
    ];
  });
}
