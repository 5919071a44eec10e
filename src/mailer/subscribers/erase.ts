import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Database, DURABLE, queryOnce } from '#database/port.ts';
import { plainAddress } from '../safe-text.ts';

/** Deletes all rows of an address, in any spelling, with their deliveries, durably. Returns the number of rows. */
export async function eraseSubscriber(database: Database, address: string): Promise<number> {
  // Rows with an invalid address are stored as they were entered, so the unchanged address is compared too.
  const removed = await queryOnce(
    database,
    `delete from public.email_subscribers
     where email = mailer.plain_address($1::text) or lower(btrim(email)) = lower($1::text) returning id`,
    [address.trim()],
    DURABLE,
  );
  return removed.length;
}

/** Returns the normalized recipient in the headers of a mail; null if there is no `To` header. */
function recipientOf(mail: string): string | null {
  const headers = mail.split(/\r?\n\r?\n/, 1)[0] ?? '';
  const to = /^To:\s*(.+)$/im.exec(headers.replace(/\r?\n[ \t]+/g, ' '))?.[1];
  return to === undefined ? null : plainAddress(to.trim().replace(/^<|>$/g, ''));
}

const nullIfMissing = (error: NodeJS.ErrnoException) => {
  if (error.code === 'ENOENT') return null;
  throw error;
};

/** The mail files in a folder. For a temporary file also its final name, to which it may be renamed meanwhile. */
async function mailsIn(folder: string): Promise<string[]> {
  const names = (await readdir(folder).catch(nullIfMissing)) ?? [];
  const mails = names.filter((name) => /\.eml(\.part)?$/.test(name));
  return [...new Set(mails.flatMap((name) => [name, name.replace(/^\.(.*)\.part$/, '$1')]))];
}

/** Deletes the mails to an address from the outbox, also incomplete ones. Returns their number. */
export async function eraseFromOutbox(folder: string, address: string): Promise<number> {
  const wanted = plainAddress(address);
  let count = 0;
  for (const name of await mailsIn(folder)) {
    const path = join(folder, name);
    const mail = await readFile(path, 'utf8').catch(nullIfMissing);
    if (mail === null || recipientOf(mail) !== wanted) continue;
    await rm(path, { force: true });
    count += 1;
  }
  return count;
}
