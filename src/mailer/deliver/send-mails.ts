import { type Database, queryOnce, READ_ONLY, readOnce } from '#database/port.ts';
import { readCheckpoint } from '#record/ledger/served-ledger.ts';
import { asciiDomainOf, isDeliverable } from '../mail-address.ts';
import type { MailSettings } from '../mailer-settings.ts';
import type { RenderedMail } from '../render/mail-page.ts';
import { renderConfirmation } from '../render/render-confirmation.ts';
import { completeMail } from '../render/render-weekly-signal.ts';
import { makeReturnPath, makeToken, messageIdOf, type TokenPurpose } from '../subscribers/token.ts';
import type { ClaimedDelivery } from './deliveries.ts';
import type { MailMessage, MailTransport } from './mail-message.ts';
import { createMessageReader } from './messages.ts';
import type { Sender } from './send-due.ts';

/** Makes the mail of a claimed delivery. Rejects if the database fails or the mail cannot be made. */
export type MakeMail = (delivery: ClaimedDelivery) => Promise<MailMessage>;

export interface MailSenderOptions {
  readonly database: Database;
  readonly settings: MailSettings;
  readonly signingKey: Uint8Array;
  readonly now: () => number;
  readonly transport: MailTransport;
  /** By default, makes the stored mail or the confirmation request. */
  readonly makeMail?: MakeMail | undefined;
}

/** Creates the sender of the mails of one run. Reads each message and the checkpoint of the ledger once. */
export function createMailSender(options: MailSenderOptions): Sender {
  const { database, settings, transport, makeMail = createMailMaker(options) } = options;
  return {
    channel: 'mail',
    connections: transport.connections,
    refusal: () => outboxFault(database, settings.smtpUrl),
    send: async (delivery) =>
      isDeliverable(delivery.recipient)
        ? transport.send(await makeMail(delivery))
        : { result: 'refused', reply: null, isAddress: true },
  };
}

function createMailMaker({ database, settings, signingKey, now }: MailSenderOptions): MakeMail {
  const { publicUrl, from, bounceAddress } = settings;
  const domain = asciiDomainOf(from.address);
  const readMessage = createMessageReader<RenderedMail>(database);
  let checkpoint: Promise<string | null> | undefined;

  return async ({ messageId, recipient, reference: referenceOrNull }) => {
    const reference = referenceOrNull ?? '';
    const returnPath = bounceAddress === null ? null : makeReturnPath(signingKey, bounceAddress, reference);
    const linkFor = (purpose: TokenPurpose) =>
      `${publicUrl}/${purpose}/${makeToken(signingKey, purpose, reference)}`;
    const mailOf = (name: string, rendered: RenderedMail, unsubscribeUrl: string | null) => ({
      ...rendered,
      ...{ from, to: recipient, returnPath, date: now(), unsubscribeUrl },
      messageId: messageIdOf(signingKey, { issue: name, reference, domain }),
    });
    if (messageId === null) {
      return mailOf('confirm', renderConfirmation({ ...settings, confirmUrl: linkFor('confirm') }), null);
    }
    const { name, content } = await readMessage(messageId);
    const unsubscribeUrl = linkFor('unsubscribe');
    checkpoint ??= database.transaction(readCheckpoint, READ_ONLY);
    const mail = completeMail(content, { unsubscribeUrl, checkpoint: await checkpoint });
    return mailOf(name, mail, unsubscribeUrl);
  };
}

const NEEDS_SMTP =
  'SMTP_URL is not set here, but another process sends the mails of this database by SMTP. Set SMTP_URL to the same value here.';

/** Permits processes without SMTP_URL to fill their outbox again, until a process with SMTP_URL sends. */
export async function returnToOutbox(database: Database): Promise<void> {
  await queryOnce(database, 'update mailer.settings set sends_by_smtp = false');
}

/** The reason why this process must not send, or null. None may fill its outbox while another sends by SMTP. */
async function outboxFault(database: Database, smtpUrl: string | null): Promise<string | null> {
  if (smtpUrl !== null) {
    await queryOnce(database, 'update mailer.settings set sends_by_smtp = true where not sends_by_smtp');
    return null;
  }
  const [settings] = await readOnce<{ by_smtp: boolean }>(
    database,
    'select sends_by_smtp as by_smtp from mailer.settings',
  );
  return settings?.by_smtp ? NEEDS_SMTP : null;
}
