import { createHash, createHmac, createPublicKey, timingSafeEqual, verify } from 'node:crypto';
import { signatureOf } from '../alerts/webhook-message.ts';
import type { ServiceEvent } from './classify-report.ts';
import type { Sns, SnsMessage } from './sns.ts';

/** A call of a webhook. `json` is its parsed body. */
interface WebhookCall {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
  readonly json: unknown;
}

/** A mail service that reports bounces and complaints by webhook. */
export interface MailService {
  /** The secret or key in MAIL_WEBHOOKS in words, for the operator. */
  readonly secretForm: string;
  isSecret(text: string): boolean;
  /** Maximum length of a body (bytes). */
  readonly longest: number;
  /** A call whose time is older is refused (ms). */
  readonly maxAge: number;
  /** Checks the headers, before the body is read. */
  admits(headers: WebhookCall['headers'], secret: string): boolean;
  /** The signed time of a call or that of its events (epoch ms); NaN without one, null for a forged call. */
  sentAt(call: WebhookCall, secret: string, sns: Sns): number | null | Promise<number | null>;
  /** The names of the events that count. All other events are ignored. */
  readonly kinds: Readonly<Record<(typeof KINDS)[number], readonly string[]>>;
  events(json: unknown): NamedEvent[];
  /** True if the signature covers a token only. The token counts once, and is stored for an event of any kind. */
  readonly hasToken?: boolean;
}

const KINDS = ['hard bounce', 'soft bounce', 'complaint'] as const;

/** An event with its names in the words of its service, the most specific first. */
interface NamedEvent extends Omit<ServiceEvent, 'kind'> {
  readonly names: readonly string[];
}

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
/** A call from a clock further ahead is refused (ms). */
const MOST_AHEAD = 5 * MINUTE;
const KIB = 1024;
/** The services retry a failed call for up to a day, some with the first signature. */
const DEFAULTS = { longest: 256 * KIB, maxAge: 2 * DAY };

/** A field of JSON from outside; undefined if it is missing. */
const field = (value: unknown, ...names: readonly string[]): unknown =>
  names.reduce<unknown>(
    (inner, name) =>
      typeof inner === 'object' && inner !== null ? (inner as Record<string, unknown>)[name] : undefined,
    value,
  );

/** A text or number of JSON from outside as a text; '' if it is missing. */
const textOf = (value: unknown, ...names: readonly string[]): string => {
  const found = field(value, ...names);
  return typeof found === 'string' || typeof found === 'number' ? String(found) : '';
};
/** The fields of JSON from outside that are texts. */
const textsOf = (value: unknown): SnsMessage =>
  Object.fromEntries(Object.entries(value ?? {}).filter(([, found]) => typeof found === 'string'));
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);

/** Parses JSON from outside; undefined if it is not JSON. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const digest = (text: string) => createHash('sha256').update(text).digest();
const isSame = (given: string | string[] | undefined, expected: string): boolean =>
  timingSafeEqual(digest(String(given)), digest(expected));

/** Returns the `Authorization` header for `user:password` or for a token. */
const authorizationOf = (secret: string): string =>
  secret.includes(':') ? `Basic ${Buffer.from(secret).toString('base64')}` : `Bearer ${secret}`;

const admitsLogin: MailService['admits'] = ({ authorization }, secret) =>
  isSame(authorization, authorizationOf(secret));

/** The key of SendGrid's signatures, which is the base64 of a P-256 public key. Null for any other text. */
function publicKeyOf(text: string) {
  try {
    const key = createPublicKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'spki' });
    return key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? key : null;
  } catch {
    return null;
  }
}

