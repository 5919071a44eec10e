import { once } from 'node:events';
import { eraseFromOutbox, eraseSubscriber } from '#mailer/subscribers/erase.ts';
import { exportSubscribers } from '#mailer/subscribers/export-subscribers.ts';
import { type Command, UsageError } from '../command.ts';
import { withDatabase } from '../open-database.ts';
import { writeCount } from '../terminal/wording.ts';

/** The reader of the output closed it, as `| head` does. */
class OutputClosed extends Error {
  override name = 'OutputClosed';
}

/** Writes to a stream at the speed of its reader. Throws OutputClosed if the reader has closed it. */
function writerTo(stream: NodeJS.WriteStream): (text: string) => Promise<void> {
  let isClosed = false;
  const closed = new Promise<void>((resolve) => {
    const close = () => {
      isClosed = true;
      resolve();
    };
    stream.once('error', close).once('close', close);
  });
  return async (text) => {
    if (!isClosed && !stream.write(text))
      await Promise.race([once(stream, 'drain').catch(() => undefined), closed]);
    if (isClosed) throw new OutputClosed();
  };
}

export const subscribersExport: Command = {
  help: `Usage: npm run barometer -- subscribers export > subscribers.csv

Prints all subscribers, active or not, as CSV: address, state, the times of subscription, confirmation and unsubscription,
and the reason of the last. The addresses are personal data: protect the file.`,
  flags: {},
  async run(context) {
    const write = writerTo(context.stdout);
    try {
      await withDatabase(context, (database) => exportSubscribers(database, write));
    } catch (error) {
      if (!(error instanceof OutputClosed)) throw error;
    }
    return 0;
  },
};

export const subscribersErase: Command = {
  help: `Usage: npm run barometer -- subscribers erase ADDRESS

Deletes all data of an address: its subscriptions, the records of its mails, and its mails in the outbox. Mails that were
sent stay in its mailbox. To stop the mails and keep a record of it, use the unsubscribe link instead.
Write "--" before an address that begins with "-".`,
  flags: {},
  positionals: ['ADDRESS'],
  async run(context, _flags, [address = '']) {
    const { environment, stdout } = context;
    if (!address.includes('@')) {
      throw new UsageError('subscribers erase takes an address with an "@"; see "subscribers erase --help".');
    }
    const rows = await withDatabase(context, (database) => eraseSubscriber(database, address));
    const files = await eraseFromOutbox(environment.mail.outboxFolder, address);
    stdout.write(
      rows + files === 0
        ? 'No subscriber has that address.\n'
        : `Erased: ${writeCount(rows, 'subscription')} and ${writeCount(files, 'mail')} in the outbox.\n`,
    );
    return 0;
  },
};
