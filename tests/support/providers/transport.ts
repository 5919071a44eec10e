import type { ServerResponse } from 'node:http';
import type { StandingFault, TransportFault } from './faults.ts';
import type { StubAnswer } from './stub.ts';

const PAGE =
  '<!DOCTYPE html><html><head><title>Just a moment...</title></head><body>Checking your browser.</body></html>';
const MEGABYTE = ' '.repeat(1 << 20);
/** More than a client should read, with an end in case a client reads it all. */
const GIGANTIC = 200;

/** Applies the fault to the response `given`. */
export function answerBadly(
  response: ServerResponse,
  { fault, retryAfter = 1 }: StandingFault,
  given: StubAnswer,
): void {
  const type = given.headers?.['content-type'] ?? 'text/plain';
  const whole = Buffer.from(given.body);
  const half = whole.subarray(0, Math.ceil(whole.length / 2));
  switch (fault as TransportFault) {
    case 'html':
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(PAGE);
      return;
    case 'truncated':
      response.writeHead(200, { 'content-type': type, 'content-length': half.length }).end(half);
      return;
    case 'no body':
      response.writeHead(200, { 'content-type': type, 'content-length': 0 }).end();
      return;
    case 'hangs':
      return;
    case 'stalls':
      response.writeHead(200, { 'content-type': type, 'content-length': whole.length }).write(half);
      return;
    case 'closes':
      response.destroy();
      return;
    case 'breaks off':
      response.writeHead(200, { 'content-type': type, 'content-length': whole.length });
      response.write(half, () => response.destroy());
      return;
    case 'gigantic':
      response.writeHead(200, { 'content-type': type });
      sendMegabytes(response, GIGANTIC);
      return;
    case 'redirect':
      response.writeHead(302, { location: '/redirected' }).end();
      return;
    case '429':
      response.writeHead(429, { 'retry-after': String(retryAfter) }).end('Too Many Requests\r\n');
      return;
    default:
      response.writeHead(Number(fault), { 'content-type': 'text/html' }).end(PAGE);
  }
}

function sendMegabytes(response: ServerResponse, left: number): void {
  if (response.destroyed) return;
  if (left === 0) response.end();
  else response.write(MEGABYTE, () => sendMegabytes(response, left - 1));
}
