import type { Database } from '#database/port.ts';
import { readCheckpoint } from '#record/ledger/served-ledger.ts';
import { readStoredMail, type StoredMail } from '../decide/ledger.ts';
import { asciiDomainOf } from '../mail-address.ts';
import type { MailSettings } from '../mailer-settings.ts';
import type { RenderedMail } from '../render/mail-page.ts';
import { renderConfirmation } from '../render/render-confirmation.ts';
import { completeMail, renderForAll } from '../render/render-weekly-signal.ts';
import { makeToken, messageIdOf, type TokenPurpose } from '../subscribers/token.ts';
import type { ClaimedDelivery } from './claims.ts';
import type { MailMessage } from './transport.ts';

/** Makes the mail of a claimed delivery. Rejects with the database's error, or if the mail cannot be made. */
export type MakeMail = (delivery: ClaimedDelivery) => Promise<MailMessage>;

interface MailMakerOptions {
  readonly database: Database;
  readonly settings: MailSettings;
  readonly signingKey: Uint8Array;
  readonly now: () => number;
}

/** Makes the mails of a run. Reads the mail of each issue and the checkpoint of the ledger once. */
export function createMailMaker({ database, settings, signingKey, now }: MailMakerOptions): MakeMail {
  const { publicUrl, from } = settings;
  const domain = asciiDomainOf(from.address);
  const storedMails = new Map<number, Promise<StoredMail>>();
  let checkpoint: Promise<string | null> | undefined;
  const storedMailOf = (issueId: number): Promise<StoredMail> => {
    const stored = storedMails.get(issueId) ?? readStoredMail(database, issueId);
    storedMails.set(issueId, stored);
    return stored;
  };

  return async ({ issueId, email, reference }) => {
    const linkFor = (purpose: TokenPurpose) =>
      `${publicUrl}/${purpose}/${makeToken(signingKey, purpose, reference)}`;
    const messageOf = (issue: string, rendered: RenderedMail, unsubscribeUrl: string | null) => {
      const messageId = messageIdOf(signingKey, { issue, reference, domain });
      return { ...rendered, from, to: email, messageId, date: now(), unsubscribeUrl };
    };
    if (issueId === null) {
      const confirmation = renderConfirmation({ ...settings, confirmUrl: linkFor('confirm') });
      return messageOf('confirm', confirmation, null);
    }
    const { week, mail: stored } = await storedMailOf(issueId);
    // Version 1.0 stored the view. Deliveries of its last issue end within three days of the upgrade.
    const forAll = 'html' in stored ? stored : renderForAll(stored, settings);
    const unsubscribeUrl = linkFor('unsubscribe');
    checkpoint ??= database.transaction(readCheckpoint, { readOnly: true });
    const mail = completeMail(forAll, { unsubscribeUrl, checkpoint: await checkpoint });
    return messageOf(week, mail, unsubscribeUrl);
  };
}
