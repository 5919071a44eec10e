import { createHmac, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { signatureOf } from '#mailer/alerts/webhook-message.ts';
import { MAIL_SERVICES, type MailServiceName } from '#mailer/reports/mail-services.ts';
import { createSns } from '#mailer/reports/sns.ts';
import { makeAuthority, RSA } from '#tests/support/authority.ts';
import { databaseOfTheseTests } from '#tests/support/database-of-each-test.ts';
import { addSubscribers } from '#tests/support/deliveries.ts';
import { failingDatabase } from '#tests/support/gate-server.ts';
import { sendRequest } from '#tests/support/send-request.ts';
import { loopbackOfTheseTests } from '#tests/support/servers-of-tests.ts';
import { shared } from '#tests/support/shared.ts';
import { listen } from '../http/listen.ts';
import { createLog } from '../log.ts';
import { createRunMetrics } from '../metrics/counters.ts';
import { mailWebhookRoutes } from './report-route.ts';
import { createApp } from './routes.ts';

const NOW = Date.now();
const READER = 'reader@example.com';
const TOPIC = 'arn:aws:sns:eu-west-1:123456789012:bounces';
const SNS_HOST = 'https://sns.eu-west-1.amazonaws.com';
const CERTIFICATE_URL = `${SNS_HOST}/SimpleNotificationService-0123abcd.pem`;

const curve = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });
const sendgridKeys = curve();
const RESEND_KEY = Buffer.alloc(24, 7);
const SECRETS: Readonly<Record<MailServiceName, string>> = {
  ses: TOPIC,
  postmark: 'barometer:a-long-password',
  mailgun: 'key-0123456789abcdef',
  brevo: 'a-bearer-token-of-brevo',
  resend: `whsec_${RESEND_KEY.toString('base64')}`,
  sendgrid: sendgridKeys.publicKey.export({ type: 'spki', format: 'der' }).toString('base64'),
};

const authority = makeAuthority();
const issued = authority.issue('sns.amazonaws.com', RSA);
const snsKey = readFileSync(issued.key, 'utf8');
afterAll(() => authority.remove());

let clock = NOW;

const { database, run, column } = databaseOfTheseTests();
const counted = failingDatabase(database);
const lines: string[] = [];

const amazon = loopbackOfTheseTests();
beforeAll(() => {
  amazon.handler = ({ url = '' }, response) => {
    if (url.includes('broken')) {
      response.writeHead(200, { 'Content-Length': 1_000 }).write('-----BEGIN', () => response.destroy());
      return;
    }
    const isKnown = CERTIFICATE_URL.endsWith(url) || url.startsWith('/?Action=Confirm');
    response.writeHead(isKnown ? 200 : 404).end(isKnown ? readFileSync(issued.certificate) : '');
  };
});

function startServer() {
  const log = createLog({ write: (line) => lines.push(line), clock: () => 0, format: 'plain' });
  const now = () => clock;
  const sns = createSns({
    fetch: (asked, options) => fetch(String(asked).replace(SNS_HOST, amazon.url), options),
    now,
  });
  const processing = { database: counted.database, metrics: createRunMetrics(), now };
  const webhooks = Object.entries(SECRETS).map(([service, secret]) => ({
    service: service as MailServiceName,
    secret,
  }));
  let elapsed = 0;
  const routes = mailWebhookRoutes({ ...processing, webhooks, sns, log, elapsed: () => (elapsed += 1_000) });
  return listen(createApp({ routes, productName: 'Barometer', log }), '127.0.0.1', 0);
}
const server = shared(startServer);

const active = () => column('select email from public.email_subscribers where is_active order by email');

beforeEach(async () => {
  clock += 60_000;
  await run('delete from public.email_subscribers');
  await addSubscribers(database, [READER, 'other@example.com']);
  counted.transactions = 0;
});

interface Call {
  headers: Record<string, string>;
  body: string;
}
interface Sent {
  readonly email?: string;
  /** Time of the call (epoch milliseconds). */
  readonly at?: number;
  /** True to sign with a wrong secret. */
  readonly isForged?: boolean;
  readonly id?: string;
}
type Make = (sent: Required<Sent>) => Call;
interface Sample {
  readonly hard: Make;
  readonly soft: Make;
  readonly complaint: Make;
  readonly other: Make;
  readonly malformed: Call & { readonly status: number };
}

const json = (value: unknown, headers: Record<string, string> = {}): Call => ({
  headers,
  body: JSON.stringify(value),
});
const seconds = (at: number) => String(Math.floor(at / 1_000));

