import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { BlockList } from 'node:net';
import { clientAddress } from '../http/client-address.ts';
import { preflightHeaders } from '../http/open-headers.ts';
import { networkOf, type RateLimit } from '../http/rate-limit.ts';
import type { Resource } from '../http/resource.ts';
import { acceptsPage, NOT_FOUND, send, sendResource, sendText } from '../http/send.ts';
import { type Log, reasonOf } from '../log.ts';
import type { OEmbed } from '../outputs/oembed.ts';
import { homeFrom, NOTICE_HEADERS, renderNotice } from '../page/notice-page.ts';
import type { Document } from '../release/documents.ts';
import { TooManyWaiting } from '../release/in-turn.ts';
import type { Served } from '../release/last-versions.ts';
import { isDayPath, type PastDays } from '../release/past-days.ts';
import { type RecordWeeks, readWeekPath } from '../release/record-weeks.ts';
import { tooManyRequests } from '../rest/refusal.ts';
import { type LedgerSource, ledgerPath, sendLedgerFile } from './ledger-route.ts';
import { type OperatorSources, sendHealth, sendMetrics, sendReadiness } from './operator-routes.ts';
import { type HandleReport, REPORT_PATH } from './report-route.ts';
import { handleLink, readLink, type SubscriptionLinks } from './subscription-routes.ts';
import {
  handleTableRequest,
  isTablePath,
  type ReadSources,
  sendGated,
  sendReleasedRead,
} from './table-route.ts';

export interface App extends ReadSources, OperatorSources, LedgerSource {
  /** The documents that are built from a release, by path. */
  readonly documents: ReadonlyMap<string, Document>;
  readonly oEmbed: OEmbed;
  /** The addresses, besides those of the ledger and of past days, that pages of any site may read. */
  readonly openPaths: ReadonlySet<string>;
  readonly pastDays: PastDays;
  /** Documents that read the database themselves, by path. */
  readonly ownDocuments: ReadonlyMap<string, () => Promise<Served>>;
  readonly recordWeeks: RecordWeeks;
  /** The files of the built page, by path. */
  readonly files: ReadonlyMap<string, Resource>;
  readonly links: SubscriptionLinks;
  /** Handles posted reports of bounces and complaints; absent if the endpoint is not configured. */
  readonly handleReport?: HandleReport | undefined;
  /** Proxies whose X-Forwarded-For header is trusted to name the client. */
  readonly trustedProxies?: BlockList | undefined;
  readonly rateLimit?: RateLimit | undefined;
  readonly log: Log;
}

const NO_DOCUMENT = 'This document cannot be built at the moment. Try again in a minute.';
/** Headers of the response for a document that could not be built. Pages of any site may read this response. */
const AWAY = { 'Retry-After': '60', 'Access-Control-Allow-Origin': '*' };
const TOO_MANY = 'There were too many requests from your network. Try again in a second.';

/**
 * Addresses without a rate limit. Supervisors and load balancers may share an address with many visitors, and would
 * restart a server that refuses their requests. These responses do not use the database.
 */
const UNLIMITED: ReadonlySet<string | undefined> = new Set(['/healthz', '/readyz?only=server']);

function refuse(request: IncomingMessage, response: ServerResponse): void {
  if (isTablePath(request.url ?? '')) sendGated(request, response, tooManyRequests(TOO_MANY).response);
  else sendText(request, response, 429, TOO_MANY, { 'Retry-After': '1' });
}

/** True for an address that pages of any site may read. */
const isOpen = ({ openPaths }: App, path: string) =>
  openPaths.has(path) || ledgerPath(path) !== null || (isDayPath(path) && path.endsWith('.json'));

/** Returns the network of a client, whose requests share one limit; an empty text if the connection is closed. */
const networkOfClient = ({ trustedProxies }: App, request: IncomingMessage): string =>
  networkOf(clientAddress(request, trustedProxies) ?? '');

