import { attempt } from './attempt.ts';
import { type ClaimedDelivery, claimDue, renewClaims } from './claims.ts';
import { type Finished, finish } from './finish.ts';
import { createLetters } from './letter.ts';
import type { Outcome } from './outcome.ts';
import type { SendOptions } from './send-options.ts';
import type { SendReport } from './send-report.ts';
import { createSlots } from './slots.ts';
import { createTicks } from './ticks.ts';

/** How often the end of a mail is written down again while the database fails: at once, then at each renewal. */
const RECORDING_TRIES = 20;

/** The mails of a run that are under way. */
export interface Flight {
  /** Makes the claims last; called at each tick. */
  renew(): Promise<void>;
  /** Claims and sends as long as anything is due, and it may. Rejects with what the database throws. */
  untilNothingIsDue(): Promise<void>;
  result(): Omit<SendReport, 'left' | 'nextDueAt'>;
}

/** `before` says how many were due when the run began, and how many of them were too old by then. */
export function createFlight(options: SendOptions, before: { due: number; expired: number }): Flight {
  const { database, transport, holder, now, signal, report } = options;
  const { makeLetter = createLetters(options) } = options;
  const counts = { sent: 0, refused: 0, later: 0, expired: before.expired };
  const problems = new Set<string>();
  const flying = new Map<number, Promise<void>>();
  const slots = createSlots(transport.connections);
  const ticks = createTicks(signal);
  let isRenewing = false;
  let done = before.expired;
  let failure: { error: unknown } | null = null;

  const isStopping = () => signal.aborted || failure !== null;
  const advance = (count: number) => {
    done += count;
    if (count > 0) report?.({ done, total: Math.max(done, before.due) });
  };

  const record = async (delivery: ClaimedDelivery, outcome: Outcome): Promise<Finished> => {
    for (let tries = 1; ; tries += 1) {
      try {
        return await finish(database, { holder, delivery, outcome, now: now() });
      } catch (error) {
        // A mail whose end is forgotten is sent once more, so a database that is away for a moment is waited for.
        if (tries >= RECORDING_TRIES || (tries > 1 && signal.aborted)) throw error;
        if (tries > 1) await ticks.next();
      }
    }
  };

  const deliver = async (delivery: ClaimedDelivery): Promise<void> => {
    const { outcome, problem } = await attempt(delivery, { makeLetter, transport });
    // What is wrong with a mail says nothing of the server.
    if (problem === null) slots.learn(outcome);
    else problems.add(problem);
    const finished = await record(delivery, outcome);
    if (finished === 'released') return;
    counts[finished] += 1;
    advance(1);
  };

  /** Answers whether anything was due. */
  const claim = async (count: number): Promise<boolean> => {
    const { deliveries, expired, skipped } = await claimDue(database, { holder, now: now(), count });
    counts.expired += expired;
    advance(expired + skipped);
    // What was claimed while the run was told to stop goes back at its end.
    if (isStopping()) return false;
    for (const delivery of deliveries) {
      const landing = deliver(delivery)
        .catch((error: unknown) => {
          failure ??= { error };
        })
        .finally(() => flying.delete(delivery.id));
      flying.set(delivery.id, landing);
    }
    return deliveries.length + expired + skipped > 0;
  };

  return {
    renew: async () => {
      ticks.tick();
      // While the database hangs one waits, not one a tick.
      if (isRenewing) return;
      isRenewing = true;
      // A database that is away for a moment is asked again; if it stays away, the claims run out.
      await renewClaims(database, holder, [...flying.keys()]).catch(() => undefined);
      isRenewing = false;
    },
    untilNothingIsDue: async () => {
      for (;;) {
        const free = isStopping() ? 0 : slots.count() - flying.size;
        const isMoreDue =
          free > 0 &&
          (await claim(free).catch((error: unknown) => {
            failure ??= { error };
            return false;
          }));
        if (isMoreDue) continue;
        if (flying.size === 0) break;
        await Promise.race(flying.values());
      }
      ticks.end();
      if (failure !== null) throw failure.error;
    },
    result: () => ({ ...counts, away: slots.away(), problems: [...problems] }),
  };
}
