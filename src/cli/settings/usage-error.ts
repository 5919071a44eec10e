/** The error for a wrong flag or setting. The exit code is 2, and the message is one plain sentence. */
export class UsageError extends Error {
  override name = 'UsageError';
}
