import { eraseFromOutbox, eraseSubscriber } from '#mailer/subscribers/erase.ts';
import { type Command, UsageError } from '../command.ts';
import { withDatabase } from '../open-database.ts';
import { writeCount } from '../terminal/write-count.ts';

export const subscribersErase: Command = {
  help: `Usage: npm run barometer -- subscribers erase ADDRESS

Removes an address for good: every subscription of it, active or not, what is known of mails to it, and mails to it in
the outbox. What it was once sent cannot be taken back. To stop mails and remember why, let it unsubscribe instead.
Before an address that begins with '-' goes a '--' of its own.`,
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
