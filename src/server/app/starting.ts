import type { ServerResponse } from 'node:http';
import type { Progress } from '#collector/history/source.ts';
import { type Listening, listen } from '../http/listen.ts';
import { optionsResponse } from '../http/open-headers.ts';
import { acceptsPage, send, sendText } from '../http/response.ts';
import { HstsResponse } from '../http/security-headers.ts';
import { type Log, throttledLog } from '../log.ts';
import { createHttpMetrics, type HttpMetrics } from '../metrics/counters.ts';
import { homeFrom, NOTICE_HEADERS, renderNotice } from '../page/notice-page.ts';
import { Refusal } from '../rest/refusal.ts';
import { sendChecks } from './operator-routes.ts';
import { isTablePath, sendGated } from './table-route.ts';

export interface StartState {
  /** One plain sentence. */
  readonly reason: string;
  /** Share of the first fill that is done, from 0 to 1; null if it is unknown or nothing is filled. */
  readonly share: number | null;
}

export const STARTING: StartState = { reason: 'The server is starting.', share: null };

/** Returns the state of a first fill; null for a fill without progress so far. */
export function fillState(progress: Progress | null): StartState {
  if (progress === null) return { reason: 'The first fill is running.', share: null };
  const { stage, done, total } = progress;
  if (total === 0) return { reason: `The first fill is running: ${stage}.`, share: null };
  const [counted, all] = [done, total].map((steps) => steps.toLocaleString('en-US'));
  return {
    reason: `The first fill is running: ${stage}, ${counted} of ${all}.`,
    share: Math.min(done / total, 1),
  };
}

/** Time after which a client should repeat its request (s). The page of a browser does so by itself. */
const RETRY_AFTER = '3';

/** Responds 503 with the reason, except to `/healthz`, because a restart would not help. */
function refuse(response: ServerResponse, { reason, share }: StartState, productName: string): void {
  const { req: request } = response;
  const [path = '/'] = (request.url ?? '/').split('?');
  const retry = { 'Retry-After': RETRY_AFTER };
  if (path === '/healthz') sendText(response, 200, 'ok');
  else if (path === '/readyz') sendChecks(response, { server: reason }, retry);
  else if (isTablePath(path)) {
    // PostgREST has this code until it knows the tables.
    const refused =
      request.method === 'OPTIONS'
        ? optionsResponse(request.headers)
        : new Refusal(503, 'PGRST002', reason, { headers: retry }).response;
    sendGated(response, refused);
  } else if (acceptsPage(request)) {
    const notice = {
      title: `${productName} is starting`,
      paragraphs: [reason, 'This page opens by itself when the data is there.'],
      waiting: { share },
    };
    const page = renderNotice(notice, { productName, home: homeFrom(path) });
    send(response, 503, { ...NOTICE_HEADERS, ...retry, Refresh: RETRY_AFTER }, page);
  } else sendText(response, 503, reason, retry);
}

/** A listener that responds to every request from its first moment. */
export interface EarlyListener extends Listening {
  readonly metrics: HttpMetrics;
  /** Sets the reason that the responses before `serve` give. */
  report(state: StartState): void;
}

export interface EarlyOptions {
  readonly host: string;
  /** The port to listen on; 0 for any free port. */
  readonly port: number;
  readonly publicUrl: string | null;
  readonly productName: string;
  readonly log: Log;
}

/** Listens, and responds 503 with the reason until the server has data. Rejects if it cannot listen. */
export async function listenEarly(options: EarlyOptions): Promise<EarlyListener> {
  const { host, port, publicUrl, productName } = options;
  const log = throttledLog(options.log);
  const metrics = createHttpMetrics();
  let state = STARTING;
  const listening = await listen((_request, response) => refuse(response, state, productName), host, port, {
    Response: publicUrl?.startsWith('https:') ? HstsResponse : undefined,
    onRefused: (limit) => log.warn('connection refused', { limit }),
    onResponse: metrics.count,
  });
  return {
    ...listening,
    metrics,
    report: (now) => {
      state = now;
    },
    close: async () => {
      await listening.close();
      log.end();
    },
  };
}
