import { DatabaseUnavailable, type UnavailableReason } from '../unavailable.ts';

interface Failure {
  message: string;
  code?: unknown;
  syscall?: unknown;
}

const notAFolderOf = (folder: string) =>
  `${folder} is not a database folder. Move it away, or set BAROMETER_DATA_DIR to another folder.`;

/** Reasons with a pattern for the code, the system call and the message of a failure. */
const REASONS: readonly [UnavailableReason, RegExp, (folder: string) => string][] = [
  [
    'full',
    /^53100|\b(ENOSPC|EDQUOT)\b|no space left|disk quota|wrote only/i,
    (folder) =>
      `The disk that holds ${folder} is full. No committed data is lost. Free some space and try again.`,
  ],
  [
    'unwritable',
    // /proc refuses new folders with ENOENT.
    /^ENOENT mkdir|\b(EACCES|EPERM|EROFS)\b|permission denied|read-only file/i,
    (folder) =>
      `The data folder ${folder} cannot be written. Give this user the right to write it, or set BAROMETER_DATA_DIR to another folder.`,
  ],
  ['not a database', /^(ENOTDIR|EEXIST)\b/, notAFolderOf],
];

/** Returns the error for a failed operation in the folder of the database. */
export function unavailableFrom(failure: Failure, folder: string): DatabaseUnavailable {
  const { code, syscall, message } = failure;
  const text = `${code ?? ''} ${syscall ?? ''} ${message}`;
  for (const [reason, pattern, sentence] of REASONS) {
    if (pattern.test(text)) return new DatabaseUnavailable(reason, sentence(folder), { cause: failure });
  }
  const detail = (message.split('\n')[0] ?? '').replace(/\.$/, '').slice(0, 200);
  return new DatabaseUnavailable(
    'damaged',
    `The database in ${folder} cannot be opened (${detail}). Replace the folder by a backup, or move it away and start again.`,
    { cause: failure },
  );
}

/** Returns the error for a path that contains something other than a database. */
export const notADatabase = (folder: string): DatabaseUnavailable =>
  new DatabaseUnavailable('not a database', notAFolderOf(folder));
