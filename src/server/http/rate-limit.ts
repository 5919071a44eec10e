import type { IncomingMessage } from 'node:http';
import type { BlockList } from 'node:net';
import type { Log } from '../log.ts';
import { canonicalAddress, clientAddress, isThisMachine } from './client-address.ts';

type ClientRequest = Pick<IncomingMessage, 'headers' | 'socket'>;

/** A client may use the requests of this many seconds at once. */
const BURST_SECONDS = 10;
/** Maximum number of clients per generation. Two generations are in memory, with some 100 bytes per client. */
const MOST_CLIENTS = 10_000;

const ONE_CLIENT = 'One client sends more requests than RATE_PER_SECOND allows.';
const UNNAMED_PROXY =
  'A proxy sends more requests than RATE_PER_SECOND allows one client. Name it in TRUSTED_PROXIES, so that each visitor counts alone.';

export interface RateLimit {
  /** True if this request exceeds its client's limit; otherwise counts it. */
  isOver(request: ClientRequest): boolean;
}

interface RateLimitOptions {
  /** Requests per second that a client may make continuously. */
  readonly perSecond: number;
  readonly trustedProxies?: BlockList | undefined;
  /** Milliseconds of a monotonic clock. */
  readonly elapsed: () => number;
  readonly log: Log;
}

/**
 * The network of a canonical address: the /64 of IPv6, which one connection has, or the IPv4 address. Returns a new string:
 * a slice of a header would keep the whole header in memory.
 */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address.split('.').join('.');
  const [left = [], right = []] = address.split('::').map((part) => (part === '' ? [] : part.split(':')));
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0');
  return [...left, ...zeros, ...right].slice(0, 4).join(':');
}

/**
 * A token bucket per client in bounded memory. A full generation of clients starts a new one, a request moves its client
 * there, and clients of the one before the last are forgotten: they start with a full bucket. Requests from this machine have
 * no limit, nor have those of a proxy on it that names no client.
 */
export function createRateLimit({ perSecond, trustedProxies, elapsed, log }: RateLimitOptions): RateLimit {
  const tokenMs = 1_000 / perSecond;
  const burstMs = BURST_SECONDS * 1_000;
  /** Time at which the bucket of each network is full again. */
  let recent = new Map<string, number>();
  let older = recent;

  /** The network whose limit applies to a request; null for none. */
  function limitedNetwork({ headers, socket }: ClientRequest): string | null {
    if (headers['x-forwarded-for'] === undefined && isThisMachine(socket)) return null;
    const address = clientAddress({ headers, socket }, trustedProxies);
    const { localAddress } = socket;
    const isHere = address === null || isThisMachine({ localAddress, remoteAddress: address });
    return isHere ? null : networkOf(address);
  }

  /** Logs a refusal without the address. */
  function logRefusal(request: ClientRequest): void {
    const { headers, socket } = request;
    const isForwarded = headers['x-forwarded-for'] !== undefined;
    const isProxy =
      isForwarded && clientAddress(request, trustedProxies) === canonicalAddress(socket.remoteAddress ?? '');
    log.warn('too many requests', { reason: isProxy ? UNNAMED_PROXY : ONE_CLIENT });
  }

  return {
    isOver(request) {
      const network = limitedNetwork(request);
      if (network === null) return false;
      const now = elapsed();
      const fullAt = Math.max(recent.get(network) ?? older.get(network) ?? now, now);
      const isOver = fullAt + tokenMs - now > burstMs;
      if (recent.size >= MOST_CLIENTS && !recent.has(network)) {
        older = recent;
        recent = new Map();
      }
      recent.set(network, isOver ? fullAt : fullAt + tokenMs);
      if (isOver) logRefusal(request);
      return isOver;
    },
  };
}
