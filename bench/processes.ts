import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { newestPeriod } from '#collector/periods.ts';
import type { Database } from '#database/port.ts';
import { openPostgres } from '#database/postgres.ts';
import { type Balancer, startBalancer } from '#tests/support/balancer.ts';
import { noise } from '#tests/support/bars.ts';
import { addresses, addSubscribers } from '#tests/support/deliveries.ts';
import { type Postgres, startPostgres } from '#tests/support/postgres.ts';
import { startSmtp } from '#tests/support/smtp.ts';
import { createVisitors, type Kind, type Visitors } from '#tests/support/visitors.ts';
import { type AtEnd, temporaryFolder, withEnds } from './ends.ts';
import type { Figure } from './figure.ts';
import { pageReads } from './page-reads.ts';
import { keptFigures } from './processes-kept.ts';
import { createServers, type Servers } from './processes-servers.ts';

const SERVERS = 3;
const SECONDS = 300;
const PER_SECOND = 30;
/** Maximum number of pending requests. It is reached only if all requests hang. */
const MOST_UNDER_WAY = 256;
const SUBSCRIBERS = 4_000;
const DRAIN_SECONDS = 2;
/** Mean interval between two kills or stops (ms). */
const APART = 8_000;
/** Duration of each Postgres outage, and the points of the run at which they start (ms). */
const AWAY_MS = 5_000;
const AWAY_AT = [0.33, 0.66] as const;
/** A request rejected this long after the return of Postgres counts as failed (ms). */
const RECOVERED_IN = 5_000;
/** Time for the last run and the last mails: leases and claims of a killed server expire after a minute (ms). */
const LAST_MS = 180_000;
/** A Tuesday, 9:10 in New York, so that the first server starts with the rows of the evening before. */
const EPOCH = Date.parse('2025-11-25T14:10:00Z');
const OPENED = Date.parse('2025-11-25T14:31:00Z');
/** A simulated hour takes two minutes, so that the benchmark has several periods. */
const PACE = 30;
/** The kinds of ten consecutive requests. */
const MIX: readonly Kind[] = [
  'read',
  'page',
  'read',
  'read',
  'insert',
  'read',
  'page',
  'read',
  'read',
  'page',
];

const MIGRATIONS = resolve('supabase', 'migrations');

/**
 * Three built servers over one Postgres, behind a load balancer, with visitors who read and subscribe, hourly runs and
 * a weekly mail. For five minutes servers are killed and restarted at random, and Postgres is restarted twice.
 */
export function benchProcesses(): Promise<Figure[]> {
  return withEnds(async (atEnd) => {
    const folder = temporaryFolder(atEnd);
    const postgres = await startPostgres({ isDurable: true });
    atEnd(postgres.stop);
    const smtp = await startSmtp({ keepsTexts: false });
    atEnd(smtp.close);
    const database = await openPostgres({ url: postgres.url, migrationsFolder: MIGRATIONS });
    atEnd(database.close);
    const subscribers = addresses(SUBSCRIBERS);
    await addSubscribers(database, subscribers);
    const balancer = startBalancer();
    atEnd(balancer.close);
    const servers = createServers({
      ...{ count: SERVERS, folder: join(folder, 'data'), databaseUrl: postgres.url, smtpUrl: smtp.url },
      ...{ balancer, drainSeconds: DRAIN_SECONDS, epoch: EPOCH, pace: PACE },
    });
    atEnd(servers.end);
    await servers.start();

    const loaded = await load({ postgres, database, balancer, servers }, atEnd);
    const until = servers.now();
    await untilDone(database, newestPeriod(until));
    await servers.end();
    printSaid(servers.lines());
    const { killed, stopped, badly } = servers.ends;
    return [
      ...loaded.figures,
      { what: 'servers killed', value: killed, unit: '' },
      { what: 'servers told to end', value: stopped, unit: '' },
      { what: 'of them ended badly', value: badly, unit: '', bound: { exactly: 0 } },
      ...(await keptFigures({
        ...{ database, from: EPOCH, until, lines: servers.lines(), subscribers, kills: killed },
        ...{ mails: smtp.mails, acknowledged: loaded.visitors.tally.acknowledged },
      })),
    ];
  });
}

