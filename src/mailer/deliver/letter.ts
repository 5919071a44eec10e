import { type Database, DatabaseError } from '#database/port.ts';
import { DatabaseUnavailable } from '#database/unavailable.ts';
import { type IssuedSignal, readIssue } from '../decide/ledger.ts';
import { asciiDomainOf } from '../plain-address.ts';
import { renderConfirmation } from '../render/confirmation.ts';
import type { MailFrame } from '../render/mail.ts';
import { renderWeeklySignal } from '../render/weekly-signal.ts';
import type { MailSettings } from '../settings.ts';
import { makeToken, messageIdOf } from '../subscribers/token.ts';
import type { ClaimedDelivery } from './claims.ts';
import type { MailMessage } from './message.ts';

/** Makes the mail of a claimed delivery. Throws MailCannotBeMade, or what the database throws. */
export type MakeLetter = (delivery: ClaimedDelivery) => Promise<MailMessage>;

/** No mail can be made of what is stored; the message is one plain sentence. */
export class MailCannotBeMade extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'MailCannotBeMade';
  }
}

interface LetterOptions {
  readonly database: Database;
  readonly settings: MailSettings;
  readonly signingKey: Uint8Array;
  readonly now: () => number;
}

/** Makes mails for a run, which reads each issue once. */
export function createLetters({ database, settings, signingKey, now }: LetterOptions): MakeLetter {
  const issues = new Map<number, Promise<Issued>>();
  const issueOf = (id: number): Promise<Issued> => {
    const known = issues.get(id);
    if (known) return known;
    const reading = readIssued(database, id);
    issues.set(id, reading);
    return reading;
  };
  const { productName, publicUrl, postalAddress, from } = settings;
  const frame: MailFrame = { productName, dashboardUrl: publicUrl, postalAddress };
  const domain = asciiDomainOf(from.address);

  return async ({ issueId, email, reference }) => {
    const issued = issueId === null ? null : await issueOf(issueId);
    return asMailProblem(issued?.week ?? null, () => {
      const linkTo = (purpose: 'unsubscribe' | 'confirm') =>
        `${publicUrl}/${purpose}/${makeToken(signingKey, purpose, reference)}`;
      const unsubscribeUrl = issued === null ? null : linkTo('unsubscribe');
      const rendered =
        issued === null || unsubscribeUrl === null
          ? renderConfirmation({ ...frame, confirmUrl: linkTo('confirm') })
          : renderWeeklySignal(issued.mail, { ...frame, unsubscribeUrl });
      const issue = issued?.week ?? 'confirm';
      const messageId = messageIdOf(signingKey, { issue, reference, domain });
      return { ...rendered, from, to: email, messageId, date: now(), unsubscribeUrl };
    });
  };
}

interface Issued {
  readonly week: string;
  readonly mail: NonNullable<IssuedSignal['mail']>;
}

async function readIssued(database: Database, id: number): Promise<Issued> {
  const issue = await readIssue(database, id).catch((error: unknown) => {
    if (error instanceof DatabaseError || error instanceof DatabaseUnavailable) throw error;
    throw new MailCannotBeMade(error instanceof Error ? error.message : 'An issue cannot be read.', {
      cause: error,
    });
  });
  if (issue === null || issue.mail === null) {
    throw new MailCannotBeMade(`Issue ${id} holds no mail to send.`);
  }
  return { week: issue.week, mail: issue.mail };
}

function asMailProblem(week: string | null, make: () => MailMessage): MailMessage {
  try {
    return make();
  } catch (error) {
    const which = week === null ? 'question to confirm' : `mail of the week of ${week}`;
    const why = error instanceof Error ? error.message : 'unknown';
    throw new MailCannotBeMade(`The ${which} cannot be made: ${why}`, { cause: error });
  }
}