async function handle(app: App, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const [path = '/', ...queries] = (request.url ?? '/').split('?');
  if (isTablePath(path)) {
    const client = clientAddress(request, app.trustedProxies);
    await handleTableRequest(app, request, response, { path, query: queries.join('?'), client });
    return;
  }
  const link = readLink(path);
  if (link !== null) {
    await handleLink(app, request, response, path, link);
    return;
  }
  if (path === REPORT_PATH && app.handleReport !== undefined) return app.handleReport(request, response);
  if (request.method === 'OPTIONS' && isOpen(app, path)) {
    response.writeHead(204, preflightHeaders(request.headers['access-control-request-headers'])).end();
    return;
  }
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    sendText(request, response, 405, 'This address allows GET and HEAD only.', { Allow: 'GET, HEAD' });
    return;
  }
  if (path === '/healthz') return sendHealth(app, request, response);
  if (path === '/readyz') return sendReadiness(app, request, response);
  if (path === '/metrics') return sendMetrics(app, request, response);
  if (path === '/' || path === '/index.html') {
    const current = app.releases.current();
    const { page, age } = current instanceof Promise ? await current : current;
    // In HTTP/1.1, connections stay open without this header. The page with its headers only just fits ten TCP packets.
    if (request.httpVersion === '1.1' && response.shouldKeepAlive) response.removeHeader('Connection');
    sendResource(request, response, page, { age: age?.() ?? null });
    return;
  }
  const document = app.documents.get(path);
  if (document !== undefined) {
    const { rows, age } = await app.releases.current();
    const built = rows && (await document(rows).catch(() => null));
    if (built === null) sendText(request, response, 503, NO_DOCUMENT, AWAY);
    else sendResource(request, response, built, { age: age?.() ?? null });
    return;
  }
  if (path === '/oembed') {
    const { rows, age } = await app.releases.current();
    if (rows === null) sendText(request, response, 503, NO_DOCUMENT, AWAY);
    else sendResource(request, response, app.oEmbed(rows, queries.join('?')), { age: age?.() ?? null });
    return;
  }
  const failed = (error: unknown) => {
    if (!(error instanceof TooManyWaiting))
      app.log.error('document failed', { path, reason: reasonOf(error) });
    return null;
  };
  const ownDocument = app.ownDocuments.get(path);
  if (isDayPath(path) || ownDocument !== undefined) {
    const building = ownDocument?.() ?? app.pastDays(path, queries.join('?'), networkOfClient(app, request));
    const built = await building.catch(failed);
    if (built === null) sendText(request, response, 503, NO_DOCUMENT, { 'Retry-After': '60' });
    else sendResource(request, response, built.resource, { age: built.age });
    return;
  }
  const week = readWeekPath(path);
  if (week !== null) {
    const { rows, age } = await app.releases.current();
    const built =
      rows && (await app.recordWeeks(rows.record, week, networkOfClient(app, request)).catch(failed));
    if (built === null) sendText(request, response, 503, NO_DOCUMENT, { 'Retry-After': '60' });
    else sendResource(request, response, built, { age: age?.() ?? null });
    return;
  }
  const ledgerFile = ledgerPath(path);
  if (ledgerFile !== null) return sendLedgerFile(app, request, response, ledgerFile);
  const file = app.files.get(path);
  if (file === undefined) sendNotFound(app, request, response, path);
  else sendResource(request, response, file);
}

/** Responds 404 with a page to a browser, and with one plain sentence to a program. */
function sendNotFound(
  { links }: App,
  request: IncomingMessage,
  response: ServerResponse,
  path: string,
): void {
  if (!acceptsPage(request)) {
    sendText(request, response, 404, NOT_FOUND);
    return;
  }
  const notice = { title: NOT_FOUND, paragraphs: ['The address may be incomplete or misspelled.'] };
  const page = renderNotice(notice, { productName: links.productName, home: homeFrom(path) });
  send(request, response, 404, NOTICE_HEADERS, page);
}

function fail({ log }: App, request: IncomingMessage, response: ServerResponse, error: unknown): void {
  if (request.destroyed && !request.complete) return;
  log.error('request failed', { method: request.method, reason: reasonOf(error) });
  if (response.headersSent) response.destroy();
  else sendText(request, response, 500, 'Something went wrong.');
}

/** Routes every request of a server. Responds 429 to a client over its rate limit, and 500 if a handler throws. */
export function createApp(app: App): RequestListener {
  return (request, response) => {
    try {
      if (app.rateLimit?.isOver(request) && !UNLIMITED.has(request.url)) {
        refuse(request, response);
        return;
      }
      if (sendReleasedRead(app, request, response)) return;
    } catch (error) {
      fail(app, request, response, error);
      return;
    }
    handle(app, request, response).catch((error: unknown) => fail(app, request, response, error));
  };
}
