import pg from 'pg';
import type { AtEnd } from './ends.ts';
import type { Figure } from './figure.ts';
import { generatorOf, type Loaded } from './loaded.ts';

const PER_SECOND = 500;
const SECONDS = 12;
/** Interval between distinct reads (ms). */
const BETWEEN_NEW = 250;
/** Time after which every response must report that its data may be old (ms). */
const UNTIL_TOLD = 6_000;
/** Maximum time until a read that is not cached is refused, with the round trip (ms). */
const REFUSED_MS = 5_500;
/** Maximum time of a cached response (ms): once, the server waits a second for newer data. */
const KNOWN_MS = 1_500;
const BACK_MS = 5_000;

/** Suspends all processes of a server's Postgres during cached and uncached requests, and then resumes them. */
export async function awayFigures(loaded: Loaded, databaseUrl: string, atEnd: AtEnd): Promise<Figure[]> {
  const generate = generatorOf(loaded, atEnd);
  const pids = await processesOf(databaseUrl);
  let isAway = false;
  const signal = (name: 'SIGSTOP' | 'SIGCONT') => {
    isAway = name === 'SIGSTOP';
    for (const pid of pids) process.kill(pid, name);
  };
  atEnd(() => {
    if (isAway) signal('SIGCONT');
  });
  signal('SIGSTOP');
  const [{ answers, reasons }, refused, ages] = await Promise.all([
    generate({ perSecond: PER_SECOND, seconds: SECONDS }),
    askAnew(loaded),
    agesLater(loaded),
  ]);
  signal('SIGCONT');
  const back = await untilBack(loaded);
  for (const reason of reasons) console.log(`  database away: ${reason}`);
  const failed = answers.filter(({ batches }) => batches === null).length;
  const slowest = (values: readonly number[]) => Math.max(0, ...values);
  const wrong = refused.filter(({ isRight }) => !isRight).length;
  return [
    { what: 'database away: known answers asked for', value: answers.length, unit: '' },
    { what: 'database away: of those failed', value: failed, unit: '', bound: { exactly: 0 } },
    {
      what: 'database away: slowest known answer',
      value: slowest(answers.map(({ latency }) => latency)),
      unit: 'ms',
      bound: { atMost: KNOWN_MS },
    },
    {
      what: 'database away: reads without their age, once it is known to be away',
      value: ages.filter((age) => age === null).length,
      unit: '',
      bound: { exactly: 0 },
    },
    { what: 'database away: new reads', value: refused.length, unit: '' },
    {
      what: 'database away: of those not refused with 503 and Retry-After',
      value: wrong,
      unit: '',
      bound: { exactly: 0 },
    },
    {
      what: 'database away: slowest refusal',
      value: slowest(refused.map(({ ms }) => ms)),
      unit: 'ms',
      bound: { atMost: REFUSED_MS },
    },
    {
      what: 'database back: until reads and page show the next commit',
      value: back,
      unit: 'ms',
      bound: { atMost: BACK_MS },
    },
  ];
}

/** The processes of a Postgres, the postmaster first. */
async function processesOf(url: string): Promise<number[]> {
  const client = new pg.Client(url);
  await client.connect();
  const first = await client.query<{ text: string }>("select pg_read_file('postmaster.pid') as text");
  const others = await client.query<{ pid: number }>(
    'select pid from pg_stat_activity where pid <> pg_backend_pid()',
  );
  await client.end();
  return [Number.parseInt(first.rows[0]?.text ?? '', 10), ...others.rows.map(({ pid }) => pid)];
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** A read that was cached before the database stopped. */
function knownRead({ kinds, url }: Loaded): () => Promise<Response> {
  const known = kinds.find(({ shows }) => shows === 'newest');
  return () => fetch(`${url}${known?.path}`, { headers: known?.headers ?? {} });
}

/** Sends distinct reads. Returns the result and time of each. */
async function askAnew({ kinds, url }: Loaded): Promise<{ isRight: boolean; ms: number }[]> {
  const headers = kinds.find(({ shows }) => shows === 'newest')?.headers ?? {};
  const asked: Promise<{ isRight: boolean; ms: number }>[] = [];
  for (let at = 0; at * BETWEEN_NEW < (SECONDS - REFUSED_MS / 1000) * 1000; at += 1) {
    const began = performance.now();
    const path = `/rest/v1/market_breadth?select=advancing_stocks&advancing_stocks=gt.${at}.5&limit=1`;
    asked.push(
      fetch(`${url}${path}`, { headers }).then(async (response) => {
        await response.arrayBuffer();
        const isRight = response.status === 503 && response.headers.has('retry-after');
        return { isRight, ms: performance.now() - began };
      }),
    );
    await pause(BETWEEN_NEW);
  }
  return Promise.all(asked);
}

/** The `Age` of a cached read, after the server has noticed that the database hangs. */
async function agesLater(loaded: Loaded): Promise<(string | null)[]> {
  const read = knownRead(loaded);
  const ages: (string | null)[] = [];
  const until = performance.now() + SECONDS * 1000;
  await pause(UNTIL_TOLD);
  while (performance.now() < until) {
    const response = await read();
    await response.arrayBuffer();
    ages.push(response.headers.get('age'));
    await pause(BETWEEN_NEW);
  }
  return ages;
}

/** Commits a batch and returns the time until both a read and the page show it (ms). */
async function untilBack(loaded: Loaded): Promise<number> {
  const began = performance.now();
  const { batch } = await loaded.commit();
  const value = new RegExp(`:${batch}[,}]`);
  const read = knownRead(loaded);
  while (performance.now() - began < 2 * BACK_MS) {
    const [rows, page] = await Promise.all([
      read().then((response) => response.text()),
      fetch(loaded.url).then((response) => response.text()),
    ]);
    if (value.test(rows) && page.includes(`"instant":${loaded.epoch + batch * 1000}`)) break;
    await pause(20);
  }
  return performance.now() - began;
}
