import type { IncomingMessage, ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { createEntrance } from './entrance.ts';

const NOW = Date.parse('2026-11-13T21:30:00Z');
const PASSWORD = 'open sesame';

/** Posts a form to the entrance; `body` is null for one that never ends. Returns the status. */
async function post(
  body: string | null,
  { password = PASSWORD, isOver = false }: { password?: string; isOver?: boolean } = {},
): Promise<number> {
  const entrance = createEntrance({
    ...{ password, productName: 'Barometer', publicUrl: null, now: () => NOW },
    signingKey: new Uint8Array(32),
    guesses: { isOver: () => isOver },
  });
  const request = Object.assign(new PassThrough(), {
    method: 'POST',
    headers: { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' },
  });
  if (body !== null) request.end(body);
  let status = 0;
  const response = {
    writeHead(written: number) {
      status = written;
    },
    end() {},
  };
  const address = { path: '/', query: '' };
  await entrance.ask(request as unknown as IncomingMessage, response as unknown as ServerResponse, address);
  return status;
}

const formOf = (password: string) => new URLSearchParams({ password }).toString();

it('refuses a guess over the limit without waiting for its body [T26]', async () => {
  expect(await post(null, { isOver: true })).toBe(429);
  expect(await post(formOf(PASSWORD), { isOver: true })).toBe(429);
});

it('compares no form of more than 8 KiB [T26]', async () => {
  expect(await post(`${formOf(PASSWORD)}&more=${'x'.repeat(8_000)}`)).toBe(303);
  expect(await post(`${formOf(PASSWORD)}&more=${'x'.repeat(8_192)}`)).toBe(401);
});

it('opens for a password with line breaks, which a browser removes from the field', async () => {
  const password = 'first line\nsecond\r\nthird';
  expect(await post(formOf('first linesecondthird'), { password })).toBe(303);
  expect(await post(formOf(password), { password })).toBe(303);
  expect(await post(formOf('first line second third'), { password })).toBe(401);
});
