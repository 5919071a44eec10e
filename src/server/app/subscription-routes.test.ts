import { connect } from 'node:net';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { DatabaseUnavailable } from '#database/failures.ts';
import { type Database, DatabaseError } from '#database/port.ts';
import { makeToken, readSigningKey } from '#mailer/subscribers/token.ts';
import { databaseOfTheseTests } from '#tests/support/database-of-each-test.ts';
import { AWAY, serveGate } from '#tests/support/gate-server.ts';
import { type Asked, sendRequest } from '#tests/support/send-request.ts';
import { shared } from '#tests/support/shared.ts';
import { createLog, type Log } from '../log.ts';

const ADDRESS = 'jane.doe@example.org';
const PUBLIC_KEY = 'sb_publishable_test';
const METRICS_TOKEN = 'the-scrapers-token';
const ONE_CLICK = 'List-Unsubscribe=One-Click';

const { database, run, column } = databaseOfTheseTests();
let key: Uint8Array;
let transactions = 0;
/** The error with which each transaction fails; null to let them succeed. */
let failure: Error | null = null;
/** All lines of the log, before and after the removal of secrets. */
let logged: string[] = [];

const recording = (log: Log): Log => {
  const record =
    (level: 'info' | 'warn' | 'error'): Log['info'] =>
    (event, fields) => {
      logged.push(JSON.stringify({ event, ...fields }));
      log[level](event, fields);
    };
  return { info: record('info'), warn: record('warn'), error: record('error') };
};

beforeAll(async () => {
  key = await readSigningKey(database);
});

function startServer() {
  const counted: Database = {
    ...database,
    transaction: (work, options) => {
      // Only the market watch, which checks once a second, has this timeout.
      if (options?.statementTimeoutMs !== 5_000) transactions += 1;
      return failure === null ? database.transaction(work, options) : Promise.reject(failure);
    },
  };
  const log = createLog({ write: (line) => logged.push(line), clock: Date.now, format: 'plain' });
  const config = { productName: 'Weather & <Co>', metricsToken: METRICS_TOKEN };
  return serveGate(counted, { config, anonKey: PUBLIC_KEY, log: recording(log) });
}
const server = shared(startServer);

let reference = '';
let leave = '';

/** Adds a subscriber with the address. Returns the subscriber's reference. */
async function subscribe(confirmed = true): Promise<string> {
  const [added = ''] = await column<string>(
    `insert into public.email_subscribers (email, confirmed_at)
     values ('${ADDRESS}', ${confirmed ? 'now()' : 'null'}) returning reference`,
  );
  return added;
}

beforeEach(async () => {
  failure = null;
  await run('delete from public.email_subscribers');
  reference = await subscribe();
  leave = `/unsubscribe/${makeToken(key, 'unsubscribe', reference)}`;
  [transactions, logged] = [0, []];
});

async function ask(path: string, request?: Asked) {
  const response = await sendRequest(server.url, path, request);
  return { ...response, body: response.body.toString() };
}

const post = (path: string, body = ONE_CLICK, type = 'application/x-www-form-urlencoded') =>
  ask(path, { method: 'POST', headers: { 'Content-Type': type }, body });

const titleOf = ({ body }: { body: string }) => /<h1>(.*)<\/h1>/.exec(body)?.[1];

const state = async () => {
  const [row] = await run<{ is_active: boolean; confirmed: boolean }>(
    `select is_active, confirmed_at is not null as confirmed from public.email_subscribers
     where reference = '${reference}'`,
  );
  return row;
};
const ACTIVE = { is_active: true, confirmed: true };
const LEFT = { is_active: false, confirmed: true };

