import { getEventListeners } from 'node:events';
import { beforeAll, describe, expect, it } from 'vitest';
import type { AttemptOutcome } from '#mailer/deliver/deliveries.ts';
import type { SendProgress } from '#mailer/deliver/send-due.ts';
import type { MailMessage } from '#mailer/deliver/send-mails.ts';
import { databaseOfTheseTests } from '#tests/support/database-of-each-test.ts';
import { addSubscribers, mailSettings } from '#tests/support/deliveries.ts';
import { acceptAnyTime } from '#tests/support/future-rows.ts';
import { rowsOf, SATURDAY } from '#tests/support/weekly-signal.ts';
import { createLog } from '../log.ts';
import { createRunMetrics } from '../metrics/counters.ts';
import { createDeciding } from './deciding.ts';
import { createSending } from './sending.ts';

const MINUTE = 60_000;
const WEEK = 7 * 24 * 60 * MINUTE;
const PEOPLE = ['jane@example.org', 'joe@example.org', 'ann@example.org'];
const SENT: AttemptOutcome = { result: 'sent' };
const UNAVAILABLE = { result: 'unavailable', reason: 'The mail server cannot be reached.' } as const;
const FRIDAYS = [
  '2026-11-13T21:00:00Z',
  '2026-11-20T21:00:00Z',
  '2026-11-27T18:00:00Z',
  '2026-12-04T21:00:00Z',
  // These rows are too old at the time of the decision.
  '2026-11-13T21:00:00Z',
  '2026-12-18T21:00:00Z',
];

/** Returns the close before a Saturday: `week` weeks after the first one. */
const closeOf = (week: number) => FRIDAYS[week] ?? '';

