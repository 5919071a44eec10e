import { EventEmitter, once } from 'node:events';
import { isDeliverable } from '../mail-address.ts';
import { type ClaimedDelivery, claimDue, renewClaims } from './claims.ts';
import { type Finished, finish } from './finish.ts';
import { createMailMaker, MailCannotBeMade } from './make-mail.ts';
import { createCapacity } from './send-capacity.ts';
import type { SendOptions, SendReport } from './send-due.ts';
import type { Outcome } from './transport.ts';

const RENEWAL_MS = 15_000;
/** Tries to record an outcome while the database fails: two at once, then one at each renewal. */
const RECORDING_TRIES = 20;
const NOT_COMPOSED = 'A mail was refused before it was sent: it cannot be put into the form of a mail.';

const interval = (ms: number, tick: () => void): (() => void) => {
  const timer = setInterval(tick, ms);
  return () => clearInterval(timer);
};

/**
 * Claims and sends mails until none is due, the mail server is away or `signal` is aborted. `before` counts the mails due
 * at the start of the run and those of them that had expired. Rejects with the database's error.
 */
export async function sendClaimed(
  options: SendOptions,
  before: { due: number; expired: number },
): Promise<Omit<SendReport, 'left' | 'nextDueAt'>> {
  const { database, transport, holder, now, signal, report, every = interval } = options;
  const { makeMail = createMailMaker(options) } = options;
  const counts = { sent: 0, refused: 0, later: 0, expired: before.expired };
  const problems = new Set<string>();
  const underWay = new Map<number, Promise<void>>();
  const capacity = createCapacity(transport.connections);
  const renewals = new EventEmitter().setMaxListeners(0);
  let isRenewing = false;
  let done = before.expired;
  let failure: { error: unknown } | null = null;

  const isStopping = () => signal.aborted || failure !== null;
  const fail = (error: unknown) => {
    failure ??= { error };
  };
  const advance = (count: number) => {
    done += count;
    if (count > 0) report?.({ done, total: Math.max(done, before.due) });
  };

  async function renew(): Promise<void> {
    renewals.emit('renewal');
    // While the database hangs a single renewal waits for it.
    if (isRenewing) return;
    isRenewing = true;
    // A database that is away for a moment is asked again at the next renewal; if it stays away, the claims expire.
    await renewClaims(database, holder, [...underWay.keys()]).catch(() => undefined);
    isRenewing = false;
  }

  /**
   * Makes a mail and sends it. A mail that cannot be made here is retried, as a process of another version may be able
   * to. `problem` is set if the mail and not the server is at fault. Rejects with the database's error.
   */
  async function attempt(delivery: ClaimedDelivery): Promise<{ outcome: Outcome; problem: string | null }> {
    if (!isDeliverable(delivery.email)) {
      return { outcome: { result: 'refused', smtpStatus: null, isAddress: true }, problem: null };
    }
    try {
      const outcome = await transport.send(await makeMail(delivery));
      const isOurs = outcome.result === 'refused' && outcome.smtpStatus === null && !outcome.isAddress;
      return { outcome, problem: isOurs ? NOT_COMPOSED : null };
    } catch (error) {
      if (!(error instanceof MailCannotBeMade)) throw error;
      return { outcome: { result: 'later', smtpStatus: null }, problem: error.message };
    }
  }

  /** Records an outcome. Waits for a database that is away: an outcome that is lost has the mail sent again. */
  async function record(delivery: ClaimedDelivery, outcome: Outcome): Promise<Finished> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await finish(database, { holder, delivery, outcome, now: now() });
      } catch (error) {
        if (tries >= RECORDING_TRIES || (tries > 1 && signal.aborted)) throw error;
        if (tries > 1) await once(renewals, 'renewal', { signal }).catch(() => undefined);
      }
    }
  }

  async function deliver(delivery: ClaimedDelivery): Promise<void> {
    const { outcome, problem } = await attempt(delivery);
    // A problem of the mail says nothing about the server.
    if (problem === null) capacity.learn(outcome);
    else problems.add(problem);
    const finished = await record(delivery, outcome);
    if (finished === 'released') return;
    counts[finished] += 1;
    advance(1);
  }

  /** Starts at most `count` deliveries. Returns true if anything was due. */
  async function claim(count: number): Promise<boolean> {
    const { deliveries, expired, skipped } = await claimDue(database, { holder, now: now(), count });
    counts.expired += expired;
    advance(expired + skipped);
    // Claims made while the run was told to stop are released at its end.
    if (isStopping()) return false;
    for (const delivery of deliveries) {
      const delivering = deliver(delivery)
        .catch(fail)
        .finally(() => underWay.delete(delivery.id));
      underWay.set(delivery.id, delivering);
    }
    return deliveries.length + expired + skipped > 0;
  }

  const stopRenewing = every(RENEWAL_MS, renew);
  for (;;) {
    const free = isStopping() ? 0 : capacity.count() - underWay.size;
    if (free > 0 && (await claim(free).catch(fail))) continue;
    if (underWay.size === 0) break;
    await Promise.race(underWay.values());
  }
  stopRenewing();
  if (failure !== null) throw (failure as { error: unknown }).error;
  return { ...counts, away: capacity.away(), problems: [...problems] };
}
