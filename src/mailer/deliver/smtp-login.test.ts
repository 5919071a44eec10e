import { afterEach, expect, it } from 'vitest';
import { mailSettings, mailTo } from '#tests/support/deliveries.ts';
import { type SmtpForTest, startSmtp } from '#tests/support/smtp.ts';
import { openSmtp, serverOf } from './smtp.ts';

let server: SmtpForTest | null = null;
afterEach(async () => {
  await server?.close();
  server = null;
});

it('sends no login without TLS to another machine', async () => {
  // The test server knows another login, so it would refuse the login in the URL.
  server = await startSmtp({ login: { user: 'another', pass: 'hush' } });
  const transport = openSmtp(mailSettings({ smtpUrl: `smtp://operator:secret@0.0.0.0:${server.port}` }));
  expect(await transport.send(mailTo('reader@example.com'))).toMatchObject({
    result: 'away',
    reason: expect.stringMatching(/^The mail server cannot be reached over an encrypted connection/),
  });
  await transport.close();
  expect([server.connections, server.mails]).toEqual([1, []]);
});

it.each([
  ['smtp://me:hush@mail.example.org', true],
  ['smtp://me:hush@127.0.0.1.example.org', true],
  ['smtp://me:hush@localhost.example.org:25', true],
  ['smtp://me:hush@10.0.0.1', true],
  ['smtp://me:hush@127.0.0.1:25', false],
  ['smtp://me:hush@[::1]', false],
  ['smtp://me:hush@LOCALHOST', false],
])('%s requires TLS: %s', (smtpUrl, requireTLS) => {
  expect(serverOf(smtpUrl)).toMatchObject({ secure: false, requireTLS });
});

it('does not require TLS without a login', () => {
  expect(serverOf('smtp://mail.example.org')).toEqual({ host: 'mail.example.org', secure: false });
});
