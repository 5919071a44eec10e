import type { Database } from '#database/port.ts';
import { readCheckpoint } from '#record/ledger/served-ledger.ts';
import { type AlertMail, readAlertMail } from '../alerts/alert-mails.ts';
import { readStoredMail, type StoredMail } from '../decide/ledger.ts';
import { asciiDomainOf } from '../mail-address.ts';
import type { MailSettings } from '../mailer-settings.ts';
import type { RenderedMail } from '../render/mail-page.ts';
import { renderConfirmation } from '../render/render-confirmation.ts';
import { completeMail, renderForAll } from '../render/render-weekly-signal.ts';
import { makeReturnPath } from '../reports/return-path.ts';
import { makeToken, messageIdOf, type TokenPurpose } from '../subscribers/token.ts';
import type { ClaimedDelivery } from './claims.ts';
import type { MailMessage } from './transport.ts';

/**
 * Makes the mail of a claimed delivery. Rejects with the database's error, or with an error if the mail cannot be made.
 */
export type MakeMail = (delivery: ClaimedDelivery) => Promise<MailMessage>;

interface MailMakerOptions {
  readonly database: Database;
  readonly settings: MailSettings;
  readonly signingKey: Uint8Array;
  readonly now: () => number;
}

/**
 * Returns a function that makes the mails of a run. It reads the mail of each issue, the mail of each change, and the
 * checkpoint of the ledger only once.
 */
export function createMailMaker({ database, settings, signingKey, now }: MailMakerOptions): MakeMail {
  const { publicUrl, from, bounceAddress } = settings;
  const domain = asciiDomainOf(from.address);
  const storedMails = new Map<number, Promise<StoredMail>>();
  let checkpoint: Promise<string | null> | undefined;
  const alertMails = new Map<number, Promise<AlertMail>>();
  const alertMailOf = (changeId: number): Promise<AlertMail> => {
    const stored = alertMails.get(changeId) ?? readAlertMail(database, changeId);
    alertMails.set(changeId, stored);
    return stored;
  };
  const storedMailOf = (issueId: number): Promise<StoredMail> => {
    const stored = storedMails.get(issueId) ?? readStoredMail(database, issueId);
    storedMails.set(issueId, stored);
    return stored;
  };

  return async ({ issueId, changeId, email, reference }) => {
    const returnPath = bounceAddress === null ? null : makeReturnPath(signingKey, bounceAddress, reference);
    const linkFor = (purpose: TokenPurpose) =>
      `${publicUrl}/${purpose}/${makeToken(signingKey, purpose, reference)}`;
    const messageOf = (issue: string, rendered: RenderedMail, unsubscribeUrl: string | null) => {
      const messageId = messageIdOf(signingKey, { issue, reference, domain });
      return { ...rendered, from, to: email, returnPath, messageId, date: now(), unsubscribeUrl };
    };
    if (changeId !== null) {
      const unsubscribeUrl = linkFor('unsubscribe');
      const { session, mail: stored } = await alertMailOf(changeId);
      const mail = completeMail(stored, { unsubscribeUrl, checkpoint: null });
      return messageOf(`change ${session}`, mail, unsubscribeUrl);
    }
    if (issueId === null) {
      const confirmation = renderConfirmation({ ...settings, confirmUrl: linkFor('confirm') });
      return messageOf('confirm', confirmation, null);
    }
    const { week, mail: stored } = await storedMailOf(issueId);
    // Version 1.0 stored a view, not a mail. The deliveries of its last issue end within three days after the upgrade.
    const forAll = 'html' in stored ? stored : renderForAll(stored, settings);
    const unsubscribeUrl = linkFor('unsubscribe');
    checkpoint ??= database.transaction(readCheckpoint, { readOnly: true });
    const mail = completeMail(forAll, { unsubscribeUrl, checkpoint: await checkpoint });
    return messageOf(week, mail, unsubscribeUrl);
  };
}
