import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';

type SocketAddresses = Partial<Record<'localAddress' | 'remoteAddress', string | undefined>>;

const LOOPBACK = /^(?:::ffff:)?127\.|^::1$/i;
const BITS = { 4: 32, 6: 128 } as const;
/** An IPv4 address mapped to IPv6, in the form in which `URL` writes it. */
const MAPPED = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/;
/** An entry of X-Forwarded-For: an address, which may be in quotes and have a port. */
const FORWARDED = /^"?(?:\[([^\]]+)\]|([^:"]+))(?::\d+)?"?$/;

const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

/** Returns the canonical form of an address, as IPv4 if it is mapped to IPv6, without a zone; null for other text. */
export function canonicalAddress(text: string): string | null {
  const address = text.replace(/%.*$/, '');
  if (isIP(address) === 4) return address;
  if (isIP(address) !== 6) return null;
  const written = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [, high, low] = MAPPED.exec(written) ?? [];
  if (high === undefined || low === undefined) return written;
  const bytes = Buffer.from(high.padStart(4, '0') + low.padStart(4, '0'), 'hex');
  return bytes.join('.');
}

function readForwarded(entry: string): string | null {
  const text = entry.trim();
  if (isIP(text) !== 0) return canonicalAddress(text);
  const [, bracketed, plain] = FORWARDED.exec(text) ?? [];
  return canonicalAddress(bracketed ?? plain ?? '');
}

export const isLoopback = (address: string): boolean => LOOPBACK.test(address);

/** True if both ends of a socket are on this machine: over loopback, or with equal addresses. */
export function isThisMachine({ localAddress, remoteAddress }: SocketAddresses): boolean {
  return remoteAddress !== undefined && (isLoopback(remoteAddress) || remoteAddress === localAddress);
}

/**
 * Returns the client's address. This is the address of the socket, unless that is of this machine or of a trusted
 * proxy: then it is the last address in X-Forwarded-For that is not of a trusted proxy. Null if the socket is closed.
 */
export function clientAddress(
  { headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>,
  trusted?: BlockList,
): string | null {
  let client = canonicalAddress(socket.remoteAddress ?? '');
  const own = isThisMachine(socket) ? client : null;
  const header = headers['x-forwarded-for'];
  const forwarded = (Array.isArray(header) ? header.join(',') : (header ?? '')).split(',');
  const isTrusted = (address: string) =>
    address === own || isLoopback(address) || trusted?.check(address, familyOf(address)) === true;
  while (client !== null && isTrusted(client)) {
    const before = readForwarded(forwarded.pop() ?? '');
    if (before === null) break;
    client = before;
  }
  return client;
}

/** Returns an IPv4 address, or the /64 of an IPv6 address, as a copy: a slice would keep the whole header in memory. */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address.split('.').join('.');
  const [left = [], right = []] = address.split('::').map((part) => (part === '' ? [] : part.split(':')));
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0');
  return [...left, ...zeros, ...right].slice(0, 4).join(':');
}

/** Parses a list of addresses and networks, such as `10.0.0.0/8, 2001:db8::1`. Returns null if an entry is neither. */
export function parseTrustedProxies(text: string): BlockList | null {
  const list = new BlockList();
  for (const entry of text.split(/[\s,]+/).filter((part) => part !== '')) {
    const [, network = '', prefix] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(entry) ?? [];
    const version = isIP(network);
    if (version !== 4 && version !== 6) return null;
    const bits = prefix === undefined ? BITS[version] : Number(prefix);
    if (bits > BITS[version]) return null;
    list.addSubnet(network, bits, familyOf(network));
  }
  return list;
}

type LocalRequest = Pick<IncomingMessage, 'headers' | 'httpVersion' | 'socket'>;

/** Headers that proxies add to a forwarded request, in addition to all headers that begin with `x-forwarded`. */
const FORWARDING: ReadonlySet<string> = new Set([
  ...['forwarded', 'via', 'x-real-ip', 'x-client-ip', 'x-cluster-client-ip', 'x-original-forwarded-for'],
  ...['true-client-ip', 'cf-connecting-ip', 'fastly-client-ip', 'fly-client-ip', 'x-envoy-external-address'],
]);

const isForwarding = (name: string) => name.startsWith('x-forwarded') || FORWARDING.has(name);

/** True if the request comes from this machine and was not forwarded. nginx uses HTTP/1.0 by default. */
export function isLocalRequest({ headers, httpVersion, socket }: LocalRequest): boolean {
  return isThisMachine(socket) && httpVersion !== '1.0' && !Object.keys(headers).some(isForwarding);
}

/**
 * True if the Host header names this machine: 'localhost', a loopback address, or the address on which the request
 * arrived. A page that uses DNS rebinding sends another name. So does a proxy that forwards the visitor's Host header.
 */
export function isLocalHostName({ headers, socket }: Pick<LocalRequest, 'headers' | 'socket'>): boolean {
  const url = `http://${headers.host ?? ''}`;
  if (!URL.canParse(url)) return false;
  const { hostname } = new URL(url);
  if (hostname === 'localhost') return true;
  const address = canonicalAddress(hostname.replace(/^\[|\]$/g, ''));
  return address !== null && (isLoopback(address) || address === canonicalAddress(socket.localAddress ?? ''));
}