describe('a link to unsubscribe', () => {
  it('changes no subscription when it is opened', async () => {
    for (const method of ['GET', 'HEAD', 'GET', 'HEAD']) {
      expect((await ask(leave, { method })).status).toBe(200);
    }
    const read = await ask(leave, { headers: { Origin: 'https://mail.example' } });
    expect(titleOf(read)).toBe('Unsubscribe from the weekly signal?');
    expect(read.headers).toMatchObject({
      ...{ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer', 'x-robots-tag': 'noindex' },
      'content-security-policy': expect.stringMatching(
        /^default-src 'none';style-src 'sha256-[^' ]+';img-src 'self';/,
      ),
    });
    expect(Object.keys(read.headers).join()).not.toMatch(/access-control|set-cookie|location/);
    expect(read.body).toContain('<form method="post"><button type="submit">Unsubscribe</button></form>');
    expect(read.body).toContain('Weather &amp; &lt;Co>');
    expect(await state()).toEqual(ACTIVE);
  });

  it('unsubscribes at each POST and explains how to subscribe again', async () => {
    const left = await post(leave);
    expect([left.status, titleOf(left)]).toEqual([200, 'You have been unsubscribed']);
    expect(left.body).toContain('choose “Get the Weekly Signal”');
    expect(await state()).toEqual(LEFT);
    const again = await post(leave);
    expect([again.status, titleOf(again)]).toEqual([200, 'You have already been unsubscribed']);
  });

  it.each([
    ['an empty body', '', 'text/plain'],
    [
      'a multipart form',
      `--x\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--x--\r\n`,
      'multipart/form-data; boundary=x',
    ],
    ['another type', '{"a": [', 'application/json'],
    ['binary data', '\u0000\u{1f600}%', 'application/octet-stream'],
    ['the longest body', 'x'.repeat(8_192), 'text/plain'],
  ])('unsubscribes with any body: %s', async (_, body, type) => {
    expect((await post(leave, body, type)).status).toBe(200);
    expect(await state()).toEqual(LEFT);
  });

  it('refuses a body over the limit without a change', async () => {
    for (const length of [8_193, 100_000, 3_000_000]) {
      const response = await post(leave, 'x'.repeat(length)).catch(() => null);
      if (response !== null) expect(response.status).toBe(413);
    }
    expect((await post(leave, 'x'.repeat(8_193))).headers.connection).toBe('close');
    expect(await state()).toEqual(ACTIVE);
  });

  it('has a link to the dashboard and a button that posts to its own address', async () => {
    const homes = [leave, `${leave}/`, `${leave}?utm_source=mail`, '/unsubscribe', '/unsubscribe/'];
    const found: unknown[] = [];
    for (const path of homes) {
      const { status, body } = await ask(path);
      found.push([status, /<a href="([^"]*)"/.exec(body)?.[1], /<form[^>]*>/.exec(body)?.[0]]);
    }
    const form = '<form method="post">';
    expect(found).toEqual([
      ...[
        [200, '../', form],
        [200, '../../', form],
        [200, '../', form],
      ],
      ...[
        [404, './', undefined],
        [404, '../', undefined],
      ],
    ]);
  });

  it('works in another case, with a slash or with a query', async () => {
    for (const path of [`${leave}/`, `${leave}?a=/b`, leave.replace('/unsubscribe', '/Unsubscribe')]) {
      await run(`update public.email_subscribers set is_active = true where reference = '${reference}'`);
      expect([path, (await post(path)).status]).toEqual([path, 200]);
      expect(await state()).toEqual(LEFT);
    }
    for (const path of ['/unsubscribed/x', '/unsubscribe/x/y', '/market/unsubscribe/x'])
      expect([path, (await ask(path)).body]).toEqual([path, 'This page does not exist.\n']);
  });

  it.each(['PUT', 'PATCH', 'DELETE', 'OPTIONS'])('refuses %s', async (method) => {
    const { status, headers } = await ask(leave, { method });
    expect([status, headers.allow]).toEqual([405, 'GET, HEAD, POST']);
    expect(transactions).toBe(0);
  });
});

