import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { BlockList, isIP, isIPv4, type LookupFunction } from 'node:net';
import type { Sender } from '../deliver/send-due.ts';
import {
  type AlertMessage,
  digestOf,
  nameOfWebhook,
  type WebhookRequest,
  type WebhookSettings,
  webhookRequest,
} from './webhook-message.ts';

function networks(family: 'ipv4' | 'ipv6', ...names: readonly string[]): BlockList {
  const list = new BlockList();
  for (const name of names) {
    const [address = '', bits] = name.split('/');
    list.addSubnet(address, Number(bits), family);
  }
  return list;
}

/** IPv4 networks that are not public (RFC 6890): this host, private, shared, loopback, link-local, tests, multicast. */
const PRIVATE_V4 = networks(
  'ipv4',
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12'],
  ...['192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24'],
  ...['203.0.113.0/24', '224.0.0.0/3'],
);
const GLOBAL_V6 = networks('ipv6', '2000::/3');
/** Parts of public IPv6 that are no public internet or embed IPv4: protocols (with Teredo), documentation, 6to4. */
const SPECIAL_V6 = networks('ipv6', '2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20');

/** True for an IP address on the public internet; false for any private or special address or other text. */
export function isPublicAddress(address: string): boolean {
  if (isIPv4(address)) return !PRIVATE_V4.check(address, 'ipv4');
  return isIP(address) === 6 && GLOBAL_V6.check(address, 'ipv6') && !SPECIAL_V6.check(address, 'ipv6');
}

/** Returns the addresses of a host, which may be an address itself. Rejects if there are none. */
export type ResolveHost = (host: string) => Promise<LookupAddress[]>;

export interface PostOptions {
  readonly allowsPrivate: boolean;
  readonly signal: AbortSignal;
  readonly resolve?: ResolveHost;
  /** Time limit of the whole request (ms). */
  readonly timeoutMs?: number;
}

/** The status of the response, or the reason why there was none, in a few words without the URL. */
export type PostResult =
  | { readonly status: number; readonly failure: null }
  | { readonly status: null; readonly failure: string };

export const isAccepted = ({ status }: PostResult): boolean =>
  status !== null && status >= 200 && status < 300;

/** Sends a POST request and returns the status of the response. Never rejects. */
export type PostWebhook = (request: WebhookRequest, options: PostOptions) => Promise<PostResult>;

const TIMEOUT_MS = 10_000;
const resolveAll: ResolveHost = (host) => lookup(host, { all: true, verbatim: true });

const failed = (failure: string): PostResult => ({ status: null, failure });

async function rejectOnAbort(signal: AbortSignal): Promise<never> {
  if (!signal.aborted) await once(signal, 'abort');
  throw signal.reason;
}

/** Sends the request to the given addresses only. Follows no redirect and reads no body. */
function send(
  { url, headers, body }: WebhookRequest,
  addresses: readonly LookupAddress[],
  signal: AbortSignal,
): Promise<number> {
  const toChecked: LookupFunction = (_host, { all }, done) => {
    const [first = { address: '', family: 0 }] = addresses;
    if (all) done(null, [...addresses]);
    else done(null, first.address, first.family);
  };
  const length = Buffer.byteLength(body);
  const options = {
    method: 'POST',
    headers: { ...headers, 'Content-Length': length, 'User-Agent': 'Barometer' },
    lookup: toChecked,
    // Uses a new connection. A pooled connection may lead to an address that was not checked.
    agent: false,
    signal,
  } as const;
  return new Promise((resolve, reject) => {
    const sending = url.protocol === 'https:' ? requestHttps(url, options) : requestHttp(url, options);
    sending.once('response', (response) => {
      resolve(response.statusCode ?? 0);
      response.destroy();
    });
    sending.on('error', reject);
    sending.end(body);
  });
}

/** Resolves the host, checks all addresses and connects only to these: a second look-up could return another. */
export const postWebhook: PostWebhook = async (request, options) => {
  const { allowsPrivate, signal, resolve = resolveAll, timeoutMs = TIMEOUT_MS } = options;
  const timeout = AbortSignal.timeout(timeoutMs);
  const end = AbortSignal.any([signal, timeout]);
  const host = request.url.hostname.replace(/^\[|\]$/g, '');
  try {
    const addresses = await Promise.race([resolve(host), rejectOnAbort(end)]);
    if (addresses.length === 0) return failed('its host is unknown');
    if (!allowsPrivate && !addresses.every(({ address }) => isPublicAddress(address))) {
      return failed('its address is private; set ALERT_ALLOW_PRIVATE=true if you trust it');
    }
    return { status: await send(request, addresses, end), failure: null };
  } catch (error) {
    if (timeout.aborted) return failed('it did not respond in time');
    const { code = 'unknown error' } = error as NodeJS.ErrnoException;
    return failed(signal.aborted ? 'the process ended' : `the connection failed (${code})`);
  }
};

interface WebhookSenderOptions {
  readonly now: () => number;
  readonly settings: WebhookSettings;
  readonly post: PostWebhook;
  /** Cancels the requests when it aborts. */
  readonly signal: AbortSignal;
}

/** Maximum number of simultaneous requests. It is large, so that a webhook that hangs does not delay another. */
const CONNECTIONS = 100;

/** Creates the sender of the calls of one run. Each attempt of a call has the same id. */
export function createWebhookSender({ settings, post, now, signal }: WebhookSenderOptions): Sender {
  const { webhooks, signingKey, allowsPrivate } = settings;
  const names = new Map(webhooks.map((webhook, place) => [webhook, nameOfWebhook(webhook, place)]));
  const targets = new Map(webhooks.map((webhook) => [digestOf(webhook), webhook]));

  return {
    channel: 'webhook',
    targets: [...targets.keys()],
    connections: CONNECTIONS,
    async send({ recipient }, message) {
      const webhook = targets.get(recipient);
      if (webhook === undefined) throw new Error('The webhook is not configured.');
      const request = webhookRequest(webhook, message as AlertMessage, { signingKey, now: now() });
      const result = await post(request, { allowsPrivate, signal });
      if (isAccepted(result)) return { result: 'sent' };
      if (signal.aborted && result.status === null) {
        return { result: 'unavailable', reason: 'The process ended.' };
      }
      const reply = result.status === null ? null : String(result.status);
      const reason = result.failure ?? `it responded with status ${reply}`;
      return { result: 'later', reply, reason: `The call of ${names.get(webhook)} failed: ${reason}.` };
    },
  };
}
