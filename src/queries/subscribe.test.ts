import { expect, test, vi } from 'vitest';
import { createTableClient } from './client.ts';
import { isEmail, normaliseEmail, subscribe } from './subscribe.ts';

const logged = vi.spyOn(console, 'error').mockImplementation(() => undefined);

/** Subscribes `email` with a backend that responds with this status and body. Returns the request and the result. */
async function subscribing(email: string, status = 201, body: object | null = null, alerts = false) {
  const sent: unknown[] = [];
  const client = createTableClient({
    supabaseUrl: 'http://unused',
    anonKey: 'key',
    fetch: async (_, init) => {
      sent.push(JSON.parse(String(init?.body)));
      return new Response(body && JSON.stringify(body), { status });
    },
  });
  const said = await subscribe(client, email, alerts).catch((error: Error) => error.message);
  return { sent, said };
}

test.each([
  ['  Visitor@Example.ORG ', 'visitor@example.org'],
  ['Visitor+Weekly@mail.example.org', 'visitor+weekly@mail.example.org'],
  ['Besucher@BÜCHER.example', 'besucher@xn--bcher-kva.example'],
  ['visitor@例え.テスト', 'visitor@xn--r8jz45g.xn--zckzah'],
  ['visitor@ｅxample。org.example', 'visitor@example.org.example'],
  ['visitor@🐈.example', 'visitor@xn--zn8h.example'],
  ['ju\u0308rgen@example.org', 'jürgen@example.org'],
  ['ｖｉｓｉｔｏｒ@ⓔxample.𝐨𝐫𝐠', 'visitor@example.org'],
  ['ΌΣΟΣ@ΌΣΟΣ.example', 'όσοσ@xn--0xahb7a.example'],
])('%j is sent as %s [S5.1]', (typed, kept) => {
  expect(isEmail(typed)).toBe(true);
  expect(normaliseEmail(typed)).toBe(kept);
});

test.each([
  // An invalid domain stays unchanged.
  ['a@b.c:80/d', 'a@b.c:80/d'],
  ['a@ü.example:80', 'a@ü.example:80'],
  ['a@ü.example/../x.y', 'a@ü.example/../x.y'],
  ['a@1.2', 'a@1.2'],
  ['a@b%2ec.d', 'a@b%2ec.d'],
  ['a@ü／x.example', 'a@ü/x.example'],
])('%j stays as it is', (typed, kept) => {
  expect(normaliseEmail(typed)).toBe(kept);
});

test.each([
  'visitor@example.org\r\nBcc:victim@example.org',
  'visitor@example.org\nvictim@example.net',
  'visi\u0000tor@example.org',
  'visitor\u001b@example.org',
  'visi\u200btor@example.org',
  'a@b.c\u200b',
  'a@b.\u200bc',
  '\u200ba@b.c',
  '\u202avisitor@example.org\u202c',
  'visitor@exam\u00adple.org',
  'visitor@example\u2060.org',
  'visitor\u3164@example.org',
  'visitor\ufe0f@example.org',
  '\u202egro.elpmaxe@rotisiv\u202d.x',
  'visitor\ud800@example.org',
])('%j is not sent: a character in it is invisible [S5.1]', async (typed) => {
  const said = 'This address contains an invisible character. Please type it by hand.';
  expect(await subscribing(typed)).toEqual({ sent: [], said });
});

test.each([
  ...['visitor@@example.org', 'visitor＠@example.org', '', 'a@b', 'a b@c.d', '@b.c', 'a@b.c d'],
  `${'a'.repeat(320)}@b.c`,
])('%j is never sent [S5.1]', async (typed) => {
  expect(await subscribing(typed)).toEqual({ sent: [], said: 'This address cannot receive mail.' });
});

test('stores one row for an address in any spelling [S7.6] [R11]', async () => {
  for (const typed of ['Visitor@Bücher.Example', ' VISITOR@xn--bcher-kva.example']) {
    const { sent, said } = await subscribing(typed);
    expect(said).toBeUndefined();
    expect(sent).toEqual([{ email: 'visitor@xn--bcher-kva.example', is_active: true }]);
  }
});

test('sends the choice of alerts only with a row that has it', async () => {
  const row = { email: 'a@example.org', is_active: true };
  expect((await subscribing(row.email, 201, null, true)).sent).toEqual([{ ...row, alerts: true }]);
  expect((await subscribing(row.email)).sent).toEqual([row]);
});

test.each([
  ['PT429', 429, 'Failed to subscribe. Please try again.', 'Failed to subscribe. Please try again.'],
  ['23514', 400, 'new row violates check constraint "email"', 'This address cannot receive mail.'],
  ['23505', 409, 'duplicate key value', 'This email is already subscribed'],
  ['42501', 401, 'permission denied for table x', 'permission denied for table x'],
  ['XX000', 500, '', 'Failed to subscribe'],
  ['XX000', 500, '<img src=x onerror=planted=1>', 'Failed to subscribe'],
  [
    'PGRST000',
    503,
    'Database connection error. Retrying the connection.',
    'The database is not available, so your address was not stored. Please try again later.',
  ],
  [
    'PGRST001',
    503,
    'Database client error. Retrying the connection.',
    'The connection to the database was lost, so your address may not have been stored. Please try again.',
  ],
])(
  'shows a sentence for the refusal %s, without the address in the log [S5.4] [R12]',
  async (code, status, message, told) => {
    const details = 'Failing row contains (visitor@example.org).';
    const { said } = await subscribing('visitor@example.org', status, { code, message, details });
    expect(said).toBe(told);
    expect(JSON.stringify(logged.mock.calls)).not.toContain('visitor@');
  },
);

test.each([404, 200, 204])('rejects a response with status %i and no body', async (status) => {
  expect((await subscribing('visitor@example.org', status)).said).toBe('Failed to subscribe');
});
