import { rename, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { makeFolder } from '#database/embedded/make-folder.ts';
import { openOutbox, outboxFileName } from '#mailer/deliver/outbox.ts';
import type { MailMessage } from '#mailer/deliver/transport.ts';
import { makePreview } from '#mailer/preview.ts';
import { SILENT_LOG } from '#server/log.ts';
import { createMarketReader } from '#server/page/market-reader.ts';
import { type Command, textFlag } from '../command.ts';
import { withDatabase } from '../open-database.ts';
import type { Environment } from '../settings/environment.ts';

const NAME = 'weekly-signal';

/** Writes the mail into a folder in its three forms and returns their paths. */
async function writePreview(folder: string, message: MailMessage, { mail }: Environment): Promise<string[]> {
  const [html, text, whole] = ['html', 'txt', 'eml'].map((form) => join(folder, `${NAME}.${form}`)) as [
    string,
    string,
    string,
  ];
  try {
    makeFolder(folder);
    await writeFile(html, message.html);
    await writeFile(text, message.text);
  } catch (error) {
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    throw new Error(`${folder} cannot be written (${code}); choose another with --dir.`, { cause: error });
  }
  // As the outbox would have it, so that a mail program shows what a subscriber would see.
  const outcome = await openOutbox({ ...mail, outboxFolder: folder }).send(message);
  if (outcome.result !== 'sent') throw new Error(`${folder} cannot be written; choose another with --dir.`);
  await rename(join(folder, outboxFileName(message)), whole);
  return [html, text, whole];
}

export const signalPreview: Command = {
  help: `Usage: npm run barometer -- signal preview [--dir DIR]

Writes the weekly signal as it would be decided now, as ${NAME}.html, .txt and .eml, to look at. Nothing is
recorded or sent. Says whether it would be withheld and why; exits with 1 when there is no verdict to show at all.

  --dir DIR   the folder to write into; otherwise preview/ in the data folder`,
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
    const paths = await writePreview(folder, message, environment);
    stdout.write(`Subject: ${message.subject}\n${paths.join('\n')}\n`);
    return 0;
  },
};
