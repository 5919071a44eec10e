import type { IncomingMessage } from 'node:http';
import type { BlockList } from 'node:net';
import type { Log } from '../log.ts';
import { canonicalAddress, clientAddress, isThisMachine, networkOf } from './client-address.ts';

type ClientRequest = Pick<IncomingMessage, 'headers' | 'socket'>;

/** The requests of this number of seconds may arrive at the same time. */
const BURST_SECONDS = 10;
/** Maximum number of clients per generation. The memory has two generations, with about 100 bytes per client. */
const MOST_CLIENTS = 10_000;

const ONE_CLIENT =
  'A client sends more requests than RATE_PER_SECOND allows. It gets 429 until it slows down.';
const UNNAMED_PROXY =
  'A proxy sends more requests than RATE_PER_SECOND allows one client. Add it to TRUSTED_PROXIES, so that each visitor counts separately.';

export type RateLimit = ReturnType<typeof createRateLimit>;

interface RateLimitOptions {
  readonly perSecond: number;
  readonly reason?: string | undefined;
  readonly trustedProxies?: BlockList | undefined;
  /** Returns the time of a monotonic clock (ms). */
  readonly elapsed: () => number;
  readonly log: Log;
}

/** Takes a token from a bucket. Returns the time at which the bucket is full again (ms); null without a token left. */
export function fullAfter(fullAt: number, now: number, perSecond: number): number | null {
  const next = Math.max(fullAt, now) + 1_000 / perSecond;
  return next - now > BURST_SECONDS * 1_000 ? null : next;
}

/**
 * Creates a token bucket per client, in bounded memory of two generations. A removed client starts with a full bucket.
 * Requests from this machine have no limit, and neither has a proxy on it that does not name its client.
 */
export function createRateLimit(options: RateLimitOptions) {
  const { perSecond, reason = ONE_CLIENT, trustedProxies, elapsed, log } = options;
  /** Time at which the bucket of each network is full again. */
  let recent = new Map<string, number>();
  let older = recent;

  /** Returns the network whose limit applies to a request; null if no limit applies. */
  function limitedNetwork({ headers, socket }: ClientRequest): string | null {
    if (headers['x-forwarded-for'] === undefined && isThisMachine(socket)) return null;
    const address = clientAddress({ headers, socket }, trustedProxies);
    const { localAddress } = socket;
    const isHere = address === null || isThisMachine({ localAddress, remoteAddress: address });
    return isHere ? null : networkOf(address);
  }

  function logRefusal(request: ClientRequest): void {
    const { headers, socket } = request;
    const isForwarded = headers['x-forwarded-for'] !== undefined;
    const isProxy =
      isForwarded && clientAddress(request, trustedProxies) === canonicalAddress(socket.remoteAddress ?? '');
    log.warn('too many requests', { reason: isProxy ? UNNAMED_PROXY : reason });
  }

  return {
    /** True if the request exceeds its client's limit; otherwise counts the request. */
    isOver(request: ClientRequest): boolean {
      const network = limitedNetwork(request);
      if (network === null) return false;
      const now = elapsed();
      const before = recent.get(network) ?? older.get(network) ?? now;
      const fullAt = fullAfter(before, now, perSecond);
      if (recent.size >= MOST_CLIENTS && !recent.has(network)) {
        older = recent;
        recent = new Map();
      }
      recent.set(network, fullAt ?? before);
      if (fullAt === null) logRefusal(request);
      return fullAt === null;
    },
  };
}
