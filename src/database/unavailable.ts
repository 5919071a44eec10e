export type UnavailableReason =
  | 'locked'
  | 'full'
  | 'unwritable'
  | 'not a database'
  | 'damaged'
  | 'misconfigured'
  | 'unreachable'
  /** The connection broke: a commit under way may have been done. */
  | 'lost'
  | 'newer'
  | 'closed';

/** The database cannot be used at all; the message is one plain sentence for whoever runs it. */
export class DatabaseUnavailable extends Error {
  readonly reason: UnavailableReason;

  constructor(reason: UnavailableReason, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'DatabaseUnavailable';
    this.reason = reason;
  }
}

/** What every use of a database after its `close` throws. */
export function databaseClosed(): DatabaseUnavailable {
  return new DatabaseUnavailable('closed', 'The database is closed.');
}
