import { Session } from 'node:inspector/promises';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { createProblems } from '#collector/problems.ts';
import { publish } from '#collector/publish/publish.ts';
import { sessionClose } from '#domain/calendar/sessions.ts';
import { recordVerdictChange } from '#mailer/alerts/verdict-changes.ts';
import { runDue } from '#server/jobs/run-job.ts';
import { createSending } from '#server/jobs/sending.ts';
import { createRunMetrics } from '#server/metrics/counters.ts';
import { planChanges } from '#tests/support/alert-plan.ts';
import { closingRows } from '#tests/support/closing-rows.ts';
import { databaseOfEachTest } from '#tests/support/database-of-each-test.ts';
import { issueWeek, mailSettings } from '#tests/support/deliveries.ts';
import { fakeMembers } from '#tests/support/fake-providers.ts';
import { whileServed } from '#tests/support/gate-server.ts';
import { startLoopback } from '#tests/support/loopback.ts';
import { manualTimer } from '#tests/support/manual-timer.ts';
import { marketOverTime } from '#tests/support/runs-over-time.ts';
import { shared } from '#tests/support/shared.ts';
import { startSmtp } from '#tests/support/smtp.ts';
import { ROOT } from '../../scripts/set-up.mjs';

/** The accessor of an export that vite adds to a module. It runs even if another module only reads a constant. */
const ACCESSOR = /^\(\) => \{ try \{ return [\w$]+ \} catch \{\} \}$/;

const { database, run: query } = databaseOfEachTest();
const smtp = shared(startSmtp);
const webhook = shared(startLoopback);
const inspector = new Session();
const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
const counts: string[] = [];

beforeAll(async () => {
  // Otherwise the timer of the log could run during any task.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  // V8 does not count the calls of a function that it has inlined.
  setFlagsFromString('--no-opt');
  inspector.connect();
  await inspector.post('Debugger.enable');
  await inspector.post('Profiler.enable');
  await inspector.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
});
afterAll(() => {
  inspector.disconnect();
  setFlagsFromString('--opt');
  vi.useRealTimers();
  console.log(counts.join('\n'));
});

/** Performs a task, and returns the files of `src` with a function that ran. The providers are those of the tests. */
async function filesOf(task: () => Promise<unknown>): Promise<string[]> {
  // Sets all counts to 0.
  await inspector.post('Profiler.takePreciseCoverage');
  await task();
  const { result } = await inspector.post('Profiler.takePreciseCoverage');
  const files = new Set<string>();
  for (const { url, scriptId, functions } of result) {
    const [, file] = url.split(join(ROOT, 'src/'));
    const ran = functions.filter(({ ranges }) => ranges.some(({ count }) => count > 0));
    if (file === undefined || ran.length === 0) continue;
    const { scriptSource } = await inspector.post('Debugger.getScriptSource', { scriptId });
    const texts = ran.map(({ ranges: [all] }) => scriptSource.slice(all?.startOffset, all?.endOffset));
    if (texts.some((text) => !ACCESSOR.test(text))) files.add(file);
  }
  return [...files];
}

/** Fails if more files run for a task than its limit. */
function expectAtMost(limit: number, task: string, ...parts: readonly string[][]): void {
  const files = [...new Set(parts.flat())].sort();
  expect(files).not.toEqual([]);
  counts.push(`${files.length} files (at most ${limit}): ${task}`);
  expect.soft(files.length, `${task}:\n${files.join('\n')}`).toBeLessThanOrEqual(limit);
}

it('runs few files for a mail and for an alert', async () => {
  webhook.handler = (_, response) => response.writeHead(204).end();
  const settings = mailSettings({ smtpUrl: smtp.url });
  const webhooks = [{ kind: 'generic', url: webhook.url }] as const;
  let now = 0;
  const { sendMails, sendAlerts } = createSending({
    ...{ database, settings, log, now: () => now, by: 'serve', metrics: createRunMetrics() },
    ...{ webhooks: { webhooks, signingKey: Buffer.alloc(32), allowsPrivate: true } },
    signal: new AbortController().signal,
  });
  await query(`insert into public.email_subscribers (email, is_active, alerts, confirmed_at)
    values ('jane@example.org', true, true, '2025-01-01')`);
  // In both loops the last task counts. The earlier ones fill caches.
  let mail: string[] = [];
  let recording: string[] = [];
  let alert: string[][] = [];
  for (const week of [-2, -1]) {
    now = await issueWeek(database, week);
    mail = await filesOf(sendMails);
  }
  for (const { session, rows, changesFrom } of planChanges(2)) {
    if (rows === null) continue;
    now = sessionClose(session) + 5 * 3_600_000;
    await publish(database, [closingRows(session, rows)], {
      ...{ source: rows.source ?? 'live', now, clock: () => now, correctsFrom: null, calls: () => [] },
      ...{ problems: createProblems(), report: () => undefined, signal: new AbortController().signal },
      beforeCommit: async (transaction, batches) => {
        recording = await filesOf(() => recordVerdictChange(transaction, batches, { now }));
      },
    });
    if (changesFrom === null) continue;
    alert = [recording, await filesOf(sendAlerts), await filesOf(sendMails)];
  }
  expect([webhook.asked.length, smtp.mails.length]).toEqual([2, 4]);
  expectAtMost(16, 'a mail that is due', mail);
  expectAtMost(46, 'a change of the verdict, to a webhook', ...alert.slice(0, 2));
  expectAtMost(55, 'a change of the verdict, to a webhook and a mail', ...alert);
});

it('runs few files for new data, a page and a past day', async () => {
  let time = Date.parse('2025-11-24T21:35Z');
  const now = () => time;
  const source = marketOverTime({ members: fakeMembers(10), now, first: '2024-01-02', failing: () => null });
  const { every, tick } = manualTimer();
  await whileServed(database, { now, every, log }, async (server) => {
    const get = async (path: string) => {
      const response = await fetch(server.url + path);
      expect(response.status).toBe(200);
      return response.text();
    };
    const page = () => get('/');
    /** Runs the collector. Then lets the server detect the new data, and waits for their page. */
    const performAt = async (at: string) => {
      time = Date.parse(`2025-11-${at}Z`);
      const before = await page();
      const running = await filesOf(() => runDue({ database, source, now, onJob: () => undefined }));
      const showing = await filesOf(async () => {
        tick();
        await expect.poll(page).not.toBe(before);
      });
      return [running, showing] as const;
    };
    // The first runs and pages fill caches.
    for (const at of ['24T21:35', '25T15:05', '25T21:35', '26T14:45', '26T15:35']) await performAt(at);
    const inSession = await performAt('26T16:35');
    const afterClose = await performAt('26T21:35');
    // A late event of an earlier task may run during one of the pages, but not during both.
    const again = await filesOf(page);
    const further = (await filesOf(page)).filter((file) => again.includes(file));
    await get('/on/2025-11-24');
    const pastDay = await filesOf(() => get('/on/2025-11-25'));
    expectAtMost(156, 'a run within the session, and its page', ...inSession);
    expectAtMost(162, 'a run after the close, and its page', ...afterClose);
    expectAtMost(104, 'the first page after new data', inSession[1]);
    expectAtMost(6, 'each further page', further);
    expectAtMost(82, 'the first page of a past day', pastDay);
  });
});
