import type { IncomingMessage } from 'node:http';
import { canonicalAddress, isLoopback, isThisMachine } from './client-address.ts';

type LocalRequest = Pick<IncomingMessage, 'headers' | 'httpVersion' | 'socket'>;

/** Headers that proxies add to a forwarded request, in addition to all headers that begin with `x-forwarded`. */
const FORWARDING: ReadonlySet<string> = new Set([
  ...['forwarded', 'via', 'x-real-ip', 'x-client-ip', 'x-cluster-client-ip', 'x-original-forwarded-for'],
  ...['true-client-ip', 'cf-connecting-ip', 'fastly-client-ip', 'fly-client-ip', 'x-envoy-external-address'],
]);

const isForwarding = (name: string) => name.startsWith('x-forwarded') || FORWARDING.has(name);

/**
 * True if the request comes from this machine and was not forwarded. A proxy on this machine adds a forwarding header, or
 * uses HTTP/1.0 as nginx does by default.
 */
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
