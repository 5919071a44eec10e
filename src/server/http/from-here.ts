import type { IncomingMessage } from 'node:http';
import { canonicalAddress, isLoopback, isThisMachine } from './client-address.ts';

type Asked = Pick<IncomingMessage, 'headers' | 'httpVersion' | 'socket'>;

/** By which proxies say that they ask for somebody else, beside everything that begins with `x-forwarded`. */
const FORWARDING: ReadonlySet<string> = new Set([
  ...['forwarded', 'via', 'x-real-ip', 'x-client-ip', 'x-cluster-client-ip', 'x-original-forwarded-for'],
  ...['true-client-ip', 'cf-connecting-ip', 'fastly-client-ip', 'fly-client-ip', 'x-envoy-external-address'],
]);

const isForwarding = (name: string) => name.startsWith('x-forwarded') || FORWARDING.has(name);

/**
 * Whether somebody on this machine asks for himself. A proxy on this machine comes from here too: it says for whom by one
 * header or another, or speaks HTTP/1.0 as nginx does to whom nothing was told, and no program of today.
 */
export function isFromHere({ headers, httpVersion, socket }: Asked): boolean {
  return isThisMachine(socket) && httpVersion !== '1.0' && !Object.keys(headers).some(isForwarding);
}

/**
 * Whether a request calls the server by a name that means this machine to whoever is on it. A page from elsewhere, whose
 * name was made to lead here (DNS rebinding), and a proxy that passes a visitor's words on, call it by another.
 */
export function isNamedHere({ headers, socket }: Pick<Asked, 'headers' | 'socket'>): boolean {
  const url = `http://${headers.host ?? ''}`;
  if (!URL.canParse(url)) return false;
  const { hostname } = new URL(url);
  if (hostname === 'localhost') return true;
  const address = canonicalAddress(hostname.replace(/^\[|\]$/g, ''));
  return address !== null && (isLoopback(address) || address === canonicalAddress(socket.localAddress ?? ''));
}