/** A message of SNS, signed by its documentation. */
function sns(
  fields: Record<string, string>,
  {
    at,
    isForged,
    version = '2',
    key = snsKey,
  }: Required<Sent> & { version?: string; key?: string | KeyObject },
): Call {
  const message: Record<string, string> = {
    ...{ MessageId: 'e1f2', TopicArn: TOPIC, Type: 'Notification', Timestamp: new Date(at).toISOString() },
    ...fields,
  };
  const names = ['Message', 'MessageId', 'Subject', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'];
  const text = names
    .map((name) => (message[name] === undefined ? '' : `${name}\n${message[name]}\n`))
    .join('');
  const signature = sign(version === '1' ? 'sha1' : 'sha256', Buffer.from(isForged ? `${text} ` : text), key);
  const more = { SignatureVersion: version, Signature: signature.toString('base64') };
  return json(
    { SigningCertURL: CERTIFICATE_URL, ...message, ...more },
    { 'content-type': 'text/plain; charset=UTF-8', 'x-amz-sns-topic-arn': message.TopicArn ?? '' },
  );
}
const ses =
  (event: (sent: Required<Sent>) => unknown): Make =>
  (sent) =>
    sns({ Message: JSON.stringify(event(sent)) }, sent);
const sesBounce = (bounceType: string, status: string, diagnosticCode: string) =>
  ses(({ email, id }) => ({
    notificationType: 'Bounce',
    bounce: {
      bounceType,
      feedbackId: id,
      bouncedRecipients: [{ emailAddress: email, status, diagnosticCode }],
    },
  }));

const login = (secret: string, isForged: boolean) => ({
  authorization: `Basic ${Buffer.from(isForged ? `${secret}x` : secret).toString('base64')}`,
});
const postmark =
  (Type: string, Details = ''): Make =>
  ({ email, at, id, isForged }) =>
    json(
      { RecordType: 'Bounce', ID: id, Type, Email: email, Details, BouncedAt: new Date(at).toISOString() },
      login(SECRETS.postmark, isForged),
    );

const mailgun =
  (event: object): Make =>
  ({ email, at, id, isForged }) => {
    const key = isForged ? 'another' : SECRETS.mailgun;
    const signature = createHmac('sha256', key)
      .update(`${seconds(at)}${id}`)
      .digest('hex');
    return json({
      signature: { timestamp: seconds(at), token: id, signature },
      'event-data': { recipient: email, ...event },
    });
  };

const brevo =
  (event: string, reason = ''): Make =>
  ({ email, at, id, isForged }) =>
    json(
      {
        event,
        email,
        id: 1,
        'message-id': `<${id}@smtp-relay.example>`,
        ts_event: Number(seconds(at)),
        reason,
      },
      { authorization: `Bearer ${isForged ? 'wrong' : SECRETS.brevo}` },
    );

const resendCall = (body: string, { at, isForged }: Required<Sent>): Call => {
  const id = 'msg_1';
  const key = isForged ? Buffer.alloc(24) : RESEND_KEY;
  const signature = signatureOf(key, { id, timestamp: seconds(at), body });
  const headers = { 'svix-id': id, 'svix-timestamp': seconds(at), 'svix-signature': `v1,b2xk ${signature}` };
  return { headers, body };
};
const resend =
  (type: string, bounce: object = {}): Make =>
  (sent) =>
    resendCall(JSON.stringify({ type, data: { email_id: sent.id, to: [sent.email], bounce } }), sent);

const sendgridCall = (body: string, { at, isForged }: Required<Sent>): Call => {
  const key = isForged ? curve().privateKey : sendgridKeys.privateKey;
  const signature = sign('sha256', Buffer.from(seconds(at) + body), key).toString('base64');
  return {
    headers: {
      'x-twilio-email-event-webhook-signature': signature,
      'x-twilio-email-event-webhook-timestamp': seconds(at),
    },
    body,
  };
};
const sendgrid =
  (event: object): Make =>
  (sent) =>
    sendgridCall(
      JSON.stringify([{ event: 'delivered' }, { email: sent.email, sg_event_id: sent.id, ...event }]),
      sent,
    );

const fresh = (sent: Sent = {}): Required<Sent> => ({
  ...{ email: READER, at: clock, isForged: false, id: `event-${clock}` },
  ...sent,
});
const NO_USER = '550 5.1.1 User unknown';

/** Calls in the formats of the services' documentation. Services that sign in the body cannot verify a malformed one. */
const SAMPLES: Readonly<Record<MailServiceName, () => Sample>> = {
  ses: () => ({
    hard: sesBounce('Permanent', '5.1.1', `smtp; ${NO_USER}`),
    soft: sesBounce('Transient', '5.2.2', 'smtp; 552 5.2.2 mailbox full'),
    complaint: ses(({ email, id }) => ({
      eventType: 'Complaint',
      complaint: {
        feedbackId: id,
        complaintFeedbackType: 'abuse',
        complainedRecipients: [{ emailAddress: email }],
      },
    })),
    other: ses(() => ({ eventType: 'Delivery', delivery: {} })),
    malformed: { headers: { 'x-amz-sns-topic-arn': TOPIC }, body: '{', status: 401 },
  }),
  postmark: () => ({
    hard: postmark('HardBounce', `smtp;${NO_USER}`),
    soft: postmark('SoftBounce', 'mailbox full'),
    complaint: postmark('SpamComplaint'),
    other: postmark('constructor'),
    malformed: { headers: login(SECRETS.postmark, false), body: '{', status: 400 },
  }),
  mailgun: () => ({
    hard: mailgun({
      ...{ event: 'failed', severity: 'permanent', reason: 'bounce' },
      'delivery-status': { code: 550, message: NO_USER, 'enhanced-code': '5.1.1' },
    }),
    soft: mailgun({ event: 'failed', severity: 'temporary', reason: 'generic' }),
    complaint: mailgun({ event: 'complained' }),
    other: mailgun({ event: 'toString' }),
    malformed: { headers: {}, body: 'null', status: 401 },
  }),
  brevo: () => ({
    hard: brevo('hard_bounce', NO_USER),
    soft: brevo('soft_bounce', 'mailbox full'),
    complaint: brevo('spam'),
    other: brevo('unique_opened'),
    malformed: { headers: { authorization: `Bearer ${SECRETS.brevo}` }, body: '[1]', status: 400 },
  }),
  resend: () => ({
    hard: resend('email.bounced', { type: 'Permanent', message: NO_USER }),
    soft: resend('email.bounced', { type: 'Transient', message: 'mailbox full' }),
    complaint: resend('email.complained'),
    other: resend('email.opened'),
    malformed: { ...resendCall('{', fresh()), status: 400 },
  }),
  sendgrid: () => ({
    hard: sendgrid({ event: 'bounce', type: 'bounce', status: '5.0.0', reason: NO_USER }),
    soft: sendgrid({ event: 'bounce', type: 'blocked', status: '5.7.1', reason: 'blocked' }),
    complaint: sendgrid({ event: 'spamreport' }),
    other: sendgrid({ event: '__proto__' }),
    malformed: { ...sendgridCall('[', fresh()), status: 400 },
  }),
};

const post = async (service: MailServiceName, { headers, body }: Call) => {
  const asked = { method: 'POST', headers, body };
  const response = await sendRequest(server.url, `/mail/reports/${service}`, asked);
  return [response.status, response.body.toString().trim()];
};
const statusOf = async (...call: Parameters<typeof post>) => (await post(...call))[0];

describe.each(Object.keys(MAIL_SERVICES) as MailServiceName[])('the webhook of %s', (service) => {
  it('ends a subscription after a hard bounce or a complaint only', async () => {
    const { hard, soft, complaint, other } = SAMPLES[service]();
    expect(await post(service, soft(fresh({ id: 'soft' })))).toEqual([200, 'soft bounce: recorded']);
    const nothing = service === 'mailgun' ? 'unknown: unverified' : 'There is no bounce and no complaint.';
    expect(await post(service, other(fresh({ id: 'other' })))).toEqual([200, nothing]);
    expect(await active()).toEqual(['other@example.com', READER]);
    const upper = fresh({ email: READER.toUpperCase() });
    expect(await post(service, hard(upper))).toEqual([200, 'hard bounce: deactivated']);
    const spam = fresh({ email: 'other@example.com', id: 'spam' });
    expect(await post(service, complaint(spam))).toEqual([200, 'complaint: deactivated']);
    expect(await active()).toEqual([]);
  });

  it('counts a replayed call once, and refuses an old one [T25]', async () => {
    const { hard } = SAMPLES[service]();
    const call = hard(fresh());
    await post(service, call);
    await addSubscribers(database, [READER]);
    expect(await post(service, call)).toEqual([200, 'hard bounce: repeated']);
    const age = MAIL_SERVICES[service].maxAge;
    expect(await statusOf(service, hard(fresh({ at: clock - age - 2_000 })))).toBe(401);
    expect(await statusOf(service, hard(fresh({ at: clock + 3_600_000 })))).toBe(401);
    expect(await active()).toEqual(['other@example.com', READER]);
  });

  it('refuses forged, malformed and long calls without a query [T25]', async () => {
    const { hard, malformed } = SAMPLES[service]();
    const genuine = hard(fresh());
    expect(await statusOf(service, hard(fresh({ isForged: true })))).toBe(401);
    expect(await statusOf(service, { ...genuine, headers: {}, body: '{}' })).toBe(401);
    expect(await statusOf(service, malformed)).toBe(malformed.status);
    const long = 'x'.repeat(MAIL_SERVICES[service].longest + 1);
    expect(await statusOf(service, { ...genuine, body: long })).toBe(413);
    expect([counted.transactions, await active()]).toEqual([0, ['other@example.com', READER]]);
  });
});

it('lets a token of Mailgun count once, for any event and recipient [T25]', async () => {
  const { hard, other } = SAMPLES.mailgun();
  await post('mailgun', other(fresh()));
  expect(await post('mailgun', hard(fresh()))).toEqual([200, 'hard bounce: repeated']);
  expect(await active()).toContain(READER);
});

it('keeps the subscription if the words of a hard bounce name another cause', async () => {
  const blocked = postmark('HardBounce', 'smtp;550 5.7.1 blocked: bad reputation of the sender');
  expect(await post('postmark', blocked(fresh()))).toEqual([200, 'soft bounce: recorded']);
});

describe('the topic of SNS', () => {
  const confirmation = {
    ...{ Type: 'SubscriptionConfirmation', Token: 'token', Message: 'You have chosen to subscribe.' },
    SubscribeURL: `${SNS_HOST}/?Action=ConfirmSubscription&Token=token`,
  };

  it('is confirmed after a signed message', async () => {
    expect(await statusOf('ses', sns(confirmation, fresh({ isForged: true })))).toBe(401);
    const confirmed = () => amazon.asked.filter((path) => path.startsWith('/?'));
    expect(confirmed()).toEqual([]);
    expect(await statusOf('ses', sns(confirmation, fresh()))).toBe(200);
    expect(confirmed()).toEqual(['/?Action=ConfirmSubscription&Token=token']);
  });

  it('is never confirmed at another host', async () => {
    const elsewhere = { ...confirmation, SubscribeURL: `${amazon.url}/?Action=ConfirmSubscription` };
    expect(await statusOf('ses', sns(elsewhere, fresh()))).toBe(200);
    expect(amazon.asked).toEqual([]);
  });

  it('accepts both signature versions, with one certificate', async () => {
    for (const version of ['1', '2']) {
      const message = sns({ Message: version, Subject: 'S' }, { ...fresh(), version });
      expect(await statusOf('ses', message)).toBe(200);
    }
    expect(amazon.asked).toEqual([]);
  });

  it.each([
    'https://sns.eu-west-1.amazonaws.com.example.org/SimpleNotificationService-0123abcd.pem',
    'http://sns.eu-west-1.amazonaws.com/SimpleNotificationService-0123abcd.pem',
    'https://sns.us-east-1.amazonaws.com/SimpleNotificationService-0123abcd.pem',
    'https://sns.eu-west-1.amazonaws.com/other/SimpleNotificationService-0123abcd.pem',
    'https://user@sns.eu-west-1.amazonaws.com/SimpleNotificationService-0123abcd.pem',
    'https://sns.eu-west-1.amazonaws.com:444/SimpleNotificationService-0123abcd.pem',
    'not a URL',
  ])('fetches no certificate from %s [T25]', async (SigningCertURL) => {
    expect(await statusOf('ses', sns({ Message: '', SigningCertURL }, fresh()))).toBe(401);
    expect(amazon.asked).toEqual([]);
  });

  it('refuses messages of another topic', async () => {
    const TopicArn = `${TOPIC}-2`;
    const other = sns({ Message: '', TopicArn }, fresh());
    expect(await statusOf('ses', other)).toBe(401);
    expect(await statusOf('ses', { ...other, headers: { 'x-amz-sns-topic-arn': TOPIC } })).toBe(401);
  });

  const unknown = (name: string) =>
    sns({ Message: '', SigningCertURL: `${SNS_HOST}/SimpleNotificationService-${name}.pem` }, fresh());

  it('is asked to send a message again if the certificate breaks off', async () => {
    expect(await statusOf('ses', unknown('broken'))).toBe(503);
    expect(amazon.asked).toHaveLength(1);
  });

  it('fetches at most one unknown certificate in ten seconds', async () => {
    expect(await statusOf('ses', unknown('a'))).toBe(401);
    expect(await statusOf('ses', unknown('b'))).toBe(503);
    expect(amazon.asked).toHaveLength(1);
    expect(await statusOf('ses', SAMPLES.ses().hard(fresh()))).toBe(200);
  });
});

it('writes no address to the log', () => {
  expect(lines.length).toBeGreaterThan(0);
  expect(lines.join('')).not.toContain('@');
});
