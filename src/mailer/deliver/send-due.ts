import { EventEmitter, once } from 'node:events';
import { type Database, DatabaseError } from '#database/port.ts';
import { DatabaseUnavailable } from '#database/unavailable.ts';
import { isDeliverable } from '../mail-address.ts';
import type { MailSettings } from '../mailer-settings.ts';
import {
  type ClaimedDelivery,
  claimDue,
  countLeft,
  expireOld,
  releaseClaims,
  renewClaims,
} from './claims.ts';
import { createMailMaker, type MakeMail } from './make-mail.ts';
import { outboxFault } from './outbox-guard.ts';
import { type Recorded, recordOutcome } from './record-outcome.ts';
import { createCapacity } from './send-capacity.ts';
import type { MailTransport, Outcome } from './transport.ts';

export interface SendOptions {
  readonly database: Database;
  readonly transport: MailTransport;
  readonly settings: MailSettings;
  readonly signingKey: Uint8Array;
  /** A unique name of this process, such as 'serve on host, process 12, 8f3a'. */
  readonly holder: string;
  readonly now: () => number;
  /** Aborts when the run must start no more mails. The run then waits for the mails that are already being sent. */
  readonly signal: AbortSignal;
  readonly report?: (progress: SendProgress) => void;
  /** Calls `tick` every `ms` milliseconds until stopped. */
  readonly every?: (ms: number, tick: () => void) => () => void;
  /** Makes the mail of a delivery. By default, this is the stored mail or the confirmation mail. */
  readonly makeMail?: MakeMail | undefined;
}

/** Result of a run. The numbers count mails. */
export interface SendReport {
  readonly sent: number;
  /**
   * Number of mails that are never retried: the server has refused them with 5xx, or they could not be composed (see
   * `problems`).
   */
  readonly refused: number;
  /** Number of mails to be retried. */
  readonly later: number;
  /** Number of deliveries that were too old for another attempt. */
  readonly expired: number;
  /** Number of deliveries that are still pending, or that another process has claimed. */
  readonly left: number;
  /**
   * Earliest time at which one of the deliveries in `left` is due (epoch ms); null if none is left. The time is in the
   * past if another process has claimed the delivery.
   */
  readonly nextDueAt: number | null;
  /**
   * Reason why the mail server accepts no mails or this process may send none, in one sentence without address or
   * password; null otherwise.
   */
  readonly away: string | null;
  /** Problems that the operator should see. Each is one plain sentence, and occurs once. */
  readonly problems: readonly string[];
}

export interface SendProgress {
  /** Number of mails that were sent, refused, expired, skipped or postponed. */
  readonly done: number;
  /** Number of mails that were due when the run started or became due since. */
  readonly total: number;
}

const NOTHING: SendReport = {
  ...{ sent: 0, refused: 0, later: 0, expired: 0 },
  ...{ left: 0, nextDueAt: null, away: null, problems: [] },
};

/** Returns the name of a delivery's mail, for messages to the operator. */
function nameOf({ issueId, changeId }: ClaimedDelivery): string {
  if (issueId !== null) return `The mail of issue ${issueId}`;
  return changeId === null ? 'A confirmation mail' : `The mail of change ${changeId}`;
}

const RENEWAL_MS = 15_000;
/**
 * Maximum number of attempts to record an outcome while the database fails. The second follows the first immediately,
 * each other waits for the next renewal.
 */
const RECORDING_TRIES = 20;

const interval = (ms: number, tick: () => void): (() => void) => {
  const timer = setInterval(tick, ms);
  return () => clearInterval(timer);
};

/** The last run on each database. */
const runs = new WeakMap<Database, Promise<unknown>>();

/**
 * Sends due mails over all connections of the transport, until no mail is due, the mail server is unavailable, or
 * `signal` aborts. Several processes may send at the same time. Runs in one process wait for each other. Rejects with
 * the database's error.
 */
export function sendDue(options: SendOptions): Promise<SendReport> {
  const sending = (runs.get(options.database) ?? Promise.resolve()).then(() => run(options));
  runs.set(
    options.database,
    sending.catch(() => undefined),
  );
  return sending;
}

