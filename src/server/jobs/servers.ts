import { USED_SINCE } from '#database/embedded/open-embedded.ts';
import { type Database, queryOnce, readOnce } from '#database/port.ts';
import { interval } from '../market-watch.ts';

/** The source of a server or a command: MARKET_SOURCE or 'replay'. `folder` is null for a source without files. */
export interface NamedSource {
  readonly source: string;
  readonly folder: string | null;
  /** The settings for publishing, as `nameOfPublishing` returns them. */
  readonly publishing: string;
}

const LASTS = '60 seconds';
const RENEWED_EVERY_MS = 20_000;

/** Announces the source of a running server to commands, until the returned function is called. */
export async function announceServer(
  database: Database,
  { name, source, folder, publishing }: NamedSource & { readonly name: string },
): Promise<() => Promise<void>> {
  const announce = () =>
    queryOnce(
      database,
      `insert into operations.servers (name, source, folder, publishing, seen_until)
       values ($1, $2, $3, $4, clock_timestamp() + interval '${LASTS}')
       on conflict (name) do update set seen_until = excluded.seen_until`,
      [name, source, folder, publishing],
    );
  await announce();
  // If a renewal fails, the next renewal extends the announcement.
  const stop = interval(RENEWED_EVERY_MS, () => void announce().catch(() => undefined));
  return async () => {
    stop();
    await queryOnce(database, 'delete from operations.servers where name = $1', [name]).catch(
      () => undefined,
    );
  };
}

export const readServerSources = (database: Database) =>
  readOnce<NamedSource>(
    database,
    `select distinct source, folder, publishing from operations.servers
     where seen_until > greatest(clock_timestamp(), ${USED_SINCE} + interval '${LASTS}')`,
  );
