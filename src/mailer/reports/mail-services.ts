import { createHash, createHmac, createPublicKey, timingSafeEqual, verify } from 'node:crypto';
import { signatureOf } from '../webhook-signature.ts';
import { REPORT_KINDS, type ReportKind, type ServiceEvent } from './classify-report.ts';
import type { Sns, SnsMessage } from './sns.ts';

/** A call of a webhook. `json` is its parsed body; undefined if the body is not JSON. */
export interface WebhookCall {
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
  /** The bounces and complaints in a body. Ignores all other events. */
  events(json: unknown): ServiceEvent[];
  /** True if the signature covers a token only. The token counts once, and is stored for an event of any kind. */
  readonly hasToken?: boolean;
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
export function parseJson(text: string): unknown {
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

const hasLogin: Pick<MailService, 'admits'> = {
  admits: ({ authorization }, secret) => isSame(authorization, authorizationOf(secret)),
};

const eventOf = (kind: ReportKind | undefined, event: Omit<ServiceEvent, 'kind'>): ServiceEvent[] =>
  kind === undefined ? [] : [{ kind, ...event }];

/** The key of SendGrid's signatures, which is the base64 of a P-256 public key. Null for any other text. */
function publicKeyOf(text: string) {
  try {
    const key = createPublicKey({ key: Buffer.from(text, 'base64'), format: 'der', type: 'spki' });
    return key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? key : null;
  } catch {
    return null;
  }
}

/** The events of a service that count, by kind. An event is its name, or its name and detail. */
type EventNames = Readonly<Partial<Record<ReportKind, readonly string[]>>>;

const POSTMARK_EVENTS: EventNames = {
  'hard bounce': ['HardBounce', 'BadEmailAddress'],
  'soft bounce': ['SoftBounce', 'Transient', 'DnsError', 'Blocked'],
  complaint: ['SpamComplaint'],
};
const BREVO_EVENTS: EventNames = {
  'hard bounce': ['hard_bounce', 'invalid_email'],
  'soft bounce': ['soft_bounce', 'blocked', 'deferred', 'error'],
  complaint: ['spam'],
};
/** The details are severity and reason. Other failures are soft bounces. */
const MAILGUN_EVENTS: EventNames = {
  'hard bounce': ['failed permanent bounce', 'failed permanent suppress-bounce'],
  'soft bounce': ['failed'],
  complaint: ['failed permanent suppress-complaint', 'complained'],
};
/** The detail is the type, or the reason of a dropped mail. */
const SENDGRID_EVENTS: EventNames = {
  'hard bounce': ['bounce bounce', 'dropped Bounced Address'],
  'soft bounce': ['bounce', 'deferred'],
  complaint: ['spamreport'],
};
const SES_EVENTS: EventNames = {
  'hard bounce': ['Bounce Permanent'],
  'soft bounce': ['Bounce'],
  complaint: ['Complaint'],
};
const RESEND_EVENTS: EventNames = {
  'hard bounce': ['email.bounced Permanent'],
  'soft bounce': ['email.bounced'],
  complaint: ['email.complained'],
};

/** Returns the kind of an event by its name and detail, or else by its name. */
function kindIn(events: EventNames, name: string, detail = ''): ReportKind | undefined {
  const kindOf = (event: string) => REPORT_KINDS.find((kind) => events[kind]?.includes(event));
  return kindOf(`${name} ${detail}`) ?? kindOf(name);
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
    events(json) {
      const message = parseJson(textOf(json, 'Message'));
      const name = textOf(message, 'notificationType') || textOf(message, 'eventType');
      const about = field(message, name === 'Bounce' ? 'bounce' : 'complaint');
      if (textOf(about, 'complaintFeedbackType') === 'not-spam') return [];
      const recipients = field(about, name === 'Bounce' ? 'bouncedRecipients' : 'complainedRecipients');
      return listOf(recipients).flatMap((recipient) =>
        eventOf(kindIn(SES_EVENTS, name, textOf(about, 'bounceType')), {
          id: textOf(about, 'feedbackId'),
          email: textOf(recipient, 'emailAddress'),
          status: textOf(recipient, 'status'),
          words: textOf(recipient, 'diagnosticCode'),
        }),
      );
    },
  },
  postmark: {
    ...DEFAULTS,
    ...hasLogin,
    secretForm: 'user:password with 16 characters or more',
    isSecret: (text) => /^[^\s:]+:\S+$/.test(text) && text.length >= 16,
    sentAt: ({ json }) => Date.parse(textOf(json, 'BouncedAt')),
    events: (json) =>
      eventOf(kindIn(POSTMARK_EVENTS, textOf(json, 'Type')), {
        id: textOf(json, 'ID'),
        email: textOf(json, 'Email'),
        status: '',
        words: textOf(json, 'Details'),
      }),
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
    events(json) {
      const event = field(json, 'event-data');
      const detail = `${textOf(event, 'severity')} ${textOf(event, 'reason')}`;
      const kind = kindIn(MAILGUN_EVENTS, textOf(event, 'event'), detail);
      return eventOf(kind ?? 'unknown', {
        id: textOf(json, 'signature', 'token'),
        email: kind === undefined ? '' : textOf(event, 'recipient'),
        status: textOf(event, 'delivery-status', 'enhanced-code'),
        words: textOf(event, 'delivery-status', 'message'),
      });
    },
  },
  brevo: {
    ...DEFAULTS,
    ...hasLogin,
    secretForm: 'a bearer token, or user:password, with 16 characters or more',
    isSecret: (text) => /^[!-~]{16,512}$/.test(text),
    sentAt: ({ json }) => 1_000 * Math.min(...listOf(json).map((event) => Number(field(event, 'ts_event')))),
    events: (json) =>
      listOf(json).flatMap((event) =>
        eventOf(kindIn(BREVO_EVENTS, textOf(event, 'event')), {
          id: `${textOf(event, 'message-id')} ${textOf(event, 'ts_event')}`,
          email: textOf(event, 'email'),
          status: '',
          words: textOf(event, 'reason'),
        }),
      ),
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
    events(json) {
      const name = textOf(json, 'type');
      const kind = kindIn(RESEND_EVENTS, name, textOf(json, 'data', 'bounce', 'type'));
      return listOf(field(json, 'data', 'to')).flatMap((email) =>
        eventOf(kind, {
          id: `${textOf(json, 'data', 'email_id')} ${name}`,
          email: textOf(email),
          status: '',
          words: textOf(json, 'data', 'bounce', 'message'),
        }),
      );
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
    events: (json) =>
      listOf(json).flatMap((event) => {
        const detail = textOf(event, 'type') || textOf(event, 'reason');
        return eventOf(kindIn(SENDGRID_EVENTS, textOf(event, 'event'), detail), {
          id: textOf(event, 'sg_event_id'),
          email: textOf(event, 'email'),
          status: textOf(event, 'status'),
          words: textOf(event, 'reason'),
        });
      }),
  },
} as const satisfies Readonly<Record<string, MailService>>;

export type MailServiceName = keyof typeof MAIL_SERVICES;

export interface MailWebhook {
  readonly service: MailServiceName;
  readonly secret: string;
}

/** The events of a genuine call, or the reason of its refusal. Confirms an SNS topic. Rejects with `SnsUnavailable`. */
export async function readCall(
  { service: name, secret }: MailWebhook,
  call: WebhookCall,
  { sns, now }: { sns: Sns; now: number },
): Promise<readonly ServiceEvent[] | 'forged' | 'too old' | 'malformed'> {
  const service: MailService = MAIL_SERVICES[name];
  const isObject = typeof call.json === 'object' && call.json !== null;
  const at = await service.sentAt(isObject ? call : { ...call, json: {} }, secret, sns);
  if (at === null) return 'forged';
  if (!isObject || Number.isNaN(at)) return 'malformed';
  if (at < now - service.maxAge || at > now + MOST_AHEAD) return 'too old';
  if (name === 'ses') await sns.confirm(textsOf(call.json));
  return service.events(call.json);
}
