/** What a run of sending did. */
export interface SendReport {
  readonly sent: number;
  /** For good: by the server, or because the mail could not be made (see `problems`). */
  readonly refused: number;
  /** Put off. */
  readonly later: number;
  /** Given up: too old to be tried (again). */
  readonly expired: number;
  /** Still pending, or under way in another process. */
  readonly left: number;
  /** When the next of those may be tried, epoch ms; may be in the past where another process has it. */
  readonly nextDueAt: number | null;
  /** Why the run ended early, in one plain sentence without address or credential; null when it did not. */
  readonly away: string | null;
  /** What an operator should look at, each a plain sentence, each once. */
  readonly problems: readonly string[];
}

/** How far a run is: mails it finished in any way, of those that were due when it began. */
export interface SendProgress {
  readonly done: number;
  readonly total: number;
}
