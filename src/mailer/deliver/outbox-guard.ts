import type { Database } from '#database/port.ts';

const NEEDS_SMTP =
  'SMTP_URL is not set here, but another process sends the mails of this database by SMTP. Set SMTP_URL to the same value here.';

/**
 * Permits processes without SMTP_URL to write mails into their outbox folders, until a process with SMTP_URL sends a
 * mail.
 */
export async function returnToOutbox(database: Database): Promise<void> {
  await database.transaction((transaction) =>
    transaction.query('update mailer.settings set sends_by_smtp = false'),
  );
}

/**
 * Returns the reason why this process must not send the mails of a database, in one sentence. Null if it may send them.
 * A process without SMTP_URL must not write mails into its outbox folder while another process sends by SMTP.
 */
export async function outboxFault(database: Database, smtpUrl: string | null): Promise<string | null> {
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
