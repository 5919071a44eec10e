import { describePostgres, type PostgresDescription } from '#database/postgres/describe.ts';
import { type Finding, fine, note, wrong } from './finding.ts';

function encryptionNote({ encryption, isLocal }: PostgresDescription): Finding[] {
  if (isLocal || encryption === 'verified') return [];
  return encryption === 'none'
    ? [
        note(
          'The connection to Postgres is not encrypted: unless the network between is yours, set sslmode=verify-full in DATABASE_URL.',
        ),
      ]
    : [
        note(
          "The connection to Postgres is encrypted, but nothing shows that it leads there: set sslmode=verify-full in DATABASE_URL, and the provider's certificate in sslrootcert.",
        ),
      ];
}

/** Says which Postgres is used, and how it is reached; never the password. */
export async function examinePostgres(url: string): Promise<Finding[]> {
  let found: PostgresDescription;
  try {
    found = await describePostgres(url);
  } catch (error) {
    return [wrong(error instanceof Error ? error.message : String(error))];
  }
  const encrypted = found.encryption === 'none' ? '' : ', encrypted';
  const pooled = found.isPooled ? ', through a pooler' : '';
  const pooler =
    'Through a pooler nobody is told of a commit: what other processes write is seen within two seconds.';
  return [
    fine(`Postgres ${found.version} at ${found.place}, as ${found.user}${encrypted}${pooled}.`),
    ...(found.isPooled ? [note(pooler)] : []),
    ...encryptionNote(found),
  ];
}
