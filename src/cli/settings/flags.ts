export type FlagValues = Readonly<Record<string, string | boolean | undefined>>;

export function textFlag(flags: FlagValues, name: string): string | undefined {
  const value = flags[name];
  return typeof value === 'string' ? value : undefined;
}

/** The error for a wrong flag or setting. The exit code is 2, and the message is one plain sentence. */
export class UsageError extends Error {
  override name = 'UsageError';
}
