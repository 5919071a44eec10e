import type { IncomingMessage, ServerResponse } from 'node:http';
import { EXPOSITION_TYPE } from '../metrics/exposition.ts';
import { bearerToken, isSameKey } from '../public-key.ts';
import { isLocalHostName, isLocalRequest } from './local-request.ts';
import { COMMON_HEADERS } from './security-headers.ts';
import { send, sendText } from './send.ts';

interface MetricsAccess {
  readonly metrics: () => Promise<string>;
  readonly metricsToken: string | null;
}

function mayRead(request: IncomingMessage, token: string | null): boolean {
  const given = bearerToken(request.headers.authorization);
  if (token !== null && given !== undefined) return isSameKey(given, token);
  return isLocalRequest(request) && isLocalHostName(request);
}

/** Answers the metrics to this machine, and to others that show the token; to anybody else there is nothing. */
export async function answerMetrics(
  { metrics, metricsToken }: MetricsAccess,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (!mayRead(request, metricsToken)) {
    sendText(request, response, 404, 'There is nothing here.');
    return;
  }
  const headers = { ...COMMON_HEADERS, 'Content-Type': EXPOSITION_TYPE, 'Cache-Control': 'no-store' };
  send(request, response, 200, headers, await metrics());
}
