import { createHash } from 'node:crypto';
import { rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import { makeFolder } from '#database/embedded/folders.ts';
import type { MailSettings } from '../mailer-settings.ts';
import { weekOf } from '../week.ts';
import type { AttemptOutcome } from './deliveries.ts';
import { composeMessage, type MailMessage, type MailTransport } from './send-mails.ts';

const CONNECTIONS = 5;
const NAME_CHARACTERS = 24;

/** The file name of a mail: '2026-11-16-<hash>.eml'. It hides the address and stays the same at a retry. */
export function outboxFileName({ date, messageId }: Pick<MailMessage, 'date' | 'messageId'>): string {
  const hash = createHash('sha256').update(messageId).digest('hex').slice(0, NAME_CHARACTERS);
  return `${weekOf(date)}-${hash}.eml`;
}

/** Opens the outbox folder. Each mail is written atomically into a file that only its owner can read. */
export function openOutbox({ outboxFolder }: MailSettings): MailTransport {
  const composer = createTransport({ streamTransport: true, buffer: true });
  return {
    connections: CONNECTIONS,
    send: async (message): Promise<AttemptOutcome> => {
      const { message: content } = await composer.sendMail(composeMessage(message));
      try {
        await writeMail(outboxFolder, outboxFileName(message), content as Buffer);
        return { result: 'sent' };
      } catch (error) {
        const { code = 'unknown error' } = error as NodeJS.ErrnoException;
        const reason = `The outbox folder ${outboxFolder} cannot be written (${code}). Check its permissions and the free space.`;
        return { result: 'unavailable', reason };
      }
    },
    close: async () => undefined,
  };
}

/** Writes a temporary file and renames it, so that no incomplete mail can have the name of a complete one. */
async function writeMail(folder: string, name: string, content: Buffer): Promise<void> {
  makeFolder(folder, 0o700);
  const temporary = join(folder, `.${name}.part`);
  try {
    await writeFile(temporary, content, { mode: 0o600, flush: true });
    await rename(temporary, join(folder, name));
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
}
