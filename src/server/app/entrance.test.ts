import type { IncomingMessage, ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { createEntrance } from './entrance.ts';

const NOW = Date.parse('2026-11-13T21:30:00Z');
const PASSWORD = 'open sesame';

/**
 * Posts a form to the entrance; `body` is null for one that never ends. Returns the status, and whether the response ends
 * the connection.
 */
async function post(
  body: string | null,
  { password = PASSWORD, isOver = false }: { password?: string; isOver?: boolean } = {},
): Promise<{ status: number; closes: boolean }> {
  const entrance = createEntrance({
    ...{ password, productName: 'Barometer', publicUrl: null, now: () => NOW },
    signingKey: new Uint8Array(32),
    limitOf: () => ({ isOver: () => isOver }),
  });
  const request = Object.assign(new PassThrough(), {
    method: 'POST',
    headers: {
      accept: 'text/html',
      'content-type': 'application/x-www-form-urlencoded',
      ...(body !== null && { 'content-length': String(body.length) }),
    },
  });
  if (body !== null) request.end(body);
  const given = { status: 0, closes: false };
  const response = {
    req: request,
    writeHead(status: number, headers: Record<string, string>) {
      Object.assign(given, { status, closes: headers.Connection === 'close' });
    },
    end() {},
  };
  const address = { path: '/', query: '' };
  await entrance.ask(request as unknown as IncomingMessage, response as unknown as ServerResponse, address);
  return given;
}

const formOf = (password: string) => new URLSearchParams({ password }).toString();

it('refuses a guess over the limit without waiting for its body [T26]', async () => {
  expect(await post(null, { isOver: true })).toEqual({ status: 429, closes: true });
  const long = `${formOf(PASSWORD)}&more=${'x'.repeat(8_192)}`;
  expect(await post(long, { isOver: true })).toEqual({ status: 429, closes: true });
  expect(await post(formOf(PASSWORD), { isOver: true })).toEqual({ status: 429, closes: false });
});

it('compares no form of more than 8 KiB [T26]', async () => {
  expect(await post(`${formOf(PASSWORD)}&more=${'x'.repeat(8_000)}`)).toMatchObject({ status: 303 });
  expect(await post(`${formOf(PASSWORD)}&more=${'x'.repeat(8_192)}`)).toMatchObject({ status: 401 });
});

it('opens for a password with line breaks, which a browser removes from the field', async () => {
  const password = 'first line\nsecond\r\nthird';
  expect(await post(formOf('first linesecondthird'), { password })).toMatchObject({ status: 303 });
  expect(await post(formOf(password), { password })).toMatchObject({ status: 303 });
  expect(await post(formOf('first line second third'), { password })).toMatchObject({ status: 401 });
});
