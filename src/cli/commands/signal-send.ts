import { returnToOutbox } from '#mailer/deliver/outbox-guard.ts';
import { createMailing } from '#server/jobs/mailing.ts';
import { SILENT_LOG } from '#server/log.ts';
import { createMarketReader } from '#server/page/market-reader.ts';
import { type Command, UsageError } from '../command.ts';
import { withDatabase } from '../open-database.ts';
import { withProgress } from '../terminal/progress.ts';
import { describeSignal, isWrong } from '../terminal/signal-report.ts';

export const signalSend: Command = {
  help: `Usage: npm run barometer -- signal send [--now] [--to-outbox]

Issues the weekly signal where it is due, from the rows of the last close, and sends every mail that is to be sent. A
server that runs does so by itself. What was issued or withheld stands for its week; who has the mail gets no other.
Safe to interrupt: mails under way are finished, and the next one sends the rest. Exits with 1 when the week is
withheld, the mail server is away or mails are left because it was interrupted.

  --now   issue this week's signal now, without waiting for its time (SIGNAL_AT), where the newest rows are of a close;
          where they are not, it is decided at its time all the same
  --to-outbox   without SMTP_URL: write the mails into the outbox, also if others of this database were sent by SMTP`,
  flags: { now: { type: 'boolean' }, 'to-outbox': { type: 'boolean' } },
  async run(context, flags) {
    const { environment, now, stdout } = context;
    const { mail: settings } = environment;
    const isToOutbox = flags['to-outbox'] === true;
    if (isToOutbox && settings.smtpUrl !== null) {
      throw new UsageError('--to-outbox goes without SMTP_URL; unset it: SMTP_URL= npm run …');
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
          // It reports at its end instead.
          log: SILENT_LOG,
          metrics: { countMails: () => undefined },
          signal,
          by: 'signal send',
        });
        const decided = await mailing.decideByHand({ atOnce: flags.now === true });
        const report = await mailing.send((step) => show({ stage: 'sending', ...step }));
        const outbox = settings.smtpUrl === null ? settings.outboxFolder : null;
        return { decided, report, outbox, isLeft: signal.aborted && report.left > 0 };
      }),
    );
    stdout.write(`${describeSignal(sent)}\n`);
    return isWrong(sent) || isLeft ? 1 : 0;
  },
};
