import { once } from 'node:events';
import {
  createSignalSchedule,
  type Decided,
  type SignalScheduleOptions,
} from '#mailer/decide/signal-schedule.ts';
import { openOutbox } from '#mailer/deliver/outbox.ts';
import type { SendProgress, SendReport } from '#mailer/deliver/send-due.ts';
import { sendDue } from '#mailer/deliver/send-due.ts';
import { openSmtp } from '#mailer/deliver/smtp.ts';
import type { MailTransport } from '#mailer/deliver/transport.ts';
import type { MailSettings } from '#mailer/mailer-settings.ts';
import { removeExpired } from '#mailer/subscribers/remove-expired.ts';
import { dropUnconfirmed } from '#mailer/subscribers/subscription.ts';
import { readSigningKey } from '#mailer/subscribers/token.ts';
import { type Log, reasonOf } from '../log.ts';
import type { RunMetrics } from '../metrics/run-metrics.ts';
import { holderNamed } from './run-job.ts';
import type { ScheduledRun } from './schedule.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const LONGEST_PAUSE = 15 * MINUTE;
/** Longest wait for mails in progress when the process must end (ms). */
const DRAIN = 5_000;

export interface MailingOptions extends SignalScheduleOptions {
  readonly log: Log;
  readonly metrics: Pick<RunMetrics, 'countMails'>;
  /** Aborts when the process must end: no further mail is started. */
  readonly signal: AbortSignal;
  /** Name of the command that sends, such as 'serve'. */
  readonly by: string;
  readonly openTransport?: (settings: MailSettings) => MailTransport;
  /** Resolves after `ms`. */
  readonly wait?: (ms: number) => Promise<unknown>;
}

/** The job of the weekly signal in one process. The signal is decided on schedule or by a command. */
export interface Mailing {
  decideByHand(options: { atOnce: boolean }): Promise<Decided>;
  /** Sends the due mails. Throws the errors of the database. */
  send(report?: (progress: SendProgress) => void): Promise<SendReport>;
  readonly scheduledRun: ScheduledRun;
}

export const toTransport = (settings: MailSettings) =>
  settings.smtpUrl === null ? openOutbox(settings) : openSmtp(settings);

/** Rejects when `DRAIN` ms have passed after `stop` aborts. Rejects at once if `done` aborts first. */
async function drainTime(
  stop: AbortSignal,
  done: AbortSignal,
  wait: (ms: number) => Promise<unknown>,
): Promise<never> {
  if (!stop.aborted) await once(stop, 'abort', { signal: done });
  await wait(DRAIN);
  throw new Error('The mail server did not respond before the process ended.');
}

const unrefWait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms).unref());

export function createMailing(options: MailingOptions): Mailing {
  const { database, settings, now, log, metrics, signal, by } = options;
  const { openTransport = toTransport, wait = unrefWait } = options;
  const deciding = createSignalSchedule(options);
  const holder = holderNamed(by);
  const loggedProblems = new Set<string>();
  /** Number of consecutive failed connections to the mail server, and the time of the next attempt. */
  let away = { times: 0, until: 0 };
  let cleanedAt = Number.NEGATIVE_INFINITY;
  /** The newest week for which the log says that its signal waits for rows. */
  let waitsFor = '';

  function logNew(decided: Decided): Decided {
    if (decided.state !== 'new') return decided;
    const { week, status, reason, verdict, score, session } = decided.issue;
    if (status === 'issued') log.info('signal issued', { week, verdict, score, session });
    else log.warn('signal withheld', { week, reason });
    return decided;
  }

  async function decideIfDue(): Promise<void> {
    const decided = logNew(await deciding.ifDue());
    if (decided.state !== 'waiting' || decided.week === waitsFor) return;
    const { week, reason } = decided;
    log.warn('signal waits', { week, reason });
    waitsFor = week;
  }

  function logAvailability(report: SendReport): void {
    if (report.away !== null) {
      if (away.times === 0) log.warn('mail server away', { reason: report.away });
      const pause = Math.min(MINUTE * 2 ** Math.min(away.times, 10), LONGEST_PAUSE);
      away = { times: away.times + 1, until: now() + pause };
    } else if (away.times > 0 && report.sent + report.refused + report.later > 0) {
      log.info('mail server back');
      away = { times: 0, until: 0 };
    }
  }

  function logSent(report: SendReport, ms: number): void {
    const { sent, refused, later, expired, left, problems } = report;
    metrics.countMails(report);
    if (sent + refused + later + expired > 0) {
      const to = settings.smtpUrl === null ? 'outbox' : 'smtp';
      log.info('mails sent', { sent, refused, later, expired, left, to, ms });
    }
    for (const reason of problems.filter((problem) => !loggedProblems.has(problem))) {
      loggedProblems.add(reason);
      log.warn('mail problem', { reason });
    }
    logAvailability(report);
  }

  async function send(report: (progress: SendProgress) => void = () => undefined): Promise<SendReport> {
    const startedAt = now();
    const signingKey = await readSigningKey(database);
    const transport = openTransport(settings);
    const done = new AbortController();
    try {
      const sending = sendDue({ database, transport, settings, signingKey, holder, now, signal, report });
      // Mails that the mail server has not accepted in time stay claimed until their claims expire.
      const sent = await Promise.race([sending, drainTime(signal, done.signal, wait)]);
      logSent(sent, now() - startedAt);
      return sent;
    } finally {
      done.abort();
      await transport.close();
    }
  }

  /**
   * True if the pause after a failed connection has not ended. A pause that seems longer than the longest one is
   * ignored, because the clock was set back.
   */
  const isAway = () => now() < away.until && away.until - now() <= LONGEST_PAUSE;

  const logFailure = (error: unknown) => log.error('job failed', { job: 'signal', reason: reasonOf(error) });

  async function cleanDaily(): Promise<void> {
    if (Math.abs(now() - cleanedAt) < DAY) return;
    const count = await dropUnconfirmed(database, now());
    if (count > 0) log.info('never confirmed', { count });
    await removeExpired(database);
    cleanedAt = now();
  }

  return {
    decideByHand: async (options) => logNew(await deciding.byHand(options)),
    send,
    scheduledRun: {
      name: 'signal',
      everyMs: MINUTE,
      async run() {
        // Sends the due mails even if the decision fails.
        await decideIfDue().catch(logFailure);
        await cleanDaily().catch(logFailure);
        if (!signal.aborted && !isAway()) await send();
      },
    },
  };
}