async function run(options: SendOptions): Promise<SendReport> {
  const { database, holder, now } = options;
  const before = await countLeft(database, now());
  if (before.left === 0) return NOTHING;
  const fault = await outboxFault(database, options.settings.smtpUrl);
  if (fault !== null) return { ...NOTHING, left: before.left, nextDueAt: before.nextDueAt, away: fault };
  // An earlier run of this process may have failed to release its claims.
  await releaseClaims(database, holder);
  const expired = await expireOld(database, now());
  const result = await sendClaimed(options, { due: before.due, expired }).finally(() =>
    // If the release fails, the claims end when they expire.
    releaseClaims(database, holder).catch(() => undefined),
  );
  const { left, nextDueAt } = await countLeft(database, now());
  return { ...result, left, nextDueAt };
}

/**
 * Claims deliveries and sends their mails. `before` has the number of mails that were due at the start of the run, and
 * the number of expired mails among them.
 */
async function sendClaimed(
  options: SendOptions,
  before: { due: number; expired: number },
): Promise<Omit<SendReport, 'left' | 'nextDueAt'>> {
  const { database, transport, holder, now, signal, report, every = interval } = options;
  const { makeMail = createMailMaker(options) } = options;
  const counts = { sent: 0, refused: 0, later: 0, expired: before.expired };
  const problems = new Set<string>();
  const sending = new Map<number, Promise<void>>();
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
    // If the database does not respond, only one renewal waits for it, because renewals must not overlap.
    if (isRenewing) return;
    isRenewing = true;
    // The next tick retries a failed renewal. If the database stays unavailable, the claims expire.
    await renewClaims(database, holder, [...sending.keys()]).catch(() => undefined);
    isRenewing = false;
  }

  /**
   * Makes a mail and sends it. A mail that cannot be made is retried later, because a process of another version may be
   * able to make it. `problem` is set if the mail has a fault, and null if the server has one. Rejects with the
   * database's error.
   */
  async function attempt(delivery: ClaimedDelivery): Promise<{ outcome: Outcome; problem: string | null }> {
    const { email } = delivery;
    if (!isDeliverable(email)) {
      return { outcome: { result: 'refused', smtpStatus: null, isAddress: true }, problem: null };
    }
    const name = nameOf(delivery);
    try {
      const outcome = await transport.send(await makeMail(delivery));
      const isOurs = outcome.result === 'refused' && outcome.smtpStatus === null && !outcome.isAddress;
      return {
        outcome,
        problem: isOurs ? `${name} could not be composed, so it was not sent. The next run retries.` : null,
      };
    } catch (error) {
      if (error instanceof DatabaseError || error instanceof DatabaseUnavailable) throw error;
      const reason = error instanceof Error ? error.message : String(error);
      return {
        outcome: { result: 'later', smtpStatus: null },
        problem: `${name} cannot be made: ${reason}`,
      };
    }
  }

  /**
   * Records an outcome. Retries while the database is unavailable, because without the record the mail would be sent
   * again.
   */
  async function record(delivery: ClaimedDelivery, outcome: Outcome): Promise<Recorded> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await recordOutcome(database, { holder, delivery, outcome, now: now() });
      } catch (error) {
        if (tries >= RECORDING_TRIES || (tries > 1 && signal.aborted)) throw error;
        if (tries > 1) await once(renewals, 'renewal', { signal }).catch(() => undefined);
      }
    }
  }

  async function deliver(delivery: ClaimedDelivery): Promise<void> {
    const { outcome, problem } = await attempt(delivery);
    if (problem === null) capacity.adjust(outcome);
    else problems.add(problem);
    const recorded = await record(delivery, outcome);
    if (recorded === 'released') return;
    counts[recorded] += 1;
    advance(1);
  }

  /** Claims at most `count` deliveries and starts to send them. Returns true if any delivery was due. */
  async function claim(count: number): Promise<boolean> {
    const { deliveries, expired, skipped } = await claimDue(database, { holder, now: now(), count });
    counts.expired += expired;
    advance(expired + skipped);
    // The run stopped during the claim. The end of the run releases these claims.
    if (isStopping()) return false;
    for (const delivery of deliveries) {
      const delivering = deliver(delivery)
        .catch(fail)
        .finally(() => sending.delete(delivery.id));
      sending.set(delivery.id, delivering);
    }
    return deliveries.length + expired + skipped > 0;
  }

  const stopRenewing = every(RENEWAL_MS, renew);
  for (;;) {
    const free = isStopping() ? 0 : capacity.count() - sending.size;
    if (free > 0 && (await claim(free).catch(fail))) continue;
    if (sending.size === 0) break;
    await Promise.race(sending.values());
  }
  stopRenewing();
  if (failure !== null) throw (failure as { error: unknown }).error;
  return { ...counts, away: capacity.away(), problems: [...problems] };
}
