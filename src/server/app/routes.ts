import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { BlockList } from 'node:net';
import { noPageHtml } from '#web/documents/document-page.tsx';
import type { Served } from '../documents/cached-value.ts';
import { type Asked, DOCUMENT_HEADERS, type Document } from '../documents/document.ts';
import { clientAddress, networkOf } from '../http/client-address.ts';
import { preflightHeaders } from '../http/open-headers.ts';
import type { RateLimit } from '../http/rate-limit.ts';
import { acceptsPage, NOT_FOUND, type Resource, send, sendResource, sendText } from '../http/response.ts';
import { failureFields, type Log, reasonOf } from '../log.ts';
import { homeFrom } from '../page/notice-page.ts';
import { TooManyWaiting } from '../queue.ts';
import type { Entrance } from './entrance.ts';

type Handle = (request: IncomingMessage, response: ServerResponse, asked: Asked) => unknown;

export interface Route {
  /** A path, or the pattern of several paths. */
  readonly path: string | RegExp;
  /** True if pages of any site may read it. */
  readonly isOpen?: boolean | undefined;
  /** True if the handler checks the method. All other routes allow GET and HEAD only. */
  readonly hasOwnMethods?: boolean;
  /** True if a request itself proves that its sender may use a private page, such as by a signed link. */
  readonly isProven?: (request: IncomingMessage, asked: Asked) => boolean;
  readonly handle: Handle;
  /** Responds 429 to a client over its rate limit; by default with one plain sentence. */
  readonly refuse?: (response: ServerResponse) => void;
}

interface AppOptions {
  /** All routes. A request gets the one with its path, or else the first one whose pattern matches. */
  readonly routes: readonly Route[];
  readonly productName: string;
  readonly rateLimit?: RateLimit | undefined;
  /** The entrance of a private page; undefined for a page that is open to everybody. */
  readonly entrance?: Entrance | undefined;
  /** Proxies whose X-Forwarded-For header is trusted to name the client. */
  readonly trustedProxies?: BlockList | undefined;
  readonly log: Log;
}

const NO_DOCUMENT = 'This document cannot be built at the moment. Try again in a minute.';
export const TOO_MANY = 'There were too many requests from your network. Try again in a second.';

/** Addresses without a rate limit: a supervisor in a network with visitors would restart a server that refuses it. */
const UNLIMITED: ReadonlySet<string | undefined> = new Set(['/healthz', '/readyz?only=server']);

/** The addresses of a private page that are open to everybody: supervisors and load balancers have no password. */
const HEALTH: ReadonlySet<string> = new Set(['/healthz', '/readyz']);

/** Lets cache networks store a response for a minute, and for a day while no server responds (RFC 9213). Browsers ignore it. */
export const FOR_NETWORKS = [
  'CDN-Cache-Control',
  'max-age=60,stale-while-revalidate=60,stale-if-error=86400',
] as const;

/** Responses that networks must not store, or may store for longer. */
const HAS_OWN_CACHING = /no-store|immutable/;

const isForwarded = ({ headers }: IncomingMessage) =>
  (headers['x-forwarded-for'] ?? headers.via ?? headers['cdn-loop']) !== undefined;

/** Sends the same to every visitor. A lean response to a visitor's own request omits the header for networks. */
function sendPublic(response: ServerResponse, { value: resource, age: ageOf }: Served, isLean = false): void {
  const age = ageOf?.() ?? null;
  const isShort = !HAS_OWN_CACHING.test(resource.headers['Cache-Control'] ?? '');
  const isStored =
    resource.status === 200 && age === null && isShort && (!isLean || isForwarded(response.req));
  const extra = isStored ? FOR_NETWORKS : [];
  sendResource(response, resource, { age, extra });
}

export const fileRoutes = (files: ReadonlyMap<string, Resource>): Route[] =>
  [...files].map(([path, value]) => ({
    path,
    handle: (_request, response) => sendPublic(response, { value, age: null }),
  }));

