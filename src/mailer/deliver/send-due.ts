import type { Database } from '#database/port.ts';
import { countLeft, expireOld, giveBackClaims } from './claims.ts';
import { createFlight } from './flight.ts';
import type { SendOptions } from './send-options.ts';
import type { SendReport } from './send-report.ts';
import { wayOutFault } from './way-out.ts';

const RENEWED_EVERY_MS = 15_000;

const NOTHING: SendReport = {
  ...{ sent: 0, refused: 0, later: 0, expired: 0 },
  ...{ left: 0, nextDueAt: null, away: null, problems: [] },
};

const interval = (ms: number, tick: () => void): (() => void) => {
  const timer = setInterval(tick, ms);
  return () => clearInterval(timer);
};

const turns = new WeakMap<Database, Promise<unknown>>();

/**
 * Sends what is due, as many mails at once as the transport has connections, until nothing is, the server is away
 * or `signal` is set. Any number of processes may do so at the same time; within one, runs wait for each other.
 * Rejects with what the database throws.
 */
export function sendDue(options: SendOptions): Promise<SendReport> {
  const turn = (turns.get(options.database) ?? Promise.resolve()).then(() => run(options));
  turns.set(
    options.database,
    turn.catch(() => undefined),
  );
  return turn;
}

async function run(options: SendOptions): Promise<SendReport> {
  const { database, holder, now, every = interval } = options;
  const before = await countLeft(database, now());
  // As in most minutes of the week.
  if (before.left === 0) return NOTHING;
  const { left: waiting, nextDueAt: waitingUntil } = before;
  const fault = await wayOutFault(database, options.settings.smtpUrl);
  if (fault !== null) return { ...NOTHING, left: waiting, nextDueAt: waitingUntil, away: fault };
  // Of a run of this process that failed half-way.
  await giveBackClaims(database, holder);
  const flight = createFlight(options, { due: before.due, expired: await expireOld(database, now()) });
  const stopTicking = every(RENEWED_EVERY_MS, flight.renew);
  try {
    await flight.untilNothingIsDue();
  } finally {
    stopTicking();
    // What cannot be given back runs out.
    await giveBackClaims(database, holder).catch(() => undefined);
  }
  const { left, nextDueAt } = await countLeft(database, now());
  return { ...flight.result(), left, nextDueAt };
}
