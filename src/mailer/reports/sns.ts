import { type KeyObject, verify, X509Certificate } from 'node:crypto';

/** The JSON of a message of Amazon SNS, from outside. A message that SNS signed has texts only. */
export type SnsMessage = Readonly<Record<string, string | undefined>>;

/** Its methods reject if Amazon cannot be asked at the moment. SNS sends its message again. */
export interface Sns {
  /** The time of a message (epoch ms); null if SNS did not sign it for the topic. */
  signedAt(message: SnsMessage, topic: string): Promise<number | null>;
  /** Confirms the subscription if a signed message asks to. */
  confirm(message: SnsMessage): Promise<void>;
}

const TIMEOUT_MS = 10_000;
const LONGEST_CERTIFICATE = 16_384;
const MOST_CERTIFICATES = 8;
/** Forged messages can name new certificates. They cause one request in this time. */
const FETCH_INTERVAL_MS = 10_000;

/** The signed fields in the order of the text to sign. Messages without a subject leave it out. */
const OF_NOTIFICATION = ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'];
const OF_CONFIRMATION = ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'];
const SIGNED = new Map([
  ['Notification', OF_NOTIFICATION],
  ['SubscriptionConfirmation', OF_CONFIRMATION],
  ['UnsubscribeConfirmation', OF_CONFIRMATION],
]);
/** The hashes of the signature versions. */
const HASHES = new Map([
  ['1', 'sha1'],
  ['2', 'sha256'],
]);

const textToSign = (message: SnsMessage, names: readonly string[]): string =>
  names.map((name) => (message[name] === undefined ? '' : `${name}\n${message[name]}\n`)).join('');

/** True for an https address of the SNS of one region. */
const isSnsUrl = (url: string, topic: string, path: RegExp): boolean => {
  if (!URL.canParse(url)) return false;
  const { href, origin, pathname, search } = new URL(url);
  const host = `https://sns.${topic.split(':')[3]}.amazonaws.com`;
  return (
    (origin === host || origin === `${host}.cn`) && href.startsWith(origin) && path.test(pathname + search)
  );
};

/** Verifies SNS messages with the cached certificate of an Amazon host of the topic's region, sent over TLS. */
export function createSns({ fetch, now }: { fetch: typeof globalThis.fetch; now: () => number }): Sns {
  const certificates = new Map<string, X509Certificate>();
  let fetchedAt = Number.NEGATIVE_INFINITY;

  async function get(url: string): Promise<Response> {
    try {
      return await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) });
    } catch {
      throw new Error('Amazon SNS cannot be reached. Check that this machine may connect to it.');
    }
  }

  /** Fetches a certificate, which is then cached. Null if the response is none. */
  async function fetchCertificate(url: string): Promise<X509Certificate | null> {
    if (now() - fetchedAt < FETCH_INTERVAL_MS) throw new Error('A certificate was fetched just now.');
    fetchedAt = now();
    const response = await get(url);
    const text = response.ok ? await response.text() : '';
    if (text.length > LONGEST_CERTIFICATE) return null;
    try {
      const certificate = new X509Certificate(text);
      if (certificates.size >= MOST_CERTIFICATES) certificates.clear();
      certificates.set(url, certificate);
      return certificate;
    } catch {
      return null;
    }
  }

  async function keyAt(url: string): Promise<KeyObject | null> {
    const certificate = certificates.get(url) ?? (await fetchCertificate(url));
    if (certificate === null) return null;
    const isValid = Date.parse(certificate.validFrom) <= now() && now() <= Date.parse(certificate.validTo);
    return isValid ? certificate.publicKey : null;
  }

  return {
    async signedAt(message, topic) {
      const {
        Type = '',
        SigningCertURL = '',
        Signature = '',
        SignatureVersion = '',
        Timestamp = '',
      } = message;
      const names = SIGNED.get(Type);
      const hash = HASHES.get(SignatureVersion);
      if (names === undefined || hash === undefined || message.TopicArn !== topic) return null;
      if (!isSnsUrl(SigningCertURL, topic, /^\/SimpleNotificationService-\w{1,64}\.pem$/)) return null;
      const key = await keyAt(SigningCertURL);
      if (key === null) return null;
      const text = Buffer.from(textToSign(message, names));
      return verify(hash, text, key, Buffer.from(Signature, 'base64')) ? Date.parse(Timestamp) : null;
    },
    async confirm({ Type, SubscribeURL = '', TopicArn = '' }) {
      if (Type !== 'SubscriptionConfirmation' || !isSnsUrl(SubscribeURL, TopicArn, /^\/\?/)) return;
      const response = await get(SubscribeURL);
      if (!response.ok) throw new Error(`Amazon SNS responds ${response.status} to the confirmation.`);
    },
  };
}
