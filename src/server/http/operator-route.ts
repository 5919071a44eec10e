import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Log, reasonOf } from '../log.ts';
import { bearerToken, isSameKey } from '../public-key.ts';
import { isLocalRequest } from './local-request.ts';
import { readBody } from './read-body.ts';
import { COMMON_HEADERS } from './security-headers.ts';
import { sendText } from './send.ts';

export const OPERATOR_PREFIX = '/operator/';

/**
 * Something the operator's commands ask of the running server. `body` is the request's JSON, `report` sends
 * one line of progress; the result goes back as JSON. Throws an error whose message is one plain sentence.
 */
export type Operation = (body: unknown, report: (line: string) => void) => Promise<unknown>;
export type Operations = Readonly<Record<string, Operation>>;

/** One line of an operator answer (NDJSON): any number of `line`, then `result` or `error`. */
export type OperatorMessage = { line: string } | { result: unknown } | { error: string };

const LONGEST_BODY = 64 * 1024;

function parseBody(body: Uint8Array): unknown {
  return body.length === 0 ? {} : JSON.parse(new TextDecoder().decode(body));
}

/** Answers `POST /operator/<operation>`: from this machine only, and with the data folder's token. */
export async function answerOperator(
  { operations, token, log }: { operations: Operations; token: string; log: Log },
  request: IncomingMessage,
  response: ServerResponse,
  name: string,
): Promise<void> {
  const given = bearerToken(request.headers.authorization);
  if (!isLocalRequest(request) || given === undefined || !isSameKey(given, token)) {
    sendText(request, response, 404, 'There is nothing here.');
    return;
  }
  const operation = Object.hasOwn(operations, name) ? operations[name] : undefined;
  if (operation === undefined) {
    sendText(request, response, 404, `The server knows no operation "${name}".`);
    return;
  }
  if (request.method !== 'POST') {
    sendText(request, response, 405, 'Operations are asked for with POST.', { Allow: 'POST' });
    return;
  }
  const body = await readBody(request, LONGEST_BODY);
  if (body === null) {
    sendText(request, response, 413, 'The request is too long.', { Connection: 'close' });
    return;
  }
  let parsed: unknown;
  try {
    parsed = parseBody(body);
  } catch {
    sendText(request, response, 400, 'The request is not JSON.');
    return;
  }
  // An operation may have nothing to tell for long; who asked for it is on this machine.
  request.socket.setTimeout(0);
  const headers = { ...COMMON_HEADERS, 'Content-Type': 'application/x-ndjson', 'Cache-Control': 'no-store' };
  response.writeHead(200, headers);
  const write = (message: OperatorMessage) => response.write(`${JSON.stringify(message)}\n`);
  try {
    write({ result: (await operation(parsed, (line) => write({ line }))) ?? null });
  } catch (error) {
    log.error('operation failed', { operation: name, reason: reasonOf(error) });
    write({ error: reasonOf(error) });
  }
  response.end();
}