interface Bench {
  readonly postgres: Postgres;
  readonly database: Database;
  readonly balancer: Balancer;
  readonly servers: Servers;
}

async function load({ postgres, database, balancer, servers }: Bench, atEnd: AtEnd) {
  // Wait for the first reading of the session, which changes the reads of the page.
  while (!(await hasReadingOf(database, OPENED))) await delay(500);
  const asked = await balancer.ask({ path: '/' });
  const apikey = 'text' in asked ? (/sb_publishable_[\w-]{32}/.exec(asked.text)?.[0] ?? '') : '';
  const reads = await pageReads(asked.server?.url ?? '', apikey, servers.now());
  // Reads without compression, to compare the text.
  const plain = reads.map(({ path, headers }) => ({
    path,
    headers: { ...headers, 'accept-encoding': 'identity' },
  }));
  const outages = createOutages(postgres);
  const visitors = createVisitors({ balancer, apikey, reads: plain, isAway: outages.isAway });
  const visiting = keepVisiting(visitors, outages);
  atEnd(visiting.stop);
  const over = AbortSignal.timeout(SECONDS * 1_000);
  let ofRuns = 0;
  const [replaced] = await Promise.all([
    replaceAtRandom(servers, over),
    outages.happen(),
    killRuns(servers, database, over).then((count) => {
      ofRuns = count;
    }),
  ]);
  await Promise.all(replaced);
  const times = visiting.stop();
  const { tally } = visitors;
  for (const line of tally.failed.slice(0, 10)) console.log(`  failed: ${line}`);
  const { page, read, insert } = tally.answered;
  const figures: Figure[] = [
    { what: 'servers', value: SERVERS, unit: '' },
    { what: 'under load', value: times.seconds, unit: 's', bound: { atLeast: SECONDS } },
    { what: 'pages', value: page, unit: '' },
    { what: 'reads', value: read, unit: '' },
    { what: 'inserts', value: insert, unit: '' },
    { what: 'requests failed', value: tally.failed.length, unit: '', bound: { exactly: 0 } },
    { what: 'requests cut off with a killed server', value: tally.cutOff, unit: '' },
    { what: 'Postgres restarted', value: AWAY_AT.length, unit: '', bound: { exactly: 2 } },
    { what: 'inserts put off meanwhile', value: tally.putOff, unit: '' },
    {
      what: 'inserts taken again after',
      value: outages.recovered() / 1_000,
      unit: 's',
      bound: { atMost: RECOVERED_IN / 1_000 },
    },
    { what: '99 of 100 pages and reads within', value: times.ninetyNine, unit: 'ms' },
    { what: 'the slowest of them', value: times.slowest, unit: 'ms' },
    { what: 'the slowest while Postgres was away', value: times.slowestAway, unit: 'ms' },
    { what: 'servers killed in the middle of a run', value: ofRuns, unit: '', bound: { atLeast: 1 } },
  ];
  return { figures, visitors };
}

/** True if a reading of this time (epoch ms) or later is published. */
async function hasReadingOf(database: Database, time: number): Promise<boolean> {
  const rows = await database.transaction((transaction) =>
    transaction.query('select from public.market_metrics where created_at >= $1 limit 1', [
      new Date(time).toISOString(),
    ]),
  );
  return rows.length > 0;
}

/** Sends requests at a fixed rate, independent of the responses. Times the page and the reads. */
function keepVisiting(visitors: Visitors, outages: ReturnType<typeof createOutages>) {
  const began = performance.now();
  const taken: number[] = [];
  let [due, underWay, slowestAway] = [0, 0, 0];
  const visit = async (kind: Kind) => {
    underWay += 1;
    const asked = performance.now();
    const outcome = await visitors.visit(kind);
    underWay -= 1;
    if (kind === 'insert') {
      if ('status' in outcome && outcome.status === 503) outages.putOff();
      return;
    }
    const ms = performance.now() - asked;
    taken.push(ms);
    if (outages.isAway()) slowestAway = Math.max(slowestAway, ms);
  };
  const asking = setInterval(() => {
    for (; due < ((performance.now() - began) / 1_000) * PER_SECOND; due += 1) {
      if (underWay < MOST_UNDER_WAY) void visit(MIX[due % MIX.length] ?? 'read');
    }
  }, 5);
  return {
    stop() {
      clearInterval(asking);
      taken.sort((one, other) => one - other);
      return {
        seconds: (performance.now() - began) / 1_000,
        ninetyNine: taken[Math.floor(taken.length * 0.99)] ?? Number.NaN,
        slowest: taken.at(-1) ?? Number.NaN,
        slowestAway,
      };
    },
  };
}

