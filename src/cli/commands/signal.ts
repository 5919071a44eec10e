import { rename, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { makeFolder } from '#database/embedded/make-folder.ts';
import { openOutbox, outboxFileName } from '#mailer/deliver/outbox.ts';
import { returnToOutbox } from '#mailer/deliver/outbox-guard.ts';
import type { MailMessage } from '#mailer/deliver/transport.ts';
import { makePreview } from '#mailer/preview.ts';
import { gradeDecisions } from '#record/grading.ts';
import { createAlerting } from '#server/jobs/alerting.ts';
import { createMailing } from '#server/jobs/mailing.ts';
import { type Log, SILENT_LOG } from '#server/log.ts';
import { createMarketReader } from '#server/page/market-reader.ts';
import { type Command, type Context, textFlag, UsageError } from '../command.ts';
import { withDatabase } from '../open-database.ts';
import { withProgress } from '../terminal/progress.ts';
import { describeSignal, needsAction } from '../terminal/signal-report.ts';

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

export const signalPreview: Command = {
  help: `Usage: npm run barometer -- signal preview [--dir DIR]

Writes the weekly signal of the current rows as ${NAME}.html, .txt and .eml. Records and sends nothing.
Prints the reason if the signal would be withheld. Exits with 1 if there is no verdict to show.

  --dir DIR   the folder for the files; default: preview/ in the data folder`,
  flags: { dir: { type: 'string' } },
  async run(context, flags) {
    const { environment, now, stdout } = context;
    const folder = resolve(textFlag(flags, 'dir') ?? join(environment.dataFolder, 'preview'));
    const { refusal, message } = await withDatabase(context, async (database) =>
      makePreview({
        settings: environment.mail,
        readMarket: await createMarketReader({ database, log: SILENT_LOG }),
        now,
      }),
    );
    if (refusal !== null) stdout.write(`It would be withheld: ${refusal}\n`);
    if (message === null) {
      stdout.write('There is no mail to show.\n');
      return 1;
    }
    const paths = await writePreview(folder, message, context);
    warnOfLinks(context);
    stdout.write(`Subject: ${message.subject}\n${paths.join('\n')}\n`);
    return 0;
  },
};

/** Creates a log that writes only the reasons of warnings. */
const warningsTo = (stderr: Context['stderr']): Log => ({
  ...SILENT_LOG,
  warn: (_event, { reason } = {}) => {
    stderr.write(`${reason}\n`);
  },
});

export const signalSend: Command = {
  help: `Usage: npm run barometer -- signal send [--now] [--to-outbox]

Issues the weekly signal if it is due, from the rows of the last close, sends all mails that are due, calls the webhooks for
new changes of the verdict, and grades the weeks whose windows have ended. A running server does so on schedule. The decision of a week is final, and each subscriber gets one mail of it. Safe to interrupt:
mails that it has begun are finished, and the next run sends the rest. Exits with 1 if the signal of the week is withheld,
the mail server is unreachable, or an interrupt left mails unsent.

  --now   issue this week's signal now, before its time (SIGNAL_AT); has no effect unless the newest rows are of a close
  --to-outbox   without SMTP_URL: write the mails into the outbox, even if this database sent earlier ones by SMTP`,
  flags: { now: { type: 'boolean' }, 'to-outbox': { type: 'boolean' } },
  async run(context, flags) {
    const { environment, now, stdout, stderr } = context;
    const { mail: settings } = environment;
    const isToOutbox = flags['to-outbox'] === true;
    if (isToOutbox && settings.smtpUrl !== null) {
      throw new UsageError('--to-outbox works only without SMTP_URL; unset it: SMTP_URL= npm run …');
    }
    const { isLeft, ...sent } = await withProgress(context, ({ report: show, signal }) =>
      withDatabase(context, async (database) => {
        if (isToOutbox) await returnToOutbox(database);
        const mailing = createMailing({
          database,
          settings,
          readMarket: await createMarketReader({ database, log: SILENT_LOG }),
          began: now(),
          now,
          // The command prints a report instead of log lines.
          log: SILENT_LOG,
          metrics: { countMails: () => undefined },
          signal,
          by: 'signal send',
        });
        const decided = await mailing.decideByHand({ atOnce: flags.now === true });
        const alerting = createAlerting({
          ...{ database, settings, webhooks: environment.alerts, now, signal, by: 'signal send' },
          log: warningsTo(stderr),
          metrics: { countAlerts: () => undefined },
        });
        await alerting.run();
        const report = await mailing.send((step) => show({ stage: 'sending', ...step }));
        const grades = await gradeDecisions(database, now());
        const outbox = settings.smtpUrl === null ? settings.outboxFolder : null;
        return { decided, report, grades, outbox, isLeft: signal.aborted && report.left > 0 };
      }),
    );
    stdout.write(`${describeSignal(sent)}\n`);
    if (sent.report.sent > 0) warnOfLinks(context);
    return needsAction(sent) || isLeft ? 1 : 0;
  },
};
