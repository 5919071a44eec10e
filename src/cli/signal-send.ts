import type { SendProgress } from '#mailer/deliver/send-due.ts';
import { findServer } from './ask-server.ts';
import type { Command, Context } from './command.ts';
import { sendSignal } from './mail-operations.ts';
import { mailingHere, withDatabase } from './mailing-here.ts';
import { showProgress } from './progress.ts';
import { describeSignal, isWrong, type SignalSent } from './signal-report.ts';
import { stopSignal } from './stop-signal.ts';

type Report = (progress: SendProgress) => void;

function sendHere(context: Context, atOnce: boolean, stop: AbortSignal, report: Report): Promise<SignalSent> {
  return withDatabase(context, async (database) => {
    const mailing = await mailingHere(database, context, { by: 'signal send', signal: stop });
    return sendSignal(mailing, { atOnce }, report);
  });
}

export const signalSend: Command = {
  help: `Usage: npm run barometer -- signal send [--now]

Issues the weekly signal where it is due, from the rows of the last close, and sends every mail that is to be sent. A
server that runs does so by itself. What was issued or withheld stands for its week; who has the mail gets no other.
Safe to interrupt: mails under way are finished, and the next one sends the rest. Exits with 1 when the week is
withheld, the mail server is away or mails are left because it was interrupted.

  --now   issue this week's signal now, without waiting for its time (SIGNAL_AT), where the newest rows are of a close;
          where they are not, it is decided at its time all the same`,
  flags: { now: { type: 'boolean' } },
  async run(context, flags) {
    const { environment, now, stdout, stderr } = context;
    const atOnce = flags.now === true;
    const progress = showProgress(stderr, now);
    const report: Report = (step) => progress.report({ stage: 'sending', ...step });
    const ask = await findServer(environment);
    // A server finishes what it was asked for, whatever becomes of the command.
    const stop = ask === null ? stopSignal() : new AbortController().signal;
    try {
      const sent =
        ask === null
          ? await sendHere(context, atOnce, stop, report)
          : ((await ask('signal-send', { now: atOnce }, (line) => report(JSON.parse(line)))) as SignalSent);
      progress.end();
      stdout.write(`${describeSignal(sent)}\n`);
      const isLeft = stop.aborted && sent.report.left > 0;
      return isWrong(sent) || isLeft ? 1 : 0;
    } finally {
      progress.end();
    }
  },
};
