import type { Database } from '#database/port.ts';
import type { MailSettings } from '../mailer-settings.ts';
import { countLeft, expireOld, giveBackClaims } from './claims.ts';
import type { MakeMail } from './make-mail.ts';
import { sendClaimed } from './send-claimed.ts';
import type { MailTransport } from './transport.ts';
import { wayOutFault } from './way-out.ts';

export interface SendOptions {
  readonly database: Database;
  readonly transport: MailTransport;
  readonly settings: MailSettings;
  readonly signingKey: Uint8Array;
  /** Names this process, unlike any other: 'serve on host, process 12, 8f3a'. */
  readonly holder: string;
  readonly now: () => number;
  /** Once aborted no mail is started; those being sent are finished. */
  readonly signal: AbortSignal;
  readonly report?: (progress: SendProgress) => void;
  /** Calls `tick` every `ms` milliseconds until stopped. */
  readonly every?: (ms: number, tick: () => void) => () => void;
  /** Makes the mail of a delivery; by default the week's signal, or the confirmation mail. */
  readonly makeMail?: MakeMail | undefined;
}

/** Result of a run, in mails. */
export interface SendReport {
  readonly sent: number;
  /** For good: by the server, or because the mail could not be composed (see `problems`). */
  readonly refused: number;
  /** To be retried. */
  readonly later: number;
  /** Too old to be tried (again). */
  readonly expired: number;
  /** Still pending, or being sent by another process. */
  readonly left: number;
  /** When the next of those is due (epoch ms), in the past if another process has it; null without any. */
  readonly nextDueAt: number | null;
  /** Why the run ended early, in one plain sentence without address or credential; null if it did not. */
  readonly away: string | null;
  /** Distinct problems for the operator, each a plain sentence. */
  readonly problems: readonly string[];
}

/** Mails that a run has finished in any way, of those that were due when it started. */
export interface SendProgress {
  readonly done: number;
  readonly total: number;
}

const NOTHING: SendReport = {
  ...{ sent: 0, refused: 0, later: 0, expired: 0 },
  ...{ left: 0, nextDueAt: null, away: null, problems: [] },
};

const turns = new WeakMap<Database, Promise<unknown>>();

/**
 * Sends due mails over all connections of the transport until none is due, the mail server is away or `signal` is
 * aborted. Several processes may do so at the same time; within one, runs wait for each other. Rejects with the
 * database's error.
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
  const { database, holder, now } = options;
  const before = await countLeft(database, now());
  // The case in most minutes of a week.
  if (before.left === 0) return NOTHING;
  const { left: waiting, nextDueAt: waitingUntil } = before;
  const fault = await wayOutFault(database, options.settings.smtpUrl);
  if (fault !== null) return { ...NOTHING, left: waiting, nextDueAt: waitingUntil, away: fault };
  // Claims of an earlier run of this process that failed.
  await giveBackClaims(database, holder);
  const expired = await expireOld(database, now());
  const result = await sendClaimed(options, { due: before.due, expired }).finally(() =>
    // Claims that cannot be released expire.
    giveBackClaims(database, holder).catch(() => undefined),
  );
  const { left, nextDueAt } = await countLeft(database, now());
  return { ...result, left, nextDueAt };
}
