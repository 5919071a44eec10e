/** Whatever is not http is no link to show, least of all `javascript:`. */
const PROTOCOLS = ['http:', 'https:'];

/** An address of the web as a link carries it, absolute and in ASCII; throws when it is none. */
export function webAddress(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url === null || !PROTOCOLS.includes(url.protocol)) {
    throw new Error('A link in a mail has to be an absolute address of the web.');
  }
  return url.href;
}

/** The same as one would say it: 'barometer.example', 'example.org/markets'. */
export function spokenAddress(address: string): string {
  const { host, pathname } = new URL(webAddress(address));
  return `${host}${pathname.replace(/(?<!\/)\/+$/, '')}`;
}
