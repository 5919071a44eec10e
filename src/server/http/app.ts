import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { BlockList } from 'node:net';
import type { Readiness } from '../health/readiness.ts';
import { type Log, reasonOf } from '../log.ts';
import type { Release } from '../release/build-release.ts';
import type { Document } from '../release/documents.ts';
import { REST_PREFIX } from '../release/read-key.ts';
import type { Releases } from '../release/releases.ts';
import { clientAddress } from './client-address.ts';
import { answerHealth, answerReadiness, type ServerState } from './health-routes.ts';
import { answerMetrics } from './metrics-route.ts';
import type { RateLimit } from './rate-limit.ts';
import type { Resource } from './resource.ts';
import { answerRest, type RestReads, refuseRest, sendReleasedAtOnce } from './rest-route.ts';
import { sendResource, sendText } from './send.ts';
import { answerSubscription, readLink, type SubscriptionLinks } from './subscription-routes.ts';

export interface App {
  readonly releases: Releases<Release>;
  /** The documents of each release, by path. */
  readonly documents: ReadonlyMap<string, Document>;
  readonly rest: RestReads;
  readonly files: ReadonlyMap<string, Resource>;
  /** Of mails, by which one leaves or confirms. */
  readonly links: SubscriptionLinks;
  /** How many periods of the schedule in a row are missed. */
  readonly missedPeriods: () => number;
  readonly readiness: () => Promise<Readiness>;
  readonly state: () => ServerState;
  /** The metrics in Prometheus' text form. */
  readonly metrics: () => Promise<string>;
  /** With which they may be read from another machine; null for not at all. */
  readonly metricsToken: string | null;
  /** Who is believed when it says for whom a request is. */
  readonly trustedProxies?: BlockList | undefined;
  /** How much one client may ask for; absent for whatever it likes. */
  readonly rateLimit?: RateLimit | undefined;
  readonly log: Log;
}

const NO_DOCUMENT = 'This document cannot be built at the moment. Try again in a minute.';
const TOO_MANY = 'There were too many requests from your network; please try again in a second.';

function isRead(request: IncomingMessage): boolean {
  return request.method === 'GET' || request.method === 'HEAD';
}

/**
 * What supervisors and balancers ask, who may have the address of many visitors: a refusal would have the server restarted,
 * or taken from its visitors. Neither asks the database, so that a refusal would spare nothing.
 */
const HEALTH: ReadonlySet<string | undefined> = new Set(['/healthz', '/readyz?only=server']);

const isRest = (path: string) => path === REST_PREFIX || path.startsWith(`${REST_PREFIX}/`);

/** Answers 429, which the page's own reads get in the form of every refusal of theirs. */
function refuse(request: IncomingMessage, response: ServerResponse): void {
  if (isRest(request.url ?? '')) refuseRest(request, response, TOO_MANY);
  else sendText(request, response, 429, TOO_MANY, { 'Retry-After': '1' });
}

async function answer(app: App, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [path = '/', ...queries] = (request.url ?? '/').split('?');
  if (isRest(path)) {
    const client = clientAddress(request, app.trustedProxies);
    await answerRest(app.rest, request, response, { path, query: queries.join('?'), client });
    return;
  }
  const link = readLink(path);
  if (link !== null) {
    await answerSubscription(app, request, response, path, link);
    return;
  }
  if (!isRead(request)) {
    sendText(request, response, 405, 'This address can only be read.', { Allow: 'GET, HEAD' });
    return;
  }
  if (path === '/healthz') {
    answerHealth(app.missedPeriods(), request, response);
    return;
  }
  if (path === '/readyz') {
    await answerReadiness(app, request, response);
    return;
  }
  if (path === '/metrics') {
    await answerMetrics(app, request, response);
    return;
  }
  if (path === '/' || path === '/index.html') {
    const current = app.releases.current();
    const { page, age } = current instanceof Promise ? await current : current;
    // Since HTTP/1.1 a connection is kept without a word, and the page's first flight of packets has no room for one.
    if (request.httpVersion === '1.1' && response.shouldKeepAlive) response.removeHeader('Connection');
    sendResource(request, response, page, { age: age?.() ?? null });
    return;
  }
  const document = app.documents.get(path);
  if (document !== undefined) {
    const { rows, age } = await app.releases.current();
    const built = rows && (await document(rows).catch(() => null));
    if (built === null) sendText(request, response, 503, NO_DOCUMENT, { 'Retry-After': '60' });
    else sendResource(request, response, built, { age: age?.() ?? null });
    return;
  }
  const file = app.files.get(path);
  if (file === undefined) sendText(request, response, 404, 'There is nothing here.');
  else sendResource(request, response, file);
}

function fail({ log }: App, request: IncomingMessage, response: ServerResponse, error: unknown): void {
  if (request.destroyed && !request.complete) return;
  log.error('request failed', { method: request.method, reason: reasonOf(error) });
  if (response.headersSent) response.destroy();
  else sendText(request, response, 500, 'Something went wrong.');
}

/** Routes every request of the product's server; answers 429 to a client that asks too much, 500 where a handler throws. */
export function createApp(app: App): RequestListener {
  return (request, response) => {
    try {
      if (app.rateLimit?.isOver(request) && !HEALTH.has(request.url)) {
        refuse(request, response);
        return;
      }
      if (sendReleasedAtOnce(app.rest, request, response)) return;
    } catch (error) {
      fail(app, request, response, error);
      return;
    }
    answer(app, request, response).catch((error: unknown) => fail(app, request, response, error));
  };
}
