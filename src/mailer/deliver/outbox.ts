import { createHash } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import { makeFolder } from '#database/embedded/make-folder.ts';
import type { MailSettings } from '../mailer-settings.ts';
import { weekOf } from '../week.ts';
import { composeMessage } from './compose.ts';
import type { MailMessage, MailTransport, Outcome } from './transport.ts';

/** Files written at once. */
const CONNECTIONS = 5;
const NAME_CHARACTERS = 24;

/** '2026-11-16-<hash>.eml': without the address, and the same when the mail is made again in its week. */
export function outboxFileName({ date, messageId }: Pick<MailMessage, 'date' | 'messageId'>): string {
  const hash = createHash('sha256').update(messageId).digest('hex').slice(0, NAME_CHARACTERS);
  return `${weekOf(date)}-${hash}.eml`;
}

/** Writes mails as files readable by their owner only, each atomically. */
export function openOutbox({ outboxFolder }: MailSettings): MailTransport {
  const composer = createTransport({
    streamTransport: true,
    buffer: true,
    newline: 'windows',
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    connections: CONNECTIONS,
    send: async (message): Promise<Outcome> => {
      let content: Buffer;
      try {
        content = (await composer.sendMail(composeMessage(message))).message as Buffer;
      } catch {
        return { result: 'refused', smtpStatus: null, isAddress: false };
      }
      try {
        await keep(outboxFolder, outboxFileName(message), content);
        return { result: 'sent' };
      } catch (error) {
        const { code = 'unknown error' } = error as NodeJS.ErrnoException;
        const reason = `The outbox cannot be written (${code}): look at the folder outbox among the data.`;
        return { result: 'away', smtpStatus: null, reason };
      }
    },
    close: async () => undefined,
  };
}

/** Writes a temporary file and renames it, so that no incomplete mail remains. */
async function keep(folder: string, name: string, content: Buffer): Promise<void> {
  makeFolder(folder, 0o700);
  const beside = join(folder, `.${name}.part`);
  try {
    await writeWhole(beside, content);
    await rename(beside, join(folder, name));
  } catch (error) {
    await rm(beside, { force: true }).catch(() => undefined);
    throw error;
  }
}

async function writeWhole(path: string, content: Buffer): Promise<void> {
  const file = await open(path, 'w', 0o600);
  try {
    await file.writeFile(content);
    await file.sync();
  } finally {
    await file.close();
  }
}
