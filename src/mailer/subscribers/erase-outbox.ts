import { open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { plainAddress } from '../plain-address.ts';

/** Headers come first, and ours are shorter. */
const HEAD_BYTES = 16_384;

async function readHead(path: string): Promise<string> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return buffer.subarray(0, bytesRead).toString();
  } finally {
    await file.close();
  }
}

/** Whom a mail is to, by its headers; null for what is no mail of ours. */
function recipientOf(head: string): string | null {
  const headers = head.split(/\r?\n\r?\n/)[0] ?? '';
  const to = /^To:\s*(.+)$/im.exec(headers.replace(/\r?\n[ \t]+/g, ' '))?.[1];
  return to === undefined ? null : plainAddress(to.trim().replace(/^<|>$/g, ''));
}

const missing = (error: NodeJS.ErrnoException) => {
  if (error.code === 'ENOENT') return null;
  throw error;
};

/** The mails of a folder, and under both its names one that is being written: it gets its own meanwhile. */
async function mailsIn(folder: string): Promise<string[]> {
  const names = (await readdir(folder).catch(missing)) ?? [];
  const mails = names.filter((name) => /\.eml(\.part)?$/.test(name));
  return [...new Set(mails.flatMap((name) => [name, name.replace(/^\.(.*)\.part$/, '$1')]))];
}

/** Removes the mails to an address that were written into a folder, also half ones; answers how many. */
export async function eraseFromOutbox(folder: string, address: string): Promise<number> {
  const wanted = plainAddress(address);
  let count = 0;
  for (const name of await mailsIn(folder)) {
    const path = join(folder, name);
    const head = await readHead(path).catch(missing);
    if (head === null || recipientOf(head) !== wanted) continue;
    await rm(path, { force: true });
    count += 1;
  }
  return count;
}
