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

/** Says by its status whether visitors can be sent here, and what is wrong in a few words. */
export async function answerReadiness(
  readiness: () => Promise<Readiness>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const checks = await readiness();
  const ready = isReady(checks);
  const headers = { ...COMMON_HEADERS, 'Content-Type': 'application/json', 'Cache-Control': 'no-store' };
  send(request, response, ready ? 200 : 503, headers, `${JSON.stringify({ ready, checks })}\n`);
}
