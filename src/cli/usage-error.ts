/** A wrong flag or environment value: its message is one plain sentence, and the process ends with 2. */
export class UsageError extends Error {
  override name = 'UsageError';
}
