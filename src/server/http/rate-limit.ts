import type { IncomingMessage } from 'node:http';
import type { BlockList } from 'node:net';
import type { Log } from '../log.ts';
import { canonicalAddress, clientAddress, isThisMachine } from './client-address.ts';

type Asked = Pick<IncomingMessage, 'headers' | 'socket'>;

/** Of how many seconds a client may have all requests at once. */
const BURST_SECONDS = 10;
/** How many clients a generation has; two are held, some hundred bytes a client. */
const MOST_CLIENTS = 10_000;
/** Who says more of whom it forwards for is read anew each time. */
const LONGEST_WORDS = 200;
/** Nobody's: what is asked on this machine, or by somebody who is gone. */
const UNLIMITED = '';

const ONE_CLIENT = 'One client asks for more than RATE_PER_SECOND allows.';
const UNNAMED_PROXY =
  'A proxy asks for more than RATE_PER_SECOND allows one client; name it in TRUSTED_PROXIES, so that each visitor counts alone.';

/** The bucket of a client, as the moment (ms) at which it will be full again. */
interface Bucket {
  fullAt: number;
}

export interface RateLimit {
  /** Whether this request is one too many of its client; one that is not counts. */
  isOver(request: Asked): boolean;
}

interface RateLimitOptions {
  /** Requests that a client may make for as long as it likes. */
  readonly perSecond: number;
  readonly trustedProxies?: BlockList | undefined;
  /** Milliseconds of a clock that never goes back. */
  readonly elapsed: () => number;
  /** Told of every refusal. */
  readonly log: Log;
}

/**
 * Values by their keys, the latest of them: with `MOST_CLIENTS` a new generation begins, into which whoever is asked for
 * goes over, and the one before the last is let go. No order is kept, which costs most where keys are made up for that.
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
 * The network of an address in its canonical form: of IPv6 the /64, which is what one connection has. A text of its own:
 * a part of a header would hold the whole header in memory for as long as it is kept.
 */
export function networkOf(address: string): string {
  if (!address.includes(':')) return address.split('.').join('.');
  const [left = [], right = []] = address.split('::').map((part) => (part === '' ? [] : part.split(':')));
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0');
  return [...left, ...zeros, ...right].slice(0, 4).join(':');
}

/**
 * A bucket of tokens for each client, in memory that is bounded whoever comes: who is forgotten has a full one. Whoever
 * asks on this machine has no limit, nor has anybody whom a proxy on it does not name.
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
    const words = `${remoteAddress} ${said ?? ''}`;
    const known = networks.get(words);
    if (known !== undefined) return known;
    const address = clientAddress(request, trustedProxies);
    const isHere = address === null || isThisMachine({ localAddress, remoteAddress: address });
    const network = isHere ? UNLIMITED : networkOf(address);
    if (words.length <= LONGEST_WORDS) networks.set(words, network);
    return network;
  }

  /** Names no address. */
  function tell(request: Asked): void {
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
        tell(request);
        return true;
      }
      if (bucket === undefined) clients.set(client, { fullAt });
      else bucket.fullAt = fullAt;
      return false;
    },
  };
}
