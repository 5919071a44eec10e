import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { CDPSession } from 'playwright-core';
import { type AtEnd, temporaryFolder, withEnds } from './ends.ts';
import type { Figure } from './figure.ts';
import { median } from './median.ts';
import { withSlowPhone } from './page-first-data.ts';
import { startProduct } from './product.ts';

const RUNS = 15;
/** Time after the page has loaded in which its tasks count (ms). */
const WATCHED = 3500;
const CATEGORIES = [
  'toplevel',
  'devtools.timeline',
  'disabled-by-default-devtools.timeline',
  'v8',
  'blink.user_timing',
  'loading',
];
/** A task delays input by the part of its duration above this (ms). */
const SHORT = 50;
/** Events of a task that runs our code. Without any, the task is the browser's own. */
const OURS = /^(?:EvaluateScript|v8\.evaluateModule|FunctionCall|TimerFire|FireIdleCallback)$/;

interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds. */
  readonly ts: number;
  readonly dur?: number;
}

/** Times of one visit (ms). */
interface Visit {
  readonly firstPaint: number;
  readonly largestPaint: number;
  /** Sum of the parts above 50 ms of all tasks after the first paint. */
  readonly blocking: number;
  /** The longest task with our code after the first paint. */
  readonly longest: number;
}

function visitOf(events: readonly TraceEvent[]): Visit {
  const paint = events.findLast(({ name }) => name === 'firstContentfulPaint');
  if (paint === undefined) throw new Error('The trace has no first paint.');
  const ofPage = events.filter(({ pid }) => pid === paint.pid);
  // A navigation may start in another process than it ends in.
  const start = events.findLast(({ name, ts }) => name === 'navigationStart' && ts < paint.ts);
  if (start === undefined) throw new Error('The trace has no start of the navigation.');
  const largest = ofPage.findLast(({ name }) => name === 'largestContentfulPaint::Candidate') ?? paint;
  const complete = ofPage.filter(({ ph, tid, ts }) => ph === 'X' && tid === paint.tid && ts >= paint.ts);
  const tasks = complete.filter(({ name }) => name === 'RunTask');
  const ms = ({ dur = 0 }: TraceEvent) => dur / 1000;
  const script = complete.filter(({ name }) => OURS.test(name));
  const runsOurs = (task: TraceEvent) =>
    script.some(({ ts }) => ts >= task.ts && ts < task.ts + (task.dur ?? 0));
  return {
    firstPaint: (paint.ts - start.ts) / 1000,
    largestPaint: (largest.ts - start.ts) / 1000,
    blocking: tasks.reduce((sum, task) => sum + Math.max(0, ms(task) - SHORT), 0),
    longest: Math.max(0, ...tasks.filter(runsOurs).map(ms)),
  };
}

async function trace(session: CDPSession, visit: () => Promise<unknown>): Promise<TraceEvent[]> {
  const events: TraceEvent[] = [];
  session.on('Tracing.dataCollected', ({ value }) => {
    events.push(...(value as unknown as TraceEvent[]));
  });
  await session.send('Tracing.start', {
    transferMode: 'ReportEvents',
    traceConfig: { includedCategories: CATEGORIES },
  });
  await visit();
  const complete = new Promise((resolveTrace) => session.once('Tracing.tracingComplete', resolveTrace));
  await session.send('Tracing.end');
  await complete;
  return events;
}

/** One visit with a slow phone and an empty cache, traced. */
function visit(url: string): Promise<Visit> {
  return withSlowPhone(async (page, session) => {
    const events = await trace(session, async () => {
      await page.goto(url, { waitUntil: 'load' });
      await setTimeout(WATCHED);
    });
    return visitOf(events);
  });
}

interface Build {
  readonly url: string;
  readonly visits: Visit[];
}

async function open(checkout: string, atEnd: AtEnd): Promise<Build> {
  if (!existsSync(join(checkout, 'dist')))
    throw new Error(`${checkout} is not built. Run npm run build there.`);
  const { url } = await startProduct(join(temporaryFolder(atEnd), 'data'), atEnd, {}, checkout);
  for (;;) {
    if ((await (await fetch(url)).text()).includes('id="barometer-data"')) return { url, visits: [] };
    await setTimeout(1000);
  }
}

/**
 * The tasks of the page's first seconds, in traces of visits with a slow phone. BAROMETER_BENCH_BEFORE names the folder
 * of another, built checkout, which is measured in turn and is the peer of each figure.
 */
export function benchFirstSeconds(): Promise<Figure[]> {
  return withEnds(async (atEnd) => {
    const { BAROMETER_BENCH_BEFORE: before } = process.env;
    const now = await open('.', atEnd);
    const other = before === undefined ? null : await open(resolve(before), atEnd);
    for (let round = 1; round <= RUNS; round++) {
      // In alternating order, because a measurement can affect the next one.
      const builds = other === null ? [now] : [other, now];
      for (const build of round % 2 === 0 ? builds : builds.toReversed()) {
        const run = await visit(build.url);
        build.visits.push(run);
        const times = [run.firstPaint, run.largestPaint, run.blocking, run.longest].map((ms) => ms.toFixed());
        console.error(`  ${round} of ${RUNS}, ${build === now ? 'this' : 'other'}: ${times.join(' / ')} ms`);
      }
    }
    const figure = (what: string, of: (run: Visit) => number, bound: Figure['bound']): Figure => ({
      what,
      value: median(now.visits.map(of)),
      unit: 'ms',
      runs: now.visits.map(of),
      ...(bound !== undefined && { bound }),
      ...(other !== null && { peer: { name: 'the other build', value: median(other.visits.map(of)) } }),
    });
    return [
      figure('first paint', ({ firstPaint }) => firstPaint, undefined),
      figure('largest paint', ({ largestPaint }) => largestPaint, undefined),
      figure('blocking time after the first paint', ({ blocking }) => blocking, undefined),
      figure('longest task with our code after the first paint', ({ longest }) => longest, { atMost: 60 }),
    ];
  });
}
