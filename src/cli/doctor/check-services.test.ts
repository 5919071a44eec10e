import { type AddressInfo, createServer } from 'node:net';
import { describe, expect, it } from 'vitest';
import { linesOf, subjectOf } from '#tests/support/findings.ts';
import { startPostgres } from '#tests/support/postgres.ts';
import { STUB_KEYS } from '#tests/support/providers/stubs.ts';
import { stubsOfTheseTests } from '#tests/support/servers-of-tests.ts';
import { shared } from '#tests/support/shared.ts';
import { startSmtp } from '#tests/support/smtp.ts';
import { checkMailServer, checkPostgres, checkProviderKeys } from './check-services.ts';

const SHORT_TIMEOUT = 300;
const LONG_TIMEOUT = 5_000;
const MAIL = { MAIL_FROM: 'a@example.org', PUBLIC_URL: 'https://example.org' };
const smtp = shared(() => startSmtp({ login: { user: 'me', pass: 'p@ss word' } }));

const checkSmtp = async (smtpUrl: string | null, timeoutMs = LONG_TIMEOUT) =>
  checkMailServer(subjectOf(smtpUrl === null ? {} : { ...MAIL, SMTP_URL: smtpUrl }, 0, timeoutMs));

it('opens no connection if no mail server is configured', async () => {
  expect(await checkSmtp(null)).toEqual([]);
});

it('accepts a mail server that accepts the login, without sending a mail', async () => {
  expect(await checkSmtp(smtp.url)).toEqual([
    { state: 'fine', text: 'The mail server responds and accepts the login.' },
  ]);
  expect(smtp.asked).toEqual([]);
});

it.each([
  ['a wrong login', () => `smtp://me:hush@127.0.0.1:${smtp.port}`, /refused the login/],
  [
    'no server at its address',
    () => 'smtp://me:hush@127.0.0.1:9',
    /cannot be reached at 127\.0\.0\.1:9 \(ECONNREFUSED\)\. Check SMTP_URL and the firewall\.$/,
  ],
  ['encryption that the server lacks', () => `smtps://me:hush@127.0.0.1:${smtp.port}`, /mail server/],
])('reports a fault for %s, without the login in the message', async (_, smtpUrl, sentence) => {
  const [finding] = await checkSmtp(smtpUrl());
  expect(finding?.state).toBe('wrong');
  expect(finding?.text).toMatch(sentence);
  expect(finding?.text).not.toMatch(/hush|me:/);
});

it('stops waiting for a mail server that sends no greeting', async () => {
  smtp.faults.push({ at: 'greeting', what: 'hang', times: 1 });
  const [finding] = await checkSmtp(smtp.url, SHORT_TIMEOUT);
  expect(finding).toMatchObject({ state: 'wrong', text: expect.stringContaining('mail server') });
});

it('stops waiting for a mail server whose response never ends', async () => {
  const server = createServer((socket) => {
    socket.write('220 Hello\r\n');
    const dripping = setInterval(() => socket.write('250-One moment\r\n'), 20);
    socket.on('error', () => undefined).on('close', () => clearInterval(dripping));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const [finding] = await checkSmtp(`smtp://127.0.0.1:${port}`, 100);
  expect(finding).toMatchObject({ state: 'wrong', text: expect.stringContaining('mail server') });
  // `close` calls back when no client is connected any more.
  await new Promise((resolve) => server.close(resolve));
});

describe('provider keys', () => {
  const NOW = Date.parse('2026-11-20T22:00:00Z');
  const KEYS = {
    ALPACA_KEY_ID: STUB_KEYS.alpaca.keyId,
    ALPACA_SECRET_KEY: STUB_KEYS.alpaca.secretKey,
    FRED_API_KEY: STUB_KEYS.fred,
  };
  const stubs = stubsOfTheseTests({ members: [], now: () => NOW });

  const check = async (values: Record<string, string>, timeoutMs = LONG_TIMEOUT) => {
    const urls = Object.entries(stubs.urls).map(([name, url]) => [`${name.toUpperCase()}_URL`, url]);
    const settings = { ...Object.fromEntries(urls), ...values };
    return linesOf(await checkProviderKeys(subjectOf(settings, NOW, timeoutMs)));
  };

  it('are tested by one request to each provider', async () => {
    expect(await check(KEYS)).toEqual(['fine Alpaca accepts the key.', 'fine FRED accepts the key.']);
    expect(stubs.requests()).toEqual({ alpaca: 1, yahoo: 0, cboe: 0, fred: 1, treasury: 0, ofr: 0, wsj: 0 });
  });

  it('cause a fault that does not quote the key if the provider rejects the key', async () => {
    const findings = await check({ ...KEYS, ALPACA_SECRET_KEY: 'hush', FRED_API_KEY: 'hush' });
    expect(findings).toEqual([
      'wrong Alpaca refused the request (401); check ALPACA_KEY_ID and ALPACA_SECRET_KEY.',
      'wrong FRED refused the request (403); check FRED_API_KEY.',
    ]);
    expect(stubs.requests()).toMatchObject({ alpaca: 1, fred: 1 });
  });

  it('are sent only to providers that MARKET_PROVIDERS lists and that have a key', async () => {
    expect(await check({})).toEqual([]);
    expect(await check({ ...KEYS, MARKET_PROVIDERS: 'fred,yahoo' })).toEqual(['fine FRED accepts the key.']);
    expect(stubs.requests()).toMatchObject({ alpaca: 0, yahoo: 0, fred: 1 });
  });

  it('cause a note after one request if the provider is unavailable', async () => {
    stubs.fault('alpaca', '503');
    expect(await check(KEYS)).toEqual([
      'note Alpaca has an error (503); the next run retries.',
      'fine FRED accepts the key.',
    ]);
    expect(stubs.requests()).toMatchObject({ alpaca: 1, fred: 1 });
  });

  it('cause a note if the provider does not respond in time', async () => {
    stubs.fault('fred', 'hangs');
    expect(await check({ FRED_API_KEY: STUB_KEYS.fred }, SHORT_TIMEOUT)).toEqual([
      'note FRED did not respond in time; the next run retries.',
    ]);
    expect(stubs.requests()).toMatchObject({ fred: 1 });
  });
});

it('reports a Postgres that takes no writes', async () => {
  const postgres = await startPostgres();
  const examine = (parameters: string) =>
    checkPostgres(subjectOf({ DATABASE_URL: `${postgres.url}${parameters}` }, 0, LONG_TIMEOUT));
  try {
    expect(await examine('')).toMatchObject([{ state: 'fine' }]);
    const [finding] = await examine('?options=-c%20default_transaction_read_only%3Don');
    expect(finding).toMatchObject({ state: 'wrong', text: expect.stringContaining('takes no writes') });
  } finally {
    await postgres.stop();
  }
});
