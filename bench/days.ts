import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { createRandomStream } from '#collector/simulated/random.ts';
import { sessionsBetween } from '#domain/calendar/sessions.ts';
import { startChild } from './child.ts';
import { type AtEnd, temporaryFolder, withEnds } from './ends.ts';
import type { Figure } from './figure.ts';
import type { LoadFindings, LoadSettings } from './load-generator.ts';
import { type Answer, judge } from './load-responses.ts';
import { median } from './median.ts';
import { AS_A_BROWSER } from './page-reads.ts';
import { type Product, startProduct } from './product.ts';

const DAYS = 10_000;
/** Number of days that are requested one at a time, without visitors. */
const COLD_DAYS = 300;
const COLD_MS = 25;
/** Pause between two days, longer than the pause that the server makes between them (ms). */
const BETWEEN_COLD_MS = 450;
/** Number of clients that request days. Each requests the next day when it has received one. */
const CLIENTS = 4;
/** Rate of the requests for the page, and their connections. */
const PER_SECOND = 500;
const CONNECTIONS = 64;
const WARM_SECONDS = 5;
/** Duration of the requests for the page, without a break (s). */
const SECONDS = 60;
/** Duration of a window. Days are requested in every other window (ms). */
const WINDOW_MS = 2_000;
/** The first part of a window, which is not measured: requests for days of the window before end in it (ms). */
const LEAD_MS = 300;
const FIRST_FAILURES = 5;
const MOST_TIMES = 1.2;

/** Requests a path. Throws if the status is not 200. */
type Ask = (path: string) => Promise<void>;

/** A client whose requests share its connections. */
function clientOf(url: string, atEnd: AtEnd): Ask {
  const { hostname, port } = new URL(url);
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
  atEnd(() => agent.destroy());
  return (path) =>
    new Promise((resolve, reject) => {
      const asking = request({ agent, hostname, port, path, headers: AS_A_BROWSER }, (response) => {
        response.resume().once('error', reject);
        response.once('end', () => {
          if (response.statusCode === 200) resolve();
          else reject(new Error(`${response.statusCode} for ${path}`));
        });
      });
      asking.once('error', reject).end();
    });
}

/** All sessions of the demonstration that have a page. */
async function sessionsOf({ url, apikey }: Product): Promise<string[]> {
  const edge = async (order: 'asc' | 'desc') => {
    const address = `${url}/rest/v1/market_metrics?select=created_at&order=created_at.${order}&limit=1`;
    const [row] = (await (await fetch(address, { headers: { apikey } })).json()) as { created_at: string }[];
    return row?.created_at.slice(0, 10) ?? '';
  };
  return sessionsBetween(await edge('asc'), await edge('desc'));
}

/** Requests the page for some seconds. Throws if a request failed. */
async function visit(url: string, seconds: number): Promise<readonly Answer[]> {
  const { answers, reasons } = await withEnds((atEnd) =>
    startChild<LoadSettings, LoadFindings>('load-generator', atEnd).order({
      ...{ url, seconds, perSecond: PER_SECOND, connections: CONNECTIONS, epoch: 0 },
      kinds: [{ path: '/', headers: AS_A_BROWSER, shows: 'page' }],
    }),
  );
  if (reasons.length > 0) throw new Error(`Requests for the page failed: ${reasons.join(' ')}`);
  return answers;
}

interface Window {
  readonly isBeside: boolean;
  /** Start and end of the window (epoch ms). */
  readonly from: number;
  readonly to: number;
}

/** Requests days in every other window until `isOver`. Returns the windows. */
async function requestDays(ask: () => Promise<void>, isOver: () => boolean): Promise<Window[]> {
  const windows: Window[] = [];
  while (!isOver()) {
    const from = Date.now();
    const to = from + WINDOW_MS;
    const isBeside = windows.length % 2 === 1;
    const client = async () => {
      while (Date.now() < to) await ask();
    };
    if (isBeside) await Promise.all(Array.from({ length: CLIENTS }, client));
    else await delay(WINDOW_MS);
    windows.push({ isBeside, from: from + LEAD_MS, to });
  }
  return windows;
}

