import { EventEmitter, once } from 'node:events';
import { DatabaseUnavailable } from '#database/failures.ts';
import { type Database, DatabaseError } from '#database/port.ts';
import {
  type AttemptOutcome,
  type Channel,
  type ClaimedDelivery,
  claimDue,
  countLeft,
  expireOld,
  type Message,
  type Recorded,
  readMessage,
  recordOutcome,
  releaseClaims,
  renewClaims,
} from './deliveries.ts';

export interface Sender {
  readonly channel: Channel;
  /** The targets that this process can reach, as in `claimDue`; missing for mails. */
  readonly targets?: readonly string[];
  /** Maximum number of deliveries sent at the same time. */
  readonly connections: number;
  /** Resolves with the reason why this process must send nothing, in one sentence; null if it may send. */
  refusal?(): Promise<string | null>;
  /** Sends a delivery. Rejects with the database's error, or with an error if the message cannot be made. */
  send(delivery: ClaimedDelivery, message: Message): Promise<AttemptOutcome>;
}

export interface SendOptions {
  readonly database: Database;
  readonly sender: Sender;
  /** A name that is unique among all runs of all processes, such as 'serve on host, process 12, 8f3a'. */
  readonly holder: string;
  readonly now: () => number;
  /** Aborts when the run must start no more deliveries. The run then waits for those that are already being sent. */
  readonly signal: AbortSignal;
  readonly report?: ((progress: SendProgress) => void) | undefined;
  /** The timer of the renewals: calls `tick` every `ms` milliseconds until stopped. */
  readonly every?: typeof interval;
}

/** Result of a run. The numbers count deliveries. */
export interface SendReport {
  readonly sent: number;
  /** Deliveries that are never retried: refused with 5xx, or not composed (see `problems`). */
  readonly refused: number;
  readonly later: number;
  readonly expired: number;
  /** Number of deliveries that are still pending, or that another process has claimed. */
  readonly left: number;
  /** The earliest due time (epoch ms) in `left`, in the past if another process has it; null if none is left. */
  readonly nextDueAt: number | null;
  /** The reason why no mail can be sent now, in one sentence without address or password; or null. */
  readonly unavailable: string | null;
  /** Problems that the operator should see, as plain sentences. Each occurs once. */
  readonly problems: readonly string[];
}

export interface SendProgress {
  /** Number of deliveries that were sent, refused, expired, skipped or postponed. */
  readonly done: number;
  /** Number of deliveries that were due when the run started or became due since. */
  readonly total: number;
}

const NOTHING = { sent: 0, refused: 0, later: 0, expired: 0, problems: [] } as const;

/** The message of a confirmation request. Its mail is made when it is sent. */
const CONFIRMATION: Message = { name: 'confirm', content: null };

const RENEWAL_MS = 15_000;
/** Attempts to record an outcome while the database fails: the second at once, each other at a renewal. */
const RECORDING_TRIES = 20;

/** Calls `tick` every `ms` milliseconds until stopped. Keeps the process alive, unlike the timers of other jobs. */
const interval = (ms: number, tick: () => void): (() => void) => {
  const timer = setInterval(tick, ms);
  return () => clearInterval(timer);
};

/** Returns the problem of an attempt for the operator; null if there is none. */
function problemOf(
  { messageId }: ClaimedDelivery,
  outcome: AttemptOutcome,
  recorded: Recorded,
): string | null {
  const isOurs = outcome.result === 'refused' && outcome.reply === null && !outcome.isAddress;
  const reason =
    outcome.result === 'later' ? outcome.reason : isOurs ? 'It could not be composed.' : undefined;
  if (reason === undefined) return null;
  const name = messageId === null ? 'A confirmation mail' : `Message ${messageId}`;
  return `${name} was not sent: ${reason} ${recorded === 'later' ? 'A retry follows.' : 'No retry follows.'}`;
}

/**
 * Sends the due deliveries of a channel over all its connections, until none is due, the server is unavailable, or
 * `signal` aborts. Several runs may send at the same time. A mail that the mail server accepted just before a kill is sent
 * again, with the same Message-ID, because its outcome was not recorded. Rejects with the database's error.
 */
export async function sendDue(options: SendOptions): Promise<SendReport> {
  const { database, sender, holder, now } = options;
  const { channel } = sender;
  const { due, ...before } = await countLeft(database, channel, now());
  if (before.left === 0) return { ...NOTHING, ...before, unavailable: null };
  const refusal = (await sender.refusal?.()) ?? null;
  if (refusal !== null) return { ...NOTHING, ...before, unavailable: refusal };
  const expired = await expireOld(database, channel, now());
  const result = await sendClaimed(options, { due, expired }).finally(() =>
    // If the release fails, the claims end when they expire.
    releaseClaims(database, holder).catch(() => undefined),
  );
  const { due: _, ...after } = await countLeft(database, channel, now());
  return { ...result, ...after };
}