/** Stops or kills one server after the other, with SIGTERM or SIGKILL. Returns those that are still restarting. */
async function replaceAtRandom(servers: Servers, over: AbortSignal): Promise<Promise<void>[]> {
  const random = noise(20_261_122);
  const replaced: Promise<void>[] = [];
  while (!over.aborted) {
    await delay(APART * (0.5 + random()));
    const how = random() < 0.5 ? 'kill' : 'stop';
    const replacing = servers.replace(how, Math.floor(random() * SERVERS));
    // Handle a rejection here, too, because `Promise.all` reports it only at the end.
    replacing.catch(() => undefined);
    replaced.push(replacing);
  }
  return replaced;
}

/** Kills the server with the collector's lease once in each third of the time. Returns the number of kills. */
async function killRuns(servers: Servers, database: Database, over: AbortSignal): Promise<number> {
  let count = 0;
  while (!over.aborted && count < 2) {
    await delay(20);
    // Try again if Postgres is down, because then no run is active.
    const isKilled = await servers.killCollector(database).catch(() => false);
    if (!isKilled) continue;
    count += 1;
    await delay((SECONDS * 1_000) / 3, undefined, { signal: over }).catch(() => undefined);
  }
  return count;
}

/** Stops and starts Postgres at the planned times. */
function createOutages(postgres: Postgres) {
  let isDown = false;
  let backAt = Number.NEGATIVE_INFINITY;
  let recovered = 0;
  const sinceBack = () => performance.now() - backAt;
  return {
    isAway: () => isDown || sinceBack() < RECOVERED_IN,
    async happen() {
      let before = 0;
      for (const share of AWAY_AT) {
        await delay((share - before) * SECONDS * 1_000);
        before = share;
        isDown = true;
        await postgres.restart(() => delay(AWAY_MS));
        isDown = false;
        backAt = performance.now();
      }
    },
    /** Records a rejected insert. */
    putOff(): void {
      if (!isDown && backAt > 0) recovered = Math.max(recovered, sinceBack());
    },
    /** Time between the return of Postgres and the last rejected insert (ms). */
    recovered: () => recovered,
  };
}

/** Prints the servers' warnings with their counts, to explain a missed bound. */
function printSaid(lines: readonly string[]): void {
  const times = new Map<string, number>();
  for (const line of lines.filter((each) => /"level":"(warn|error)"/.test(each))) {
    const [, event = line, code = ''] =
      /"event":"([^"]+)"(?:.*?"(?:code|reason)":"([^"]*)")?/.exec(line) ?? [];
    const kind = `${event} ${code}`;
    times.set(kind, (times.get(kind) ?? 0) + 1);
  }
  for (const [kind, count] of times) console.log(`  logged ${count} times: ${kind.slice(0, 160)}`);
}

/** Waits for the last due run and the last mail. A timeout is a missed bound, not an error. */
async function untilDone(database: Database, period: number): Promise<void> {
  const by = performance.now() + LAST_MS;
  for (let isDone = false; !isDone && performance.now() < by; await delay(500)) {
    const [left] = await database.transaction((transaction) =>
      transaction.query<{ mails: number; runs: number }>(
        `select (select count(*) from mailer.deliveries where status in ('pending', 'sending')) as mails,
           (select count(*) from operations.job_runs where period = $1 and status = 'succeeded') as runs`,
        [new Date(period).toISOString()],
      ),
    );
    isDone = left?.mails === 0 && left.runs === 1;
  }
}
