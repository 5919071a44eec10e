import type { Outcome } from './transport.ts';

/** Lost mails in a row after which the run stops. */
const LOST_IN_A_ROW = 5;
const LOST = 'The mail server times out or closes the connection while it receives a mail.';

/** Number of mails that a run may send at the same time. */
export interface Capacity {
  /** 0 if the run must stop. */
  count(): number;
  /** Why the capacity was reduced, in one plain sentence; null if it was not. */
  away(): string | null;
  /** Adjusts the capacity to the outcome of a mail. */
  adjust(outcome: Outcome): void;
}

/**
 * Starts with `connections`. Subtracts one for each connection that the server rejects, because it may accept fewer than
 * we open. Falls to zero after several mails in a row are lost without a reply.
 */
export function createCapacity(connections: number): Capacity {
  let count = connections;
  let away: string | null = null;
  let lostInARow = 0;
  return {
    count: () => count,
    away: () => away,
    adjust(outcome) {
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