/** The services by their names in MAIL_WEBHOOKS and in the address of the webhook. */
export const MAIL_SERVICES = {
  ses: {
    ...DEFAULTS,
    // A message of 256 KiB, as text of JSON in JSON.
    longest: 512 * KIB,
    secretForm: 'the ARN of the SNS topic',
    isSecret: (text) => /^arn:aws[a-z-]*:sns:[a-z]+-[a-z0-9-]+:\d{12}:[\w-]{1,256}$/.test(text),
    admits: (headers, topic) => isSame(headers['x-amz-sns-topic-arn'], topic),
    sentAt: ({ json }, topic, sns) => sns.signedAt(textsOf(json), topic),
    kinds: { 'hard bounce': ['Bounce Permanent'], 'soft bounce': ['Bounce'], complaint: ['Complaint'] },
    events(json) {
      const message = parseJson(textOf(json, 'Message'));
      const name = textOf(message, 'notificationType') || textOf(message, 'eventType');
      const about = field(message, name === 'Bounce' ? 'bounce' : 'complaint');
      if (textOf(about, 'complaintFeedbackType') === 'not-spam') return [];
      const recipients = field(about, name === 'Bounce' ? 'bouncedRecipients' : 'complainedRecipients');
      return listOf(recipients).map((recipient) => ({
        names: [`${name} ${textOf(about, 'bounceType')}`, name],
        id: textOf(about, 'feedbackId'),
        email: textOf(recipient, 'emailAddress'),
        status: textOf(recipient, 'status'),
        words: textOf(recipient, 'diagnosticCode'),
      }));
    },
  },
  postmark: {
    ...DEFAULTS,
    admits: admitsLogin,
    secretForm: 'user:password with 16 characters or more',
    isSecret: (text) => /^[^\s:]+:\S+$/.test(text) && text.length >= 16,
    sentAt: ({ json }) => Date.parse(textOf(json, 'BouncedAt')),
    kinds: {
      'hard bounce': ['HardBounce', 'BadEmailAddress'],
      'soft bounce': ['SoftBounce', 'Transient', 'DnsError', 'Blocked'],
      complaint: ['SpamComplaint'],
    },
    events: (json) => [
      {
        names: [textOf(json, 'Type')],
        id: textOf(json, 'ID'),
        email: textOf(json, 'Email'),
        words: textOf(json, 'Details'),
      },
    ],
  },
  mailgun: {
    ...DEFAULTS,
    secretForm: 'the HTTP webhook signing key, 16 characters or more',
    isSecret: (text) => /^[!-~]{16,512}$/.test(text),
    hasToken: true,
    admits: () => true,
    sentAt({ json }, key) {
      const [at, token] = [textOf(json, 'signature', 'timestamp'), textOf(json, 'signature', 'token')];
      const expected = createHmac('sha256', key).update(`${at}${token}`).digest('hex');
      return isSame(textOf(json, 'signature', 'signature'), expected) ? Number(at) * 1_000 : null;
    },
    // A failure of another severity or for another reason is a soft bounce.
    kinds: {
      'hard bounce': ['failed permanent bounce', 'failed permanent suppress-bounce'],
      'soft bounce': ['failed'],
      complaint: ['failed permanent suppress-complaint', 'complained'],
    },
    events(json) {
      const event = field(json, 'event-data');
      const name = textOf(event, 'event');
      return [
        {
          names: [`${name} ${textOf(event, 'severity')} ${textOf(event, 'reason')}`, name],
          id: textOf(json, 'signature', 'token'),
          email: textOf(event, 'recipient'),
          status: textOf(event, 'delivery-status', 'enhanced-code'),
          words: textOf(event, 'delivery-status', 'message'),
        },
      ];
    },
  },
  brevo: {
    ...DEFAULTS,
    admits: admitsLogin,
    secretForm: 'a bearer token, or user:password, with 16 characters or more',
    isSecret: (text) => /^[!-~]{16,512}$/.test(text),
    sentAt: ({ json }) => 1_000 * Math.min(...listOf(json).map((event) => Number(field(event, 'ts_event')))),
    kinds: {
      'hard bounce': ['hard_bounce', 'invalid_email'],
      'soft bounce': ['soft_bounce', 'blocked', 'deferred', 'error'],
      complaint: ['spam'],
    },
    events: (json) =>
      listOf(json).map((event) => ({
        names: [textOf(event, 'event')],
        id: `${textOf(event, 'message-id')} ${textOf(event, 'ts_event')}`,
        email: textOf(event, 'email'),
        words: textOf(event, 'reason'),
      })),
  },
  resend: {
    ...DEFAULTS,
    secretForm: 'the signing secret, which begins with "whsec_"',
    isSecret: (text) => /^whsec_[A-Za-z0-9+/]{20,}=*$/.test(text),
    maxAge: 5 * MINUTE,
    admits: (headers) => headers['svix-signature'] !== undefined,
    sentAt({ headers, body }, secret) {
      const [id, timestamp] = [String(headers['svix-id']), String(headers['svix-timestamp'])];
      const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
      const expected = signatureOf(key, { id, timestamp, body });
      // While a secret is replaced, a call has a signature of each.
      const given = String(headers['svix-signature']).split(' ', 10);
      return given.some((signature) => isSame(signature, expected)) ? Number(timestamp) * 1_000 : null;
    },
    kinds: {
      'hard bounce': ['email.bounced Permanent'],
      'soft bounce': ['email.bounced'],
      complaint: ['email.complained'],
    },
    events(json) {
      const name = textOf(json, 'type');
      return listOf(field(json, 'data', 'to')).map((email) => ({
        names: [`${name} ${textOf(json, 'data', 'bounce', 'type')}`, name],
        id: `${textOf(json, 'data', 'email_id')} ${name}`,
        email: textOf(email),
        words: textOf(json, 'data', 'bounce', 'message'),
      }));
    },
  },
  sendgrid: {
    ...DEFAULTS,
    // SendGrid sends up to 768 KiB of events at once.
    longest: 1024 * KIB,
    secretForm: 'the verification key of the signed event webhook',
    isSecret: (text) => publicKeyOf(text) !== null,
    admits: (headers) => headers['x-twilio-email-event-webhook-signature'] !== undefined,
    sentAt({ headers, body }, secret) {
      const at = String(headers['x-twilio-email-event-webhook-timestamp']);
      const signature = Buffer.from(String(headers['x-twilio-email-event-webhook-signature']), 'base64');
      const key = publicKeyOf(secret);
      return key !== null && verify('sha256', Buffer.from(at + body), key, signature)
        ? Number(at) * 1_000
        : null;
    },
    kinds: {
      'hard bounce': ['bounce bounce', 'dropped Bounced Address'],
      'soft bounce': ['bounce', 'deferred'],
      complaint: ['spamreport'],
    },
    events: (json) =>
      listOf(json).map((event) => ({
        // The reason of a dropped mail stands in place of a type.
        names: [
          `${textOf(event, 'event')} ${textOf(event, 'type') || textOf(event, 'reason')}`,
          textOf(event, 'event'),
        ],
        id: textOf(event, 'sg_event_id'),
        email: textOf(event, 'email'),
        status: textOf(event, 'status'),
        words: textOf(event, 'reason'),
      })),
  },
} as const satisfies Readonly<Record<string, MailService>>;

