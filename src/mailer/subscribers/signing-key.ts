import type { Database } from '#database/port.ts';

const LEAST_BYTES = 32;

/** The key that links are signed with, the same in all processes. Throws when the settings hold none. */
export async function readSigningKey(database: Database): Promise<Uint8Array> {
  const [row] = await database.transaction(
    (transaction) =>
      transaction.query<{ key: string }>(
        "select array_to_string(signing_key, '') as key from mailer.settings",
      ),
    { readOnly: true },
  );
  const key = Buffer.from((row?.key ?? '').replaceAll('-', ''), 'hex');
  if (key.length < LEAST_BYTES) {
    throw new Error(
      'mailer.settings holds no key to sign links with; put its row back with: insert into mailer.settings default values.',
    );
  }
  return key;
}
