import { afterEach, expect, it, vi } from 'vitest';
import { mailSettings, mailTo } from '#tests/support/deliveries.ts';
import { type SmtpForTest, startSmtp } from '#tests/support/smtp.ts';
import { createSendRate, openSmtp, serverOf } from './smtp.ts';

let server: SmtpForTest | null = null;
afterEach(async () => {
  vi.restoreAllMocks();
  await server?.close();
  server = null;
});

const message = mailTo('reader@example.com');

it('logs in with special characters in the password', async () => {
  server = await startSmtp({ login: { user: 'operator@example.com', pass: 'p@ss:w/rd%?#' } });
  const written = [vi.spyOn(console, 'log'), vi.spyOn(console, 'info'), vi.spyOn(console, 'debug')];
  // If nodemailer received these options, it would print all its messages.
  const transport = openSmtp(mailSettings({ smtpUrl: `${server.url}/?logger=true&debug=true` }));
  expect(await transport.send(message)).toEqual({ result: 'sent' });
  await transport.close();
  expect(written.flatMap(({ mock }) => mock.calls)).toEqual([]);
  expect(server.mails).toMatchObject([{ to: 'reader@example.com', from: 'signal@signal.example' }]);
});

it('sends mails at the configured rate over one connection', async () => {
  server = await startSmtp();
  const transport = openSmtp(mailSettings({ smtpUrl: server.url, perSecond: 5 }));
  const begun = performance.now();
  expect(await transport.send({ ...message, to: 'leser@münchen.example' })).toEqual({ result: 'sent' });
  expect(await transport.send(message)).toEqual({ result: 'sent' });
  // A timer may end a fraction of a millisecond early.
  expect(performance.now() - begun).toBeGreaterThan(195);
  await transport.close();
  expect(server.mails.map(({ to }) => to)).toEqual(['leser@münchen.example', 'reader@example.com']);
  expect(server.connections).toBe(1);
});

it('refuses a recipient with a line break before it connects', async () => {
  server = await startSmtp();
  const transport = openSmtp(mailSettings({ smtpUrl: server.url }));
  const to = 'reader@example.com\r\nBcc: other@example.com';
  await expect(transport.send({ ...message, to })).rejects.toThrow('This address cannot receive mail.');
  await transport.close();
  expect(server.connections).toBe(0);
});

it('does not quote an invalid SMTP_URL', () => {
  expect(() => openSmtp(mailSettings({ smtpUrl: 'smtp://operator:secret@' }))).toThrow(
    expect.objectContaining({ message: 'SMTP_URL is not a URL. Write it as smtp://user:password@host:587.' }),
  );
});

it('sends no login without TLS to another machine', async () => {
  // The test server knows another login, so it would refuse the login in the URL.
  server = await startSmtp({ login: { user: 'another', pass: 'hush' } });
  const transport = openSmtp(mailSettings({ smtpUrl: `smtp://operator:secret@0.0.0.0:${server.port}` }));
  expect(await transport.send(message)).toMatchObject({
    result: 'unavailable',
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

it('spaces mails evenly without a burst after a pause', async () => {
  const time = { now: 0 };
  const waits: number[] = [];
  const wait = async (ms: number) => {
    waits.push(ms);
  };
  const turn = createSendRate(4, { now: () => time.now, wait });
  await Promise.all([turn(), turn(), turn()]);
  // The first starts at once.
  expect(waits).toEqual([250, 500]);
  time.now = 10_000;
  await Promise.all([turn(), turn()]);
  expect(waits).toEqual([250, 500, 250]);
});