export type MailServiceName = keyof typeof MAIL_SERVICES;

export interface MailWebhook {
  readonly service: MailServiceName;
  readonly secret: string;
}

/** The bounces and complaints in a body. */
function eventsIn({ kinds, events, hasToken = false }: MailService, json: unknown): ServiceEvent[] {
  return events(json).flatMap(({ names, ...event }): ServiceEvent[] => {
    const kind = names.flatMap((name) => KINDS.filter((one) => kinds[one].includes(name)))[0];
    if (kind !== undefined) return [{ ...event, kind }];
    return hasToken ? [{ ...event, kind: 'unknown', email: '' }] : [];
  });
}

/** The events of a genuine call, or the reason of its refusal. Confirms an SNS topic. Rejects if Amazon cannot be asked. */
export async function readCall(
  { service: name, secret }: MailWebhook,
  { headers, body }: Pick<WebhookCall, 'headers' | 'body'>,
  { sns, now }: { sns: Sns; now: number },
): Promise<readonly ServiceEvent[] | 'forged' | 'too old' | 'malformed'> {
  const service: MailService = MAIL_SERVICES[name];
  const json = parseJson(body);
  const isObject = typeof json === 'object' && json !== null;
  const at = await service.sentAt({ headers, body, json: isObject ? json : {} }, secret, sns);
  if (at === null) return 'forged';
  if (!isObject || Number.isNaN(at)) return 'malformed';
  if (at < now - service.maxAge || at > now + MOST_AHEAD) return 'too old';
  if (name === 'ses') await sns.confirm(textsOf(json));
  return eventsIn(service, json);
}
