import type { IncomingMessage, ServerResponse } from 'node:http';
import { MISSED_REPORTED } from '#collector/periods.ts';
import { isReady, type Readiness } from '../health/readiness.ts';
import { isLocalHostName, isLocalRequest } from '../http/client-address.ts';
import { type Headers, NOT_FOUND, send, sendText } from '../http/response.ts';
import { UNFRAMED_HEADERS } from '../http/security-headers.ts';
import { EXPOSITION_TYPE } from '../metrics/exposition.ts';
import { bearerToken, isSameKey } from '../public-key.ts';
import type { Route } from './routes.ts';

/** A load balancer sends requests only to a server in the state `ok`. */
export type ServerState = 'ok' | 'stopping';

interface OperatorSources {
  readonly missedPeriods: () => number;
  readonly readiness: () => Promise<Readiness>;
  readonly state: () => ServerState;
  readonly metrics: () => Promise<string>;
  /** Token with which other machines may read the metrics; null if they may not. */
  readonly metricsToken: string | null;
}

/** Responds 200 if all checks are 'ok', and 503 otherwise, with the results of the checks. */
export function sendChecks(
  response: ServerResponse,
  checks: Readonly<Record<string, string>>,
  further: Headers = {},
): void {
  const ready = isReady(checks);
  const headers = { ...UNFRAMED_HEADERS, 'Content-Type': 'application/json', 'Cache-Control': 'no-store' };
  const body = `${JSON.stringify({ ready, checks })}\n`;
  send(response, ready ? 200 : 503, { ...headers, ...further }, body);
}

function mayReadMetrics(request: IncomingMessage, token: string | null): boolean {
  const given = bearerToken(request.headers.authorization);
  if (token !== null && given !== undefined) return isSameKey(given, token);
  return isLocalRequest(request) && isLocalHostName(request);
}

/** The routes for operators. `/healthz` reports missed periods, but not as a failure: a restart would not help. */
export function operatorRoutes(sources: OperatorSources): Route[] {
  const { missedPeriods, readiness, state, metrics, metricsToken } = sources;
  return [
    {
      path: '/healthz',
      handle(_request, response) {
        const missed = missedPeriods();
        const behind =
          missed < MISSED_REPORTED ? '' : `\nThe last ${missed} scheduled runs are missing; see the log.`;
        sendText(response, 200, `ok${behind}`);
      },
    },
    {
      path: '/readyz',
      async handle(_request, response, { query }) {
        const others = query === 'only=server' ? {} : await readiness();
        sendChecks(response, { server: state(), ...others });
      },
    },
    {
      path: '/metrics',
      isProven: (request) => mayReadMetrics(request, metricsToken),
      async handle(request, response) {
        if (!mayReadMetrics(request, metricsToken)) return sendText(response, 404, NOT_FOUND);
        const headers = { ...UNFRAMED_HEADERS, 'Content-Type': EXPOSITION_TYPE, 'Cache-Control': 'no-store' };
        send(response, 200, headers, await metrics());
      },
    },
  ];
}
