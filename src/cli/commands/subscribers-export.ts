import { once } from 'node:events';
import { exportSubscribers } from '#mailer/subscribers/export-subscribers.ts';
import type { Command } from '../command.ts';
import { withDatabase } from '../open-database.ts';

/** The reader has stopped: `| head`. */
class NobodyReads extends Error {
  override name = 'NobodyReads';
}

/** Writes to a stream at the speed of its reader. Throws NobodyReads once that has stopped. */
function writerTo(stream: NodeJS.WriteStream): (text: string) => Promise<void> {
  let isOver = false;
  const over = new Promise<void>((resolve) => {
    const end = () => {
      isOver = true;
      resolve();
    };
    stream.once('error', end).once('close', end);
  });
  return async (text) => {
    if (!isOver && !stream.write(text))
      await Promise.race([once(stream, 'drain').catch(() => undefined), over]);
    if (isOver) throw new NobodyReads();
  };
}

export const subscribersExport: Command = {
  help: `Usage: npm run barometer -- subscribers export > subscribers.csv

Prints every subscriber as CSV, those who left included: address, whether it is active, and when it came, was confirmed
and left, and why. The addresses are personal data; keep the file accordingly.`,
  flags: {},
  async run(context) {
    const write = writerTo(context.stdout);
    try {
      await withDatabase(context, (database) => exportSubscribers(database, write));
    } catch (error) {
      if (!(error instanceof NobodyReads)) throw error;
    }
    return 0;
  },
};
