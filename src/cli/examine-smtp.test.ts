import { type AddressInfo, createServer } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type SmtpForTest, startSmtp } from '#tests/support/smtp.ts';
import { examineSmtp } from './examine-smtp.ts';

const QUICKLY = 300;
let smtp: SmtpForTest;

beforeAll(async () => {
  smtp = await startSmtp({ login: { user: 'me', pass: 'p@ss word' } });
});
afterAll(() => smtp.close());

it('asks nobody where there is no mail server', async () => {
  expect(await examineSmtp({ smtpUrl: null })).toEqual([]);
});

it('is fine with a server that takes the login, and sends it nothing', async () => {
  expect(await examineSmtp({ smtpUrl: smtp.url })).toEqual([
    { state: 'fine', text: 'The mail server answers and takes the login.' },
  ]);
  expect(smtp.asked).toEqual([]);
});

it.each([
  ['a wrong login', () => `smtp://me:hush@127.0.0.1:${smtp.port}`, /refused the login/],
  ['nobody there', () => 'smtp://me:hush@127.0.0.1:9', /cannot be reached/],
  ['encryption it has not', () => `smtps://me:hush@127.0.0.1:${smtp.port}`, /mail server/],
])('is wrong with %s, in a sentence without the login', async (_, smtpUrl, sentence) => {
  const [finding] = await examineSmtp({ smtpUrl: smtpUrl() });
  expect(finding?.state).toBe('wrong');
  expect(finding?.text).toMatch(sentence);
  expect(finding?.text).not.toMatch(/hush|me:/);
});

it('waits no longer than it is told for a server that says nothing', async () => {
  smtp.faults.push({ at: 'greeting', what: 'hang', times: 1 });
  const [finding] = await examineSmtp({ smtpUrl: smtp.url }, QUICKLY);
  expect(finding).toMatchObject({ state: 'wrong', text: expect.stringContaining('mail server') });
});

it('waits no longer for a server whose answer never ends', async () => {
  const server = createServer((socket) => {
    socket.write('220 Hello\r\n');
    const dripping = setInterval(() => socket.write('250-One moment\r\n'), 20);
    socket.on('error', () => undefined).on('close', () => clearInterval(dripping));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const [finding] = await examineSmtp({ smtpUrl: `smtp://127.0.0.1:${port}` }, 100);
  expect(finding).toMatchObject({ state: 'wrong', text: expect.stringContaining('mail server') });
  // Once nobody is connected any more.
  await new Promise((resolve) => server.close(resolve));
});
