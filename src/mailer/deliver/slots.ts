import type { Outcome } from './outcome.ts';

/** Mails lost on the way one after another, before the server is taken to be away. */
const LOST_IN_A_ROW = 5;
const LOST = 'The mail server stops answering, or breaks off, while it takes a mail.';

/** How many mails of a run may be under way at once, by how those before them ended. */
export interface Slots {
  /** 0 once the server is away. */
  count(): number;
  /** Why there are fewer than there were, in one plain sentence; null while there are not. */
  away(): string | null;
  learn(outcome: Outcome): void;
}

/**
 * Each connection that is sent away is one less, not the end of the run: a server may take fewer than we have. Mails
 * lost without a reply are their own matter, until none gets through.
 */
export function createSlots(connections: number): Slots {
  let count = connections;
  let away: string | null = null;
  let lostInARow = 0;
  return {
    count: () => count,
    away: () => away,
    learn(outcome) {
      const isLost = outcome.result === 'later' && outcome.smtpStatus === null;
      lostInARow = isLost ? lostInARow + 1 : 0;
      if (outcome.result === 'away') {
        count = Math.max(0, count - 1);
        away ??= outcome.reason;
      } else if (lostInARow >= LOST_IN_A_ROW) {
        count = 0;
        away ??= LOST;
      }
    },
  };
}
