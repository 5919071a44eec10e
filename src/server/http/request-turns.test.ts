import { EventEmitter } from 'node:events';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { expect, it, onTestFinished } from 'vitest';
import { exchange, rawRequest } from '#tests/support/raw-http.ts';
import { listen, oneRequestPerTurn } from './listen.ts';

const turnOfLoop = () => new Promise((resolve) => setImmediate(resolve));

const fakeConnection = () => new Readable({ read: () => undefined }).resume();

/** Emits a request of a connection. `handled` has the names of the handled requests. */
function emitter() {
  const handled: (string | undefined)[] = [];
  const take = oneRequestPerTurn(({ url }) => {
    handled.push(url);
  });
  const emit = (url: string, socket: object) => {
    const response = new EventEmitter();
    take({ url, socket, complete: true } as unknown as IncomingMessage, response as ServerResponse);
    return response;
  };
  return { handled, emit };
}

it('requests of another connection are handled between those of a burst', async () => {
  const { handled, emit } = emitter();
  const [burst, other] = [fakeConnection(), fakeConnection()];
  for (const name of ['a1', 'a2', 'a3', 'a4']) emit(name, burst);
  emit('b1', other);
  expect(handled).toEqual(['a1', 'b1']);
  expect([burst.isPaused(), other.isPaused()]).toEqual([true, false]);
  await turnOfLoop();
  emit('b2', other);
  expect(handled).toEqual(['a1', 'b1', 'a2', 'b2']);
  await turnOfLoop();
  await turnOfLoop();
  expect(handled).toEqual(['a1', 'b1', 'a2', 'b2', 'a3', 'a4']);
  expect(burst.isPaused()).toBe(false);
});

it('a connection is read again after the last response to a long burst', async () => {
  const { handled, emit } = emitter();
  const burst = fakeConnection();
  const responses = Array.from({ length: 20 }, (_, at) => emit(`a${at}`, burst));
  while (handled.length < responses.length) await turnOfLoop();
  burst.resume();
  await turnOfLoop();
  expect(burst.isPaused()).toBe(true);
  responses.at(-1)?.emit('close');
  expect(burst.isPaused()).toBe(false);
});

it('the waiting requests of a closed connection are not handled', async () => {
  const { handled, emit } = emitter();
  const burst = fakeConnection();
  for (const name of ['a1', 'a2', 'a3']) emit(name, burst);
  burst.destroy();
  await turnOfLoop();
  await turnOfLoop();
  expect(handled).toEqual(['a1']);
});

/** A request so long that a received chunk of 64 KB has fewer than a hundred. */
const long = (path: string) => rawRequest('GET', path, [['X-Long', 'x'.repeat(650)]]);

async function serve(handle: RequestListener): Promise<string> {
  const { url, close } = await listen(handle, '127.0.0.1', 0);
  onTestFinished(close);
  return url;
}

it('a request that arrives during a burst does not wait for all requests that were received at once', async () => {
  const order: (string | undefined)[] = [];
  let sendOther = () => {};
  const url = await serve((request, response) => {
    order.push(request.url);
    if (request.url === '/0') sendOther();
    response.end();
  });
  const { hostname, port } = new URL(url);
  const other = connect(Number(port), hostname);
  onTestFinished(() => void other.destroy());
  await new Promise((resolve) => other.once('connect', resolve));
  const arrived = new Promise((resolve) => other.once('data', resolve));
  sendOther = () => other.write(rawRequest('GET', '/other'));
  const burst = Array.from({ length: 90 }, (_, at) => rawRequest('GET', `/${at}`)).join('');
  await Promise.all([exchange(url, burst, { answers: 90 }), arrived]);
  expect(order.indexOf('/other')).toBeLessThan(order.indexOf('/89'));
});

it('a long body in a burst is read', async () => {
  const url = await serve(async (request, response) => {
    let bytes = 0;
    for await (const chunk of request) bytes += (chunk as Buffer).length;
    response.end(String(bytes));
  });
  const body = 'x'.repeat(300_000);
  const burst = [
    long('/0'),
    rawRequest('POST', '/1', [], body),
    long('/2'),
    rawRequest('POST', '/3', [], body),
  ];
  const { answers } = await exchange(url, burst.join(''), { answers: burst.length });
  expect(answers.map((answer) => answer.body.toString())).toEqual(['0', '300000', '0', '300000']);
});