describe('the choice of alerts', () => {
  const choose = async (body: string) => {
    const [, action = ''] = /action="([^"]*)"/.exec((await ask(leave)).body) ?? [];
    return post(new URL(action, `http://unused${leave}`).pathname, body);
  };
  const chosen = async () =>
    (await column(`select alerts from public.email_subscribers where reference = '${reference}'`))[0];
  const box = async () =>
    /<input type="checkbox" name="alerts"( checked)?>/.exec((await ask(leave)).body)?.[0];

  it('turns the mails about changes on and off on the page to unsubscribe', async () => {
    expect(await box()).toBe('<input type="checkbox" name="alerts">');
    expect(titleOf(await choose('alerts=on'))).toBe('Saved');
    expect([await chosen(), await box()]).toEqual([true, '<input type="checkbox" name="alerts" checked>']);
    expect(titleOf(await choose(''))).toBe('Saved');
    expect([await chosen(), await box()]).toEqual([false, '<input type="checkbox" name="alerts">']);
    expect(await state()).toEqual(ACTIVE);
  });

  it('needs a POST request with a token of its own', async () => {
    await run('update public.email_subscribers set alerts = true');
    const path = `/alerts/${makeToken(key, 'alerts', reference)}`;
    expect((await ask(path)).status).toBe(200);
    expect((await post(leave.replace('unsubscribe', 'alerts'), '')).status).toBe(404);
    expect((await post(path.replace('alerts', 'unsubscribe'))).status).toBe(404);
    expect([await chosen(), await state()]).toEqual([true, ACTIVE]);
  });

  it('is not possible after the subscription has ended', async () => {
    const path = `/alerts/${makeToken(key, 'alerts', reference)}`;
    await post(leave);
    expect(await box()).toBeUndefined();
    const refused = await post(path, 'alerts=on');
    expect([refused.status, await chosen()]).toEqual([404, false]);
  });

  it('is left out of the page while the database is unavailable', async () => {
    failure = AWAY;
    const read = await ask(leave);
    expect([read.status, titleOf(read)]).toEqual([200, 'Unsubscribe from the weekly signal?']);
    expect(read.body).not.toContain('checkbox');
    expect(logged.join()).not.toContain(leave);
  });
});

describe('an invalid token', () => {
  const invalid = () => {
    const token = leave.split('/')[2] ?? '';
    const confirming = makeToken(key, 'confirm', reference);
    const foreign = makeToken(Buffer.alloc(32, 1), 'unsubscribe', reference);
    return [
      ...['', 'x', token.toLowerCase(), token.slice(0, -1), `${token}A`, `${token}%0a`, `${token}.`],
      ...[confirming, foreign, reference, '%00', '%ff%zz', '"><img%20src=x>', 'x'.repeat(9_000)],
    ].map((one) => `/unsubscribe/${one}`);
  };

  it('gets a page without the token and causes no query', async () => {
    const pages = new Set<string>();
    for (const path of invalid()) {
      for (const response of [await ask(path), await post(path)]) {
        expect([path, response.status, titleOf(response)]).toEqual([path, 404, 'This link is not valid']);
        pages.add(response.body);
      }
    }
    expect(transactions).toBe(0);
    expect(pages.size).toBe(1);
    expect([...pages][0]).toContain('Open the link in the newest mail');
    expect(await state()).toEqual(ACTIVE);
  });

  it('gets the response of an erased subscription', async () => {
    await run('delete from public.email_subscribers');
    const erased = await post(leave);
    const wrong = await post('/unsubscribe/x');
    expect([erased.status, erased.body]).toEqual([404, wrong.body]);
    expect(erased.headers).toEqual({ ...wrong.headers, date: erased.headers.date });
  });
});

describe('a link to confirm', () => {
  let link = '';
  beforeEach(async () => {
    await run('delete from public.email_subscribers');
    reference = await subscribe(false);
    link = `/confirm/${makeToken(key, 'confirm', reference)}`;
    transactions = 0;
  });
  const UNCONFIRMED = { is_active: true, confirmed: false };

  it('does not confirm when a mail scanner reads it', async () => {
    for (const method of ['GET', 'HEAD', 'GET']) expect((await ask(link, { method })).status).toBe(200);
    expect(titleOf(await ask(link))).toBe('Confirm your subscription');
    expect(transactions).toBe(0);
    expect(await state()).toEqual(UNCONFIRMED);
  });

  it('confirms at each POST', async () => {
    const first = await post(link, '');
    expect([first.status, titleOf(first)]).toEqual([200, "You're subscribed!"]);
    expect(await state()).toEqual(ACTIVE);
    const second = await post(link, '');
    expect([second.status, titleOf(second)]).toEqual([200, "You're subscribed already"]);
  });

  it('is valid for its own purpose only', async () => {
    expect((await post(link.replace('confirm', 'unsubscribe'))).status).toBe(404);
    expect((await post(`/confirm/${makeToken(key, 'unsubscribe', reference)}`)).status).toBe(404);
    expect(await state()).toEqual(UNCONFIRMED);
  });

  it('is invalid once the subscription has ended', async () => {
    await run(
      "update public.email_subscribers set is_active = false, deactivated_because = 'never confirmed'",
    );
    const { status, body } = await post(link, '');
    expect(status).toBe(404);
    expect(body).toContain('A link to confirm is valid for 7 days');
    expect(await state()).toEqual({ ...UNCONFIRMED, is_active: false });
  });
});