/** Returns the routes of documents. They respond 503 while a document cannot be built. */
export const documentRoutes = (documents: readonly Document[], log: Log): Route[] =>
  documents.map(({ path, isOpen, isLean = false, serve }) => {
    const handle: Handle = async (request, response, asked) => {
      let served: Served | null;
      try {
        served = await serve(asked);
      } catch (error) {
        if (!(error instanceof TooManyWaiting))
          log.error('document failed', { path: asked.path, ...failureFields(error) });
        const headers = { 'Retry-After': '60', ...(isOpen && { 'Access-Control-Allow-Origin': '*' }) };
        return sendText(response, 503, NO_DOCUMENT, headers);
      }
      if (served === null) return sendText(response, 404, NOT_FOUND);
      // In HTTP/1.1, connections stay open without this header.
      if (isLean && request.httpVersion === '1.1' && response.shouldKeepAlive)
        response.removeHeader('Connection');
      sendPublic(response, served, isLean);
    };
    return { path, isOpen, handle };
  });

/** Routes every request of a server. Responds 429 to a client over its rate limit, and 500 if a handler throws. */
export function createApp(options: AppOptions): RequestListener {
  const { routes, productName, rateLimit, entrance, trustedProxies, log } = options;
  const exact = new Map<string, Route>();
  const patterns: (Route & { readonly path: RegExp })[] = [];
  for (const route of routes) {
    const { path } = route;
    if (typeof path === 'string') exact.set(path, route);
    else patterns.push({ ...route, path });
  }

  /** Responds 404 with a page to a browser, and with one plain sentence to a program. */
  function sendNotFound(response: ServerResponse, path: string): void {
    if (!acceptsPage(response.req)) {
      sendText(response, 404, NOT_FOUND);
      return;
    }
    const html = noPageHtml(NOT_FOUND, { productName, home: homeFrom(path) });
    send(response, 404, { ...DOCUMENT_HEADERS, 'Cache-Control': 'no-store' }, html);
  }

  function handle(request: IncomingMessage, response: ServerResponse): unknown {
    const { method, url = '/' } = request;
    const end = url.indexOf('?');
    const path = end < 0 ? url : url.slice(0, end);
    const route: Route | undefined = exact.get(path) ?? patterns.find((row) => row.path.test(path));
    if (rateLimit?.isOver(request) && !UNLIMITED.has(url)) {
      if (route?.refuse !== undefined) return route.refuse(response);
      return sendText(response, 429, TOO_MANY, { 'Retry-After': '1' });
    }
    const client = () => networkOf(clientAddress(request, trustedProxies) ?? '');
    const asked = { path, query: end < 0 ? '' : url.slice(end + 1), client };
    if (entrance !== undefined && !HEALTH.has(path)) {
      entrance.protect(response);
      if (!route?.isProven?.(request, asked) && !entrance.admits(request))
        return entrance.ask(request, response, asked);
    }
    if (method === 'GET' || method === 'HEAD' || route?.hasOwnMethods) {
      if (route === undefined) return sendNotFound(response, path);
      return route.handle(request, response, asked);
    }
    if (method === 'OPTIONS' && route?.isOpen) {
      const headers = preflightHeaders(request.headers['access-control-request-headers']);
      return response.writeHead(204, headers).end();
    }
    return sendText(response, 405, 'This address allows GET and HEAD only.', { Allow: 'GET, HEAD' });
  }

  function fail(request: IncomingMessage, response: ServerResponse, error: unknown): void {
    if (request.destroyed && !request.complete) return;
    log.error('request failed', { method: request.method, reason: reasonOf(error) });
    if (response.headersSent) response.destroy();
    else sendText(response, 500, 'Something went wrong.');
  }

  return (request, response) => {
    try {
      const handled = handle(request, response);
      if (handled instanceof Promise) handled.catch((error: unknown) => fail(request, response, error));
    } catch (error) {
      fail(request, response, error);
    }
  };
}
