import { DatabaseUnavailable } from '../unavailable.ts';

interface Failure {
  message: string;
  code?: unknown;
  syscall?: unknown;
}

const isFull = ({ code, message }: Failure): boolean =>
  code === 'ENOSPC' ||
  code === 'EDQUOT' ||
  code === '53100' ||
  /no space left|disk quota|wrote only|\b(ENOSPC|EDQUOT)\b/i.test(message);

const isUnwritable = ({ code, syscall, message }: Failure): boolean =>
  // /proc refuses new folders with ENOENT.
  (code === 'ENOENT' && syscall === 'mkdir') ||
  code === 'EACCES' ||
  code === 'EPERM' ||
  code === 'EROFS' ||
  /permission denied|read-only file|\b(EACCES|EPERM|EROFS)\b/i.test(message);

const isNotAFolder = ({ code }: Failure): boolean => code === 'ENOTDIR' || code === 'EEXIST';

/** Returns the error for a failed operation in the folder of the database. */
export function unavailableFrom(failure: Failure, folder: string): DatabaseUnavailable {
  const options = { cause: failure };
  if (isFull(failure)) {
    return new DatabaseUnavailable(
      'full',
      `The disk that holds ${folder} is full. No committed data is lost. Free some space and try again.`,
      options,
    );
  }
  if (isUnwritable(failure)) {
    return new DatabaseUnavailable(
      'unwritable',
      `The data folder ${folder} cannot be written. Give this user the right to write it, or set BAROMETER_DATA_DIR to another folder.`,
      options,
    );
  }
  if (isNotAFolder(failure)) return notADatabase(folder);
  return new DatabaseUnavailable(
    'damaged',
    `The database in ${folder} cannot be opened (${firstLine(failure.message)}). Replace the folder by a backup, or move it away and start again.`,
    options,
  );
}

const firstLine = (text: string): string => (text.split('\n')[0] ?? '').replace(/\.$/, '').slice(0, 200);

/** Returns the error for a path that contains something other than a database. */
export function notADatabase(folder: string): DatabaseUnavailable {
  return new DatabaseUnavailable(
    'not a database',
    `${folder} is not a database folder. Move it away, or set BAROMETER_DATA_DIR to another folder.`,
  );
}