it.each([
  [
    'gone',
    // A reason of its own, because the log writes a repeated one only once per second.
    new DatabaseUnavailable('unreachable', 'Nothing is at this address.'),
    '"reason":"Nothing is at this address."',
  ],
  ['slow', new DatabaseError({ code: '57014', message: `timeout of '${ADDRESS}'` }), '"code":"57014"'],
])('during a database outage a link responds 503 with its button: %s', async (_, error, reason) => {
  failure = error;
  const { status, headers, body } = await post(leave);
  expect([status, headers['retry-after'], headers['x-robots-tag']]).toEqual([503, '60', 'noindex']);
  expect(body).toContain('Please try again in a minute.');
  expect(body).toContain('<button type="submit">Unsubscribe</button>');
  // The watch of the market can log the same outage, and the log counts failures of earlier tests once per second.
  expect(logged.filter((line) => line.startsWith('{"event":"link failed"') && line.includes(reason))).toEqual(
    [`{"event":"link failed","link":"unsubscribe",${reason}}`],
  );
  // A GET request needs no database.
  expect((await ask(leave)).status).toBe(200);
  failure = null;
  expect((await post(leave)).status).toBe(200);
});

/** Sends the beginning of a request and disconnects. */
const abandon = (path: string) =>
  new Promise<void>((resolve) => {
    const { port } = new URL(server.url);
    const socket = connect(Number(port), '127.0.0.1', () => {
      socket.write(`POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nhalf`, () =>
        socket.destroy(),
      );
    });
    socket.once('close', () => resolve());
  });
it('no response and no log line contains an address, token or credential, after any failure [T20]', async () => {
  const secrets = [ADDRESS, 'jane.doe', reference, ...[leave.split('/')[2] ?? ''], METRICS_TOKEN];
  const received: string[] = [];
  const insert = (body: string) => ({
    method: 'POST',
    headers: { apikey: PUBLIC_KEY, 'Content-Type': 'application/json' },
    body,
  });
  const subscriber = JSON.stringify({ email: ADDRESS, is_active: true });
  const requests: [string, Asked?][] = [
    [leave],
    [leave, { method: 'HEAD' }],
    [leave, { method: 'DELETE' }],
    [leave, { method: 'POST', body: 'x'.repeat(9_000) }],
    [leave, { method: 'POST', body: ONE_CLICK }],
    [leave.replace('unsubscribe', 'confirm'), { method: 'POST' }],
    [`/${ADDRESS}`],
    [`/${ADDRESS}`, { method: 'PUT' }],
    [`/rest/v1/email_subscribers?email=eq.${ADDRESS}`, { headers: { apikey: PUBLIC_KEY } }],
    [`/rest/v1/${ADDRESS}`, { headers: { apikey: PUBLIC_KEY } }],
    ['/rest/v1/email_subscribers', insert(subscriber)],
    ['/rest/v1/email_subscribers', insert(subscriber)],
    ['/rest/v1/email_subscribers', insert(JSON.stringify({ email: `${ADDRESS} x`, is_active: true }))],
    ['/metrics', { headers: { Authorization: `Bearer ${METRICS_TOKEN}` } }],
    ['/metrics'],
    ['/readyz'],
    ['/healthz'],
    ['/'],
    ['/og.png'],
  ];
  const quoting = new DatabaseError({
    code: '23505',
    message: `duplicate ${ADDRESS}`,
    detail: `Key (email)=(${ADDRESS}) already exists. ${leave}`,
  });
  for (failure of [null, quoting, new DatabaseUnavailable('unreachable', 'The database is away.')]) {
    for (const [path, asked] of requests) {
      const { headers, body } = await ask(path, asked);
      // An error body of the table API may quote the request, because only the visitor who sent it receives the body.
      if (!path.startsWith('/rest/')) received.push(JSON.stringify(headers), body);
    }
    await abandon(leave);
    await abandon('/rest/v1/email_subscribers');
  }
  expect(logged.length).toBeGreaterThan(0);
  const all = [...logged, ...received].join('\n');
  expect(secrets.filter((secret) => all.includes(secret))).toEqual([]);
});
