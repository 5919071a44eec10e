import { type Database, DatabaseError } from '#database/port.ts';
import { DatabaseUnavailable } from '#database/unavailable.ts';
import type { WeeklySignalView } from '#views/model.ts';
import { readIssue } from '../decide/ledger.ts';
import { asciiDomainOf } from '../mail-address.ts';
import type { MailSettings } from '../mailer-settings.ts';
import type { MailFrame } from '../render/mail-page.ts';
import { renderConfirmation } from '../render/render-confirmation.ts';
import { renderWeeklySignal } from '../render/render-weekly-signal.ts';
import { makeToken, messageIdOf } from '../subscribers/token.ts';
import type { ClaimedDelivery } from './claims.ts';
import type { MailMessage } from './transport.ts';

/** Makes the mail of a claimed delivery. Rejects with MailCannotBeMade, or with the database's error. */
export type MakeMail = (delivery: ClaimedDelivery) => Promise<MailMessage>;

/** The stored rows do not give a mail; the message is one plain sentence. */
export class MailCannotBeMade extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'MailCannotBeMade';
  }
}

interface MailMakerOptions {
  readonly database: Database;
  readonly settings: MailSettings;
  readonly signingKey: Uint8Array;
  readonly now: () => number;
}

/** Makes the mails of a run, reading each issue once. */
export function createMailMaker({ database, settings, signingKey, now }: MailMakerOptions): MakeMail {
  const issues = new Map<number, Promise<Issued>>();
  const issueOf = (id: number): Promise<Issued> => {
    const reading = issues.get(id) ?? readIssued(database, id);
    issues.set(id, reading);
    return reading;
  };
  const { productName, publicUrl, postalAddress, from } = settings;
  const frame: MailFrame = { productName, dashboardUrl: publicUrl, postalAddress };
  const domain = asciiDomainOf(from.address);

  return async ({ issueId, email, reference }) => {
    const issued = issueId === null ? null : await issueOf(issueId);
    const linkTo = (purpose: 'unsubscribe' | 'confirm') =>
      `${publicUrl}/${purpose}/${makeToken(signingKey, purpose, reference)}`;
    try {
      const unsubscribeUrl = issued === null ? null : linkTo('unsubscribe');
      const rendered =
        issued === null || unsubscribeUrl === null
          ? renderConfirmation({ ...frame, confirmUrl: linkTo('confirm') })
          : renderWeeklySignal(issued.mail, { ...frame, unsubscribeUrl });
      const issue = issued?.week ?? 'confirm';
      const messageId = messageIdOf(signingKey, { issue, reference, domain });
      return { ...rendered, from, to: email, messageId, date: now(), unsubscribeUrl };
    } catch (error) {
      const which = issued === null ? 'question to confirm' : `mail of the week of ${issued.week}`;
      const why = error instanceof Error ? error.message : 'unknown';
      throw new MailCannotBeMade(`The ${which} cannot be made: ${why}`, { cause: error });
    }
  };
}

interface Issued {
  readonly week: string;
  readonly mail: WeeklySignalView;
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
