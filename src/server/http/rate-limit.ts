import type { IncomingMessage } from 'node:http';
import type { BlockList } from 'node:net';
import type { Log } from '../log.ts';
import { canonicalAddress, clientAddress, isThisMachine } from './client-address.ts';

type Asked = Pick<IncomingMessage, 'headers' | 'socket'>;

/** A client may use the requests of this many seconds at once. */
const BURST_SECONDS = 10;
/** Entries per generation of a cache; it keeps two, some hundred bytes an entry. */
const MOST_CLIENTS = 10_000;
/** A longer X-Forwarded-For is not cached. */
const LONGEST_KEY = 200;
/** The client of requests from this machine and of closed sockets. */
const UNLIMITED = '';

const ONE_CLIENT = 'One client asks for more than RATE_PER_SECOND allows.';
const UNNAMED_PROXY =
  'A proxy asks for more than RATE_PER_SECOND allows one client; name it in TRUSTED_PROXIES, so that each visitor counts alone.';

/** The token bucket of a client, as the time (ms) at which it is full again. */
interface Bucket {
  fullAt: number;
}

export interface RateLimit {
  /** True if this request exceeds its client's limit; otherwise counts it. */
  isOver(request: Asked): boolean;
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
 * A bounded map of the keys used last: a full generation starts a new one, a read moves its entry there, and the one before
 * the last is dropped. Keeping an exact order would cost most under an attack with invented keys.
 */
function createGenerations<Value>() {
  let young = new Map<string, Value>();
  let old = young;
  function set(key: string, value: Value): void {
    if (young.size >= MOST_CLIENTS) {
      old = young;
      young = new Map();
    }
    young.set(key, value);
  }
  function get(key: string): Value | undefined {
    const value = young.get(key);
    if (value !== undefined) return value;
    const before = old.get(key);
    if (before !== undefined) set(key, before);
    return before;
  }
  return { get, set };
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
 * A token bucket per client in bounded memory; a forgotten client starts with a full one. Requests from this machine have no
 * limit, nor have those of a proxy on it that names no client.
 */
export function createRateLimit({ perSecond, trustedProxies, elapsed, log }: RateLimitOptions): RateLimit {
  const tokenMs = 1_000 / perSecond;
  const mostMs = BURST_SECONDS * 1_000;
  const clients = createGenerations<Bucket>();
  const networks = createGenerations<string>();

  function clientOf(request: Asked): string {
    const { localAddress, remoteAddress } = request.socket;
    const said = request.headers['x-forwarded-for'];
    if (said === undefined && isThisMachine(request.socket)) return UNLIMITED;
    const key = `${remoteAddress} ${said ?? ''}`;
    const known = networks.get(key);
    if (known !== undefined) return known;
    const address = clientAddress(request, trustedProxies);
    const isHere = address === null || isThisMachine({ localAddress, remoteAddress: address });
    const network = isHere ? UNLIMITED : networkOf(address);
    if (key.length <= LONGEST_KEY) networks.set(key, network);
    return network;
  }

  /** Logs a refusal without the address. */
  function logRefusal(request: Asked): void {
    const { headers, socket } = request;
    const isForwarded = headers['x-forwarded-for'] !== undefined;
    const isProxy =
      isForwarded && clientAddress(request, trustedProxies) === canonicalAddress(socket.remoteAddress ?? '');
    log.warn('too many requests', { reason: isProxy ? UNNAMED_PROXY : ONE_CLIENT });
  }

  return {
    isOver(request) {
      const client = clientOf(request);
      if (client === UNLIMITED) return false;
      const now = elapsed();
      const bucket = clients.get(client);
      const fullAt = Math.max(bucket?.fullAt ?? now, now) + tokenMs;
      if (fullAt - now > mostMs) {
        logRefusal(request);
        return true;
      }
      if (bucket === undefined) clients.set(client, { fullAt });
      else bucket.fullAt = fullAt;
      return false;
    },
  };
}
