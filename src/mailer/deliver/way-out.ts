import type { Database } from '#database/port.ts';

const NEEDS_SMTP =
  'Mails of this database are sent by SMTP, and SMTP_URL is not set here: set it as where they are sent from.';

/** Lets mails of this database go to an outbox again, until a process with an SMTP server sends some. */
export async function returnToOutbox(database: Database): Promise<void> {
  await database.transaction((transaction) =>
    transaction.query('update mailer.settings set sends_by_smtp = false'),
  );
}

/**
 * The reason why this process must not send mails of a database, in one plain sentence; null if it may. Of several
 * processes on one database, one without SMTP_URL would leave the mails in its outbox.
 */
export async function wayOutFault(database: Database, smtpUrl: string | null): Promise<string | null> {
  if (smtpUrl !== null) {
    await database.transaction((transaction) =>
      transaction.query('update mailer.settings set sends_by_smtp = true where not sends_by_smtp'),
    );
    return null;
  }
  const [settings] = await database.transaction(
    (transaction) =>
      transaction.query<{ by_smtp: boolean }>('select sends_by_smtp as by_smtp from mailer.settings'),
    { readOnly: true },
  );
  return settings?.by_smtp ? NEEDS_SMTP : null;
}