/** Claims deliveries and sends them. `before` has the numbers of due and of expired ones at the start. */
async function sendClaimed(
  options: SendOptions,
  before: { due: number; expired: number },
): Promise<Omit<SendReport, 'left' | 'nextDueAt'>> {
  const { database, sender, holder, now, signal, report, every = interval } = options;
  const { channel, targets } = sender;
  const counts = { sent: 0, refused: 0, later: 0, expired: before.expired };
  const problems = new Set<string>();
  /** Number of issues and alerts that the server refused, and the message and the reply of the last one. */
  let refusals = { count: 0, last: '' };
  const messages = new Map<number, Promise<Message>>();
  const sending = new Map<number, Promise<void>>();
  const capacity = createCapacity(sender.connections);
  const renewals = new EventEmitter().setMaxListeners(0);
  let isRenewing = false;
  let done = before.expired;
  const failed = new AbortController();

  const isStopping = () => signal.aborted || failed.signal.aborted;
  const fail = (error: unknown) => failed.abort(error);
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

  /** Returns the message of a delivery, which the run reads once. */
  function messageOf({ messageId }: ClaimedDelivery): Promise<Message> | Message {
    if (messageId === null) return CONFIRMATION;
    const message = messages.get(messageId) ?? readMessage(database, messageId);
    messages.set(messageId, message);
    return message;
  }

  /** Sends a delivery. One that cannot be made is retried: a process of another version may be able to. */
  async function attempt(delivery: ClaimedDelivery): Promise<AttemptOutcome> {
    try {
      return await sender.send(delivery, await messageOf(delivery));
    } catch (error) {
      if (error instanceof DatabaseError || error instanceof DatabaseUnavailable) throw error;
      return { result: 'later', reply: null, reason: error instanceof Error ? error.message : String(error) };
    }
  }

  /** Records an outcome. Retries without a database, because unrecorded the message would be sent again. */
  async function record(delivery: ClaimedDelivery, outcome: AttemptOutcome): Promise<Recorded> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await recordOutcome(database, delivery, { holder, outcome, now: now() });
      } catch (error) {
        if (tries >= RECORDING_TRIES || (tries > 1 && signal.aborted)) throw error;
        if (tries > 1) await once(renewals, 'renewal', { signal }).catch(() => undefined);
      }
    }
  }

  async function deliver(delivery: ClaimedDelivery): Promise<void> {
    const outcome = await attempt(delivery);
    capacity.adjust(outcome);
    const recorded = await record(delivery, outcome);
    if (recorded === 'released') return;
    const problem = problemOf(delivery, outcome, recorded);
    if (problem !== null) problems.add(problem);
    if (outcome.result === 'refused' && outcome.reply !== null && delivery.messageId !== null)
      refusals = { count: refusals.count + 1, last: `Message ${delivery.messageId}: ${outcome.reply}` };
    counts[recorded] += 1;
    advance(1);
  }

  /** Claims at most `count` deliveries and starts to send them. Returns true if any delivery was due. */
  async function claim(count: number): Promise<boolean> {
    const claimed = await claimDue(database, { channel, targets, holder, now: now(), count });
    const { deliveries, expired, skipped } = claimed;
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
  failed.signal.throwIfAborted();
  if (refusals.count > Math.max(1, counts.sent))
    problems.add(
      `The mail server refused ${refusals.count} mails and accepted ${counts.sent}. Check that it relays mails of MAIL_FROM to any address. The last reply: ${refusals.last}.`,
    );
  return { ...counts, unavailable: capacity.unavailable(), problems: [...problems] };
}

/** If this many mails in a row are lost, the run stops. */
const LOST_IN_A_ROW = 5;
const LOST = 'The mail server times out or closes the connection while it receives a mail.';

/** The connections: one less for each that the server rejects, zero after several lost mails in a row. */
export function createCapacity(connections: number) {
  let count = connections;
  let unavailable: string | null = null;
  let lostInARow = 0;
  return {
    count: () => count,
    unavailable: () => unavailable,
    adjust(outcome: AttemptOutcome): void {
      const isLost = outcome.result === 'later' && outcome.reply === null && outcome.reason === undefined;
      lostInARow = isLost ? lostInARow + 1 : 0;
      if (outcome.result === 'unavailable') {
        count = Math.max(0, count - 1);
        unavailable ??= outcome.reason;
      } else if (lostInARow >= LOST_IN_A_ROW) {
        count = 0;
        unavailable ??= LOST;
      }
    },
  };
}
