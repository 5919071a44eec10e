import type { Database } from '#database/port.ts';

const NEEDS_SMTP =
  'SMTP_URL is not set here, but another process sends the mails of this database by SMTP. Set SMTP_URL as it is set there.';

/** Lets processes without SMTP_URL write mails into their outbox again, until a process with SMTP_URL sends. */
export async function returnToOutbox(database: Database): Promise<void> {
  await database.transaction((transaction) =>
    transaction.query('update mailer.settings set sends_by_smtp = false'),
  );
}

/**
 * Returns why this process must not send the mails of a database, in one sentence, or null if it may: a process without
 * SMTP_URL must not write mails into its outbox while another process sends by SMTP.
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