interface Pair {
  readonly alone: readonly Answer[];
  readonly beside: readonly Answer[];
}

/** The responses to requests of each window without days and the one after it. */
function pairsOf(windows: readonly Window[], answers: readonly Answer[]): Pair[] {
  const within = ({ from, to }: Window) =>
    answers.filter(({ endedAt, latency }) => endedAt - latency >= from && endedAt - latency < to);
  return windows.flatMap((window, at) => {
    const before = windows[at - 1];
    if (!window.isBeside || before === undefined) return [];
    const pair = { alone: within(before), beside: within(window) };
    // Omit a pair without a response, which a busy machine may cause.
    return pair.alone.length > 0 && pair.beside.length > 0 ? [pair] : [];
  });
}

const p99Of = (answers: readonly Answer[]) => judge(answers, []).p99;

/**
 * Measures pages of past days: the time of a page that nobody requested before, and the p99 of the page with and
 * without 10,000 random days requested beside it. Windows with and without days alternate every two seconds, so that
 * other work on the machine affects both equally.
 */
export function benchDays(): Promise<Figure[]> {
  return withEnds(async (atEnd) => {
    const product = await startProduct(temporaryFolder(atEnd), atEnd);
    const { url } = product;
    const ask = clientOf(url, atEnd);
    const sessions = await sessionsOf(product);
    const random = createRandomStream('days');
    const randomSession = () => sessions[Math.floor(random.uniform() * sessions.length)] ?? '';

    const cold = await coldTimes(ask, new Set(Array.from({ length: COLD_DAYS * 2 }, randomSession)));
    await visit(url, WARM_SECONDS);
    const pairs: Pair[] = [];
    const failures: string[] = [];
    let asked = 0;
    const askAny = async () => {
      asked += 1;
      await ask(`/on/${randomSession()}`).catch((error: unknown) => failures.push(String(error)));
    };
    while (asked < DAYS) {
      let isOver = false;
      const visiting = visit(url, SECONDS).finally(() => {
        isOver = true;
      });
      const [answers, windows] = await Promise.all([visiting, requestDays(askAny, () => isOver)]);
      pairs.push(...pairsOf(windows.slice(0, -1), answers));
      console.log(`  ${asked} days, ${failures.length} failed`);
    }
    for (const failure of failures.slice(0, FIRST_FAILURES)) console.log(`  ${failure}`);
    const ratios = pairs.map(({ alone, beside }) => p99Of(beside) / p99Of(alone));
    return [
      { what: 'a day nobody requested before', value: median(cold), unit: 'ms', bound: { atMost: COLD_MS } },
      { what: 'random days', value: asked, unit: '', bound: { atLeast: DAYS } },
      { what: 'failed days', value: failures.length, unit: '', bound: { exactly: 0 } },
      {
        ...{ what: 'p99 of the page beside them', unit: 'ms' },
        value: p99Of(pairs.flatMap(({ beside }) => beside)),
        peer: { name: 'alone', value: p99Of(pairs.flatMap(({ alone }) => alone)) },
      },
      {
        what: 'p99 beside them, times that in the two seconds before',
        ...{ value: median(ratios), unit: '', runs: ratios, bound: { atMost: MOST_TIMES } },
      },
    ];
  });
}

/** Response times (ms) of these days, requested one after another. */
async function coldTimes(ask: Ask, sessions: Iterable<string>): Promise<number[]> {
  const times: number[] = [];
  for (const session of [...sessions].slice(0, COLD_DAYS)) {
    await delay(BETWEEN_COLD_MS);
    const started = performance.now();
    await ask(`/on/${session}`);
    times.push(performance.now() - started);
  }
  return times;
}
