/** What `sslmode` may say: libpq's words that promise something, and pg's own for encryption without a look at who answers. */
const MODES = ['disable', 'no-verify', 'require', 'verify-ca', 'verify-full'];

export const UNREADABLE =
  'cannot be read; in user and password write what is special as %40 for @, %3A for :, %2F for /, %3F for ?, %23 for # and %25 for %';

/** Whether a part of a password was taken for something else, as it is where one of its characters ends what it stands in. */
const isTorn = ({ username, pathname, search, hash }: URL): boolean =>
  hash !== '' || pathname.includes('@') || (username === '' && search.includes('@'));

function modeFault({ searchParams }: URL): string | null {
  const mode = searchParams.get('sslmode');
  if (mode === null) return null;
  if (!MODES.includes(mode)) return `has an sslmode that is none of ${MODES.join(', ')}`;
  const authority = searchParams.get('sslrootcert') ?? 'system';
  return mode === 'verify-ca' && authority === 'system'
    ? 'has sslmode=verify-ca, which needs a file in sslrootcert; or take verify-full'
    : null;
}

/**
 * What is wrong with the words of a `postgres://` address, to be said after the name of its setting; null when nothing
 * is. Repeats none of them, since a password may stand anywhere in one that is written wrongly.
 */
export function addressFault(text: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  const hosts = url?.searchParams.get('host') ?? /^[^/]*\/\/(?:.*@)?([^/?#]*)/s.exec(text)?.[1] ?? '';
  if (hosts.includes(',')) return 'names several hosts; name one, or the address of a balancer before them';
  return url === null || isTorn(url) ? UNREADABLE : modeFault(url);
}
