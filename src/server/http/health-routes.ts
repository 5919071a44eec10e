import type { IncomingMessage, ServerResponse } from 'node:http';
import { MISSED_TOLD } from '#collector/periods.ts';
import { isReady, type Readiness } from '../health/readiness.ts';
import { COMMON_HEADERS } from './security-headers.ts';
import { send, sendText } from './send.ts';

/** Says that the process is alive, and when its schedule is behind, which ending the process would not mend. */
export function answerHealth(missed: number, request: IncomingMessage, response: ServerResponse): void {
  const behind = missed < MISSED_TOLD ? '' : `\nThe last ${missed} scheduled runs are missing; see the log.`;
  sendText(request, response, 200, `ok${behind}`);
}

/** Whether a server takes visitors: it makes its first page, or is about to end, when it does not. */
export type ServerState = 'starting' | 'ok' | 'stopping';

/** What is asked of a server's readiness. */
interface Asked {
  readonly readiness: () => Promise<Readiness>;
  readonly state: () => ServerState;
}

/** For balancers: whether to send visitors here rather than elsewhere, which no database has a say in. */
const ONLY_SERVER = '?only=server';

/** Says by its status whether visitors can be sent here, and what is wrong in a few words. */
export async function answerReadiness(
  { readiness, state }: Asked,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const others = request.url?.endsWith(ONLY_SERVER) ? {} : await readiness();
  const checks = { server: state(), ...others };
  const ready = isReady(checks);
  const headers = { ...COMMON_HEADERS, 'Content-Type': 'application/json', 'Cache-Control': 'no-store' };
  send(request, response, ready ? 200 : 503, headers, `${JSON.stringify({ ready, checks })}\n`);
}