describe('the weekly signal in a process', () => {
  const { database, run } = databaseOfTheseTests();
  beforeAll(async () => {
    await acceptAnyTime(database);
    await addSubscribers(database, PEOPLE);
  });

  function startProcess(week: number) {
    const lines: { level: string; event: string; [field: string]: unknown }[] = [];
    const stopping = new AbortController();
    const metrics = createRunMetrics();
    const world = {
      now: SATURDAY + week * WEEK,
      sent: [] as string[],
      send: async (_: MailMessage): Promise<AttemptOutcome> => SENT,
      closed: 0,
      drain: () => new Promise<unknown>(() => undefined),
      market: async () => ({ rows: rowsOf(closeOf(week)), origins: [] }),
    };
    const now = () => world.now;
    const log = createLog({ write: (line) => lines.push(JSON.parse(line)), clock: now, format: 'json' });
    const settings = mailSettings();
    const deciding = createDeciding({
      ...{ database: database, settings, log, now, began: world.now },
      readMarket: () => world.market(),
    });
    const sending = createSending({
      ...{ database: database, settings, log, now, metrics },
      webhooks: { webhooks: [], signingKey: null, allowsPrivate: false },
      signal: stopping.signal,
      by: 'serve',
      openTransport: () => ({
        connections: 2,
        send: async (message) => {
          const outcome = await world.send(message);
          if (outcome.result === 'sent') world.sent.push(message.to);
          return outcome;
        },
        close: async () => {
          world.closed += 1;
        },
      }),
      wait: () => world.drain(),
    });
    const jobs = [deciding.scheduledRun, ...sending.scheduledRuns];
    const tick = async () => {
      for (const { name, run } of jobs)
        await run().catch((error: unknown) => log.error('job failed', { job: name, reason: String(error) }));
    };
    const events = () => lines.map(({ event }) => event);
    const waiting = () => getEventListeners(stopping.signal, 'abort').length;
    return { deciding, sending, world, lines, events, metrics, tick, waiting, stop: () => stopping.abort() };
  }

  it('is decided and sent once when due', async () => {
    const { tick, world, lines, events, metrics, waiting } = startProcess(0);
    await tick();
    expect(world.sent.sort()).toEqual([...PEOPLE].sort());
    world.now += MINUTE;
    await tick();
    expect(events()).toEqual(['signal issued', 'mails sent']);
    expect(lines[1]).toMatchObject({ sent: 3, refused: 0, left: 0, to: 'outbox' });
    expect(JSON.stringify(lines)).not.toMatch(/@|jane|joe|ann@/);
    expect(metrics.families().find(({ name }) => name === 'barometer_mails_total')?.samples).toEqual([
      { labels: { outcome: 'sent' }, value: 3 },
    ]);
    expect(world.closed).toBe(2);
    // The process runs for months, so each run must remove its listeners.
    expect(waiting()).toBe(0);
  });

  it('is retried at growing intervals while the mail server is unavailable', async () => {
    const { tick, world, lines, events } = startProcess(1);
    const triedAt: number[] = [];
    world.send = async () => {
      triedAt.push((world.now - SATURDAY - WEEK) / MINUTE);
      return UNAVAILABLE;
    };
    for (let minute = 0; minute < 50; minute += 1) {
      await tick();
      world.now += MINUTE;
    }
    expect([...new Set(triedAt)]).toEqual([0, 1, 3, 7, 15, 30, 45]);
    expect(events()).toEqual(['signal issued', 'mail server unavailable']);
    expect(lines[1]).toMatchObject({ level: 'warn', reason: UNAVAILABLE.reason });
    world.send = async () => SENT;
    for (let minute = 0; minute < 12; minute += 1) {
      await tick();
      world.now += MINUTE;
    }
    expect(events().slice(2)).toEqual(['mails sent', 'mail server back']);
    expect(world.sent).toHaveLength(3);
  });

  it('is sent even if the market cannot be read', async () => {
    const { deciding, sending, tick, world, events } = startProcess(2);
    expect(await deciding.byHand({ atOnce: false })).toMatchObject({ state: 'new' });
    const steps: SendProgress[] = [];
    expect(await sending.sendMails((step) => steps.push(step))).toMatchObject({ sent: 3, left: 0 });
    expect(steps.at(-1)).toEqual({ done: 3, total: 3 });
    expect(events()).toEqual(['signal issued', 'mails sent']);
    world.now += WEEK;
    world.market = () => Promise.reject(new Error('The database is away.'));
    await tick();
    expect(events().slice(2)).toEqual(['job failed']);
    expect(world.closed).toBe(2);
  });

  it('starts no mail when the process must end', async () => {
    const { deciding, sending, world, stop, events } = startProcess(3);
    await deciding.byHand({ atOnce: false });
    let hangs = () => {};
    const hanging = new Promise<void>((resolve) => {
      hangs = resolve;
    });
    // The time that mails in progress have to end is zero.
    world.drain = () => Promise.resolve();
    const endings: ((outcome: AttemptOutcome) => void)[] = [];
    world.send = () =>
      new Promise((resolve) => {
        endings.push(resolve);
        hangs();
      });
    const failed = expect(sending.sendMails()).rejects.toThrow('did not respond before the process ended');
    await hanging;
    stop();
    await failed;
    expect(world.closed).toBe(1);
    for (const resolve of endings) resolve({ result: 'later', reply: null });
    expect(events()).toEqual(['signal issued']);
  });

  it('ends unconfirmed subscriptions once a day', async () => {
    const { deciding, tick, world, events } = startProcess(3);
    const stale = (address: string) =>
      run(
        `insert into public.email_subscribers (email, is_active, confirmed_at, created_at)
           values ($1, true, null, $2)`,
        [address, new Date(world.now - WEEK).toISOString()],
      );
    await stale('never@example.org');
    await tick();
    await stale('late@example.org');
    world.now += MINUTE;
    await tick();
    expect(events().filter((event) => event === 'never confirmed')).toHaveLength(1);
    world.now += 24 * 60 * MINUTE;
    await tick();
    expect(events().filter((event) => event === 'never confirmed')).toHaveLength(2);
    // The command that a crontab calls does the same.
    await stale('cron@example.org');
    world.now += 24 * 60 * MINUTE;
    await deciding.byHand({ atOnce: false });
    expect(events().filter((event) => event === 'never confirmed')).toHaveLength(3);
  });

  it('logs once that it waits for rows, and once that they did not arrive', async () => {
    const { tick, world, lines, events } = startProcess(4);
    await tick();
    world.now += MINUTE;
    await tick();
    expect(events()).toEqual(['signal waits']);
    world.now += 6 * 60 * MINUTE;
    await tick();
    await tick();
    expect(lines).toMatchObject([
      { level: 'warn', event: 'signal waits', week: '2026-12-07' },
      { level: 'warn', event: 'signal withheld', week: '2026-12-07' },
    ]);
    for (const { reason, next } of lines) {
      expect(reason).toMatch(/^The newest market rows are of Fri 13 Nov 2026.* has closed since\.$/);
      expect(next).toBe('Run collect, or doctor for the reason.');
    }
  });

  it('is sent after a clock that was a day ahead is set back', async () => {
    const { tick, world } = startProcess(5);
    world.send = async () => UNAVAILABLE;
    await tick();
    world.now += 24 * 60 * MINUTE;
    await tick();
    world.now -= 24 * 60 * MINUTE - 2 * MINUTE;
    world.send = async () => SENT;
    await tick();
    // The retry times of the other mails were computed while the clock was ahead.
    expect(world.sent).toHaveLength(1);
  });
});
