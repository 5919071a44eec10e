import type { Outcome } from './transport.ts';

/** Mails lost in a row before the server counts as away. */
const LOST_IN_A_ROW = 5;
const LOST = 'The mail server stops answering, or breaks off, while it takes a mail.';

/** Number of mails that a run may send at once, by the outcomes so far. */
export interface Capacity {
  /** 0 once the server is away. */
  count(): number;
  /** Why the capacity was reduced, in one plain sentence; null if it was not. */
  away(): string | null;
  learn(outcome: Outcome): void;
}

/**
 * Reduces the capacity by one for each connection that the server rejects, as it may accept fewer than we open, and to
 * zero when several mails in a row are lost without a reply.
 */
export function createCapacity(connections: number): Capacity {
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
