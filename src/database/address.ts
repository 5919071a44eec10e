import { Client, type ClientConfig } from 'pg';
import { DatabaseUnavailable } from './failures.ts';

/** Accepted values of `sslmode`: the driver's `no-verify`, and those of libpq that say whether there is encryption. */
const MODES = ['disable', 'no-verify', 'require', 'verify-ca', 'verify-full'];

const UNREADABLE =
  'is invalid; in user and password write special characters as %40 for @, %3A for :, %2F for /, %3F for ?, %23 for # and %25 for %';

/** True if an unescaped character of the password has split the address at a wrong place. */
const isSplit = ({ username, pathname, search, hash }: URL): boolean =>
  hash !== '' || pathname.includes('@') || (username === '' && search.includes('@'));

function modeFault({ searchParams }: URL): string | null {
  const mode = searchParams.get('sslmode');
  if (mode === null) return null;
  if (!MODES.includes(mode)) return `has an sslmode that is none of ${MODES.join(', ')}`;
  const authority = searchParams.get('sslrootcert') ?? 'system';
  return mode === 'verify-ca' && authority === 'system'
    ? 'has sslmode=verify-ca, which needs a file in sslrootcert; or use verify-full'
    : null;
}

/** Returns the fault of a `postgres://` address, as the end of a sentence. Never quotes it: it may hold the password. */
export function addressFault(text: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  const hosts = url?.searchParams.get('host') ?? /^[^/]*\/\/(?:.*@)?([^/?#]*)/s.exec(text)?.[1] ?? '';
  if (hosts.includes(',')) return 'names several hosts; name one host, or the address of a load balancer';
  return url === null || isSplit(url) ? UNREADABLE : modeFault(url);
}

/** Returns the driver's settings for a `postgres://` address. Throws `DatabaseUnavailable` if the address is invalid. */
export function connectionTo(text: string): ClientConfig {
  let fault = addressFault(text);
  if (fault === null) {
    // The driver interprets some parameters differently from libpq. It treats 'system' as a file name, but trusts the
    // certificate authorities of this machine without the parameter.
    const url = new URL(text);
    if (url.searchParams.get('sslrootcert') === 'system') url.searchParams.delete('sslrootcert');
    // Without `uselibpqcompat`, the driver treats `require` and `verify-ca` as `verify-full` and logs a warning.
    const isLibpqMode = ['require', 'verify-ca'].includes(url.searchParams.get('sslmode') ?? '');
    if (isLibpqMode) url.searchParams.set('uselibpqcompat', 'true');
    const connectionString = url.href;
    try {
      // Parses the address and reads its files, but does not connect.
      if (new Client({ connectionString }).host !== '') return { connectionString };
    } catch (error) {
      const { path, code } = error as NodeJS.ErrnoException;
      const name = [...url.searchParams].find(([, value]) => value === path)?.[0];
      if (name !== undefined) fault = `names ${path} in ${name}, which cannot be read (${code})`;
    }
  }
  throw new DatabaseUnavailable('unusable', `DATABASE_URL ${fault ?? UNREADABLE}.`);
}

/** Returns the host and the database of an address, without user and password. */
export function placeOf(url: string): string {
  const { host, pathname, searchParams } = new URL(url);
  return `${host || (searchParams.get('host') ?? 'the local socket')}${pathname}`;
}
