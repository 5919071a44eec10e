import { rename, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { makeFolder } from '#database/embedded/folders.ts';
import { isAccepted, postWebhook } from '#mailer/alerts/send-webhooks.ts';
import { nameOfWebhook, testMessage, webhookRequest } from '#mailer/alerts/webhook-message.ts';
import { readingInstant } from '#mailer/decide/decide-week.ts';
import { makePreview } from '#mailer/decide/preview.ts';
import { readMarket } from '#mailer/decide/read-market.ts';
import { openOutbox, outboxFileName } from '#mailer/deliver/outbox.ts';
import { type MailMessage, returnToOutbox } from '#mailer/deliver/send-mails.ts';
import { isDeliverable } from '#mailer/safe-text.ts';
import { nextSignal, weekOf } from '#mailer/week.ts';
import { gradeDecisions } from '#record/grade-decisions.ts';
import { anchorServices } from '#record/ledger/anchor-services.ts';
import { createDeciding } from '#server/jobs/deciding.ts';
import { createSending, toTransport } from '#server/jobs/sending.ts';
import { SILENT_LOG } from '#server/log.ts';
import { writeDay } from '#views/day.ts';
import { type Context, command } from '../command.ts';
import { withDatabase } from '../open-database.ts';
import { UsageError } from '../settings/usage-error.ts';
import { confirm } from '../terminal/confirm.ts';
import { stopSignal, withProgress } from '../terminal/progress.ts';
import { describeSignalSend, needsAction, writeInstant, writeReason } from '../terminal/signal-report.ts';

const NAME = 'weekly-signal';

/** Writes a warning if no setting names the address that the links of the mails lead to. */
function warnOfLinks({ environment: { publicUrl, mail }, stderr }: Context): void {
  if (publicUrl !== null) return;
  stderr.write(
    `PUBLIC_URL is not set, so the links in the mails lead to ${mail.publicUrl}; set it if the page has another address.\n`,
  );
}

/** Writes the mail as HTML, as plain text and as a complete message. Returns the paths of the three files. */
async function writePreview(folder: string, message: MailMessage, { environment }: Context) {
  const html = join(folder, `${NAME}.html`);
  const text = join(folder, `${NAME}.txt`);
  const whole = join(folder, `${NAME}.eml`);
  const help = 'choose another with --dir.';
  try {
    makeFolder(folder);
    await writeFile(html, message.html);
    await writeFile(text, message.text);
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    throw new Error(`${folder} cannot be written (${code}); ${help}`, { cause: error });
  }
  // The outbox writes the message, so that its headers equal those of a subscriber's mail.
  const outcome = await openOutbox({ ...environment.mail, outboxFolder: folder }).send(message);
  if (outcome.result !== 'sent') throw new Error(`${folder} cannot be written; ${help}`);
  await rename(join(folder, outboxFileName(message)), whole);
  return [html, text, whole];
}

/** Makes the mail of the current rows, and prints why it would be withheld. Null if the rows have no verdict. */
async function currentMail(context: Context, to: string): Promise<MailMessage | null> {
  const { environment, now, stdout } = context;
  const at = now();
  const reading = await withDatabase(context, (database) => readMarket(database, readingInstant(at)));
  const { refusal, message } = makePreview(reading, { settings: environment.mail, at, to });
  if (refusal !== null) stdout.write(`It would be withheld: ${writeReason(refusal)}\n`);
  if (message === null) stdout.write('There is no mail to show: the current rows have no verdict.\n');
  return message;
}

export const signalPreview = command({
  help: `Usage: npm run barometer -- signal preview [--dir DIR]

Writes the weekly signal of the current rows as ${NAME}.html, .txt and .eml. Records and sends nothing.
Prints the reason if the signal would be withheld. Exits with 1 if there is no verdict to show.

  --dir DIR   the folder for the files; default: preview/ in the data folder`,
  flags: { dir: { type: 'string' } },
  async run(context, flags) {
    const { environment, stdout } = context;
    const folder = resolve(flags.dir ?? join(environment.dataFolder, 'preview'));
    const message = await currentMail(context, 'reader@example.org');
    if (message === null) return 1;
    const paths = await writePreview(folder, message, context);
    warnOfLinks(context);
    stdout.write(`Subject: ${message.subject}\n${paths.join('\n')}\n`);
    return 0;
  },
});

/** Sends the mail of the current rows to one address. Records nothing. Returns the exit code. */
async function sendTest(context: Context, to: string): Promise<number> {
  if (!isDeliverable(to))
    throw new UsageError(`--test is "${to}"; it must be an address that can receive mail.`);
  const { environment, stdout, stderr } = context;
  const message = await currentMail(context, to);
  if (message === null) return 1;
  const { smtpUrl, outboxFolder } = environment.mail;
  const transport = toTransport(environment.mail);
  const outcome = await transport
    .send({ ...message, subject: `Test: ${message.subject}` })
    .finally(() => transport.close());
  if (outcome.result !== 'sent') {
    stderr.write(
      'reason' in outcome
        ? `${outcome.reason}\n`
        : `The mail server did not accept the mail (${outcome.reply ?? 'without a reply'}). Check the address and the sender.\n`,
    );
    return 1;
  }
  warnOfLinks(context);
  const file = join(outboxFolder, outboxFileName(message));
  const where = smtpUrl === null ? `written to ${file}: SMTP_URL is not set` : 'sent';
  stdout.write(`The test mail was ${where}. Nothing was recorded. Its unsubscribe link is invalid.\n`);
  return 0;
}

/** Asks before `--now` issues a signal that is not due. Throws UsageError if nobody can be asked. */
async function confirmNow(context: Context): Promise<boolean> {
  const { environment, now } = context;
  const week = weekOf(now());
  const due = nextSignal(now(), environment.mail.signalTime);
  if (due.week !== week) return true;
  const effect = `--now issues the signal of the week of ${writeDay(week)} before it is due (${writeInstant(due.at)}); that week gets no other signal.`;
  const isConfirmed = await confirm(`${effect} Issue it?`, context);
  if (isConfirmed === null) throw new UsageError(`${effect} Confirm with --yes.`);
  return isConfirmed;
}

export const signalSend = command({
  help: `Usage: npm run barometer -- signal send [--now [--yes]] [--to-outbox]
       npm run barometer -- signal send --test ADDRESS

Issues the weekly signal if it is due, from the rows of the last close, sends all mails that are due, calls the webhooks for
new changes of the verdict, and grades the weeks whose windows have ended. A running server does so on schedule. The decision of a week is final, and each subscriber gets one mail of it. Safe to interrupt:
mails that it has begun are finished, and the next run sends the rest. Exits with 1 if the signal of the week is withheld,
the mail server is unreachable, or an interrupt left mails unsent.

  --now   issue this week's signal now, before its time (SIGNAL_AT), after a question; the week gets no other one.
          Has no effect unless the newest rows are of a close
  --yes   do not ask, for scripts
  --test ADDRESS   send the mail of the current rows to this address only; records nothing
  --to-outbox   without SMTP_URL: write the mails into the outbox, even if this database sent earlier ones by SMTP`,
  flags: {
    now: { type: 'boolean' },
    yes: { type: 'boolean' },
    test: { type: 'string' },
    'to-outbox': { type: 'boolean' },
  },
  async run(context, { now: atOnce = false, yes, test, 'to-outbox': isToOutbox }) {
    const { environment, now, stdout, stderr } = context;
    const { mail: settings } = environment;
    if (isToOutbox && settings.smtpUrl !== null) {
      throw new UsageError('--to-outbox works only without SMTP_URL; unset it: SMTP_URL= npm run …');
    }
    if (test !== undefined && (atOnce || isToOutbox)) {
      throw new UsageError(
        '--test sends without issuing a signal, so --now and --to-outbox cannot go with it.',
      );
    }
    if (test !== undefined) return sendTest(context, test);
    if (atOnce && !yes && !(await confirmNow(context))) {
      stdout.write('Nothing was issued or sent.\n');
      return 1;
    }
    const { isLeft, ...sent } = await withProgress(context, ({ report: show, signal }) =>
      withDatabase(context, async (database) => {
        if (isToOutbox) await returnToOutbox(database);
        // The command prints a report instead of log lines.
        const deciding = createDeciding({ database, settings, began: now(), now, log: SILENT_LOG });
        const decided = await deciding.byHand({ atOnce });
        const sending = createSending({
          ...{ database, settings, webhooks: environment.alerts, now, signal, by: 'signal send' },
          anchors: anchorServices(environment.anchors, { fetch, now, signal }),
          log: SILENT_LOG,
          metrics: { countDeliveries: () => undefined },
        });
        const failed = [await sending.sendAlerts(), await sending.sendAnchors()];
        for (const problem of failed.flatMap(({ problems }) => problems)) stderr.write(`${problem}\n`);
        const report = await sending.sendMails((step) => show({ stage: 'sending', ...step }));
        const grades = await gradeDecisions(database, now());
        const outbox = settings.smtpUrl === null ? settings.outboxFolder : null;
        return { decided, report, grades, outbox, isLeft: signal.aborted && report.left > 0 };
      }),
    );
    stdout.write(`${describeSignalSend(sent)}\n`);
    if (sent.report.sent > 0) warnOfLinks(context);
    return needsAction(sent) || isLeft ? 1 : 0;
  },
});

export const alertsTest = command({
  help: `Usage: npm run barometer -- alerts test

Sends a test message to each webhook of ALERT_WEBHOOKS and prints its response. Records nothing. Exits with 1 if one fails.`,
  flags: {},
  async run({ environment, now, stdout }) {
    const { webhooks, signingKey, allowsPrivate } = environment.alerts;
    if (webhooks.length === 0) {
      stdout.write('ALERT_WEBHOOKS is not set. Set it to kind=URL and try again.\n');
      return 1;
    }
    const signal = stopSignal();
    const message = testMessage(environment.mail, now());
    const accepted = await Promise.all(
      webhooks.map(async (webhook, place) => {
        const request = webhookRequest(webhook, message, { signingKey, now: now() });
        const result = await postWebhook(request, { allowsPrivate, signal });
        const found = result.failure ?? `status ${result.status}`;
        const outcome = isAccepted(result) ? 'accepted' : `failed, ${found}`;
        stdout.write(`${nameOfWebhook(webhook, place)}: ${outcome}\n`);
        return isAccepted(result);
      }),
    );
    return accepted.every(Boolean) ? 0 : 1;
  },
});
