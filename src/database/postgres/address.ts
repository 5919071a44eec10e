/** Accepted values of `sslmode`: those of libpq that guarantee something, and `no-verify` of the driver. */
const MODES = ['disable', 'no-verify', 'require', 'verify-ca', 'verify-full'];

export const UNREADABLE =
  'cannot be read; in user and password write special characters as %40 for @, %3A for :, %2F for /, %3F for ?, %23 for # and %25 for %';

/** True if an unescaped character of the password ended a part of the address. */
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

/**
 * The fault of a `postgres://` address, as a predicate to follow the name of its setting; null if it has none. Quotes
 * nothing of the address, because an invalid one may have the password anywhere.
 */
export function addressFault(text: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  const hosts = url?.searchParams.get('host') ?? /^[^/]*\/\/(?:.*@)?([^/?#]*)/s.exec(text)?.[1] ?? '';
  if (hosts.includes(',')) return 'names several hosts; name one, or the address of a balancer before them';
  return url === null || isSplit(url) ? UNREADABLE : modeFault(url);
}
