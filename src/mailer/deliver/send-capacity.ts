import type { Outcome } from './transport.ts';

/** If this many mails in a row are lost, the run stops. */
const LOST_IN_A_ROW = 5;
const LOST = 'The mail server times out or closes the connection while it receives a mail.';

/** The number of mails that a run may send at the same time. */
export interface Capacity {
  /** Returns this number; 0 if the run must stop. */
  count(): number;
  /** Returns the reason why the number was reduced, in one plain sentence; null if it was not reduced. */
  away(): string | null;
  /** Adjusts the number to the outcome of a mail. */
  adjust(outcome: Outcome): void;
}

/**
 * Creates a capacity. It starts at `connections`, and decreases by one for each connection that the server rejects,
 * because the server may accept fewer than we open. It falls to zero after several mails in a row were lost without a
 * reply.
 */
export function createCapacity(connections: number): Capacity {
  let count = connections;
  let away: string | null = null;
  let lostInARow = 0;
  return {
    count: () => count,
    away: () => away,
    adjust(outcome) {
      const isLost = outcome.result === 'later' && outcome.reply === null && outcome.reason === undefined;
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
