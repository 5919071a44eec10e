/** Data cannot be moved; the message is one plain sentence. */
export class MovingError extends Error {
  override name = 'MovingError';
}

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;

/** What is wrong with a folder that files are to be written into; what is no failure of the file system as it is. */
export function folderFault(error: unknown, folder: string): unknown {
  if (error instanceof MovingError || !(error instanceof Error) || !('syscall' in error)) return error;
  const reason =
    codeOf(error) === 'ENOSPC' || codeOf(error) === 'EDQUOT'
      ? `The disk that holds ${folder} is full: make room and try again.`
      : `The folder ${folder} cannot be written (${codeOf(error)}): name one that whoever has the database open may write.`;
  return new MovingError(reason, { cause: error });
}
