import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { BlockList } from 'node:net';
import { PROVIDER_NAMES, type ProviderName } from '#collector/providers/names.ts';
import { RIGHTS, type Right, SUPPLIERS, type Supplier } from '#collector/providers/rights.ts';
import { addressFault } from '#database/address.ts';
import { WEBHOOK_KINDS, type Webhook } from '#mailer/alerts/webhook-message.ts';
import { isSender } from '#mailer/mail-address.ts';
import type { MailSettings, SignalTime } from '#mailer/mailer-settings.ts';
import { MAIL_SERVICES, type MailServiceName, type MailWebhook } from '#mailer/reports/mail-services.ts';
import { LONGEST_BOUNCE_NAME } from '#mailer/subscribers/token.ts';
import { parseSignalTime } from '#mailer/week.ts';
import type { Witness } from '#record/ledger/anchor-services.ts';
import { parseVerifierKey } from '#record/ledger/checkpoint.ts';
import { isRepository } from '#record/ledger/git-repository.ts';
import { parseTrustedProxies } from '#server/http/client-address.ts';
import { symbolsFault } from '#web/panels/widgets/symbols.ts';
import { UsageError } from './flags.ts';

/** Parses a text that is not empty. Throws `UsageError` that names the setting. */
export type Parse<T> = (text: string, name: string) => T;

/** Returns an error that quotes the text. Not for secrets. */
const wrong = (name: string, text: string, needed: string): UsageError =>
  new UsageError(`${name} is "${text}"; it must be ${needed}.`);

/**
 * Returns a parser that accepts some texts. Its error consists of the setting's name and `fault`, and does not quote
 * the text.
 */
const textIf =
  (isRight: (text: string) => boolean, fault: string): Parse<string> =>
  (text, name) => {
    if (isRight(text)) return text;
    throw new UsageError(`${name} ${fault}.`);
  };

export const textUpTo =
  (longest: number): Parse<string> =>
  (text, name) => {
    if (text.length <= longest) return text;
    throw new UsageError(`${name} has ${text.length} characters; shorten it to ${longest} at most.`);
  };

export const oneOf =
  <Value extends string>(values: readonly Value[]): Parse<Value> =>
  (text, name) => {
    const found = values.find((value) => value === text);
    if (found !== undefined) return found;
    throw wrong(name, text, `one of ${values.join(', ')}`);
  };

export const toBoolean: Parse<boolean> = (text, name) => {
  if (text === 'true' || text === 'false') return text === 'true';
  throw wrong(name, text, 'true or false');
};

export const wholeNumber =
  (least: number, most: number): Parse<number> =>
  (text, name) => {
    const number = Number(text);
    if (/^\d+$/.test(text) && number >= least && number <= most) return number;
    throw wrong(name, text, `a whole number from ${least} to ${most}`);
  };

/** A key or a token. It must be printable ASCII, because it is sent in a header. */
export const secret = textIf(
  (text) => /^[\x21-\x7e]{1,512}$/.test(text),
  'has a blank or a character that is not valid in a key; copy it again',
);

/** A token that gives access to a public address. It must be long, because a short token could be guessed. */
export const longSecret = textIf(
  (text) => /^[\x21-\x7e]{16,512}$/.test(text),
  'must have 16 to 512 printable characters without a blank; make one with: openssl rand -hex 32',
);

const toUrl = (text: string): URL | null => (URL.canParse(text) ? new URL(text) : null);

/** True if an address has none of the parts that may be secret. */
const isPlain = ({ username, password, search, hash }: URL): boolean =>
  username + password + search + hash === '';

const withoutTrailingSlash = ({ href }: URL): string => href.replace(/(?<!\/)\/+$/, '');

/** The address of the page that visitors see. Parsed without its trailing slash. */
export const publicUrl: Parse<string> = (text, name) => {
  const url = toUrl(text);
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    throw new UsageError(`${name} is "${text}"; it must begin with http:// or https://.`);
  }
  if (isPlain(url)) return withoutTrailingSlash(url);
  throw new UsageError(`${name} must be an address without a user, a password, "?" and "#".`);
};

/** The address of a Postgres database. The error never quotes the address, because it may contain a password. */
export const databaseUrl: Parse<string> = (text, name) => {
  const isPostgres = /^postgres(ql)?:\/\//i.test(text);
  const fault = isPostgres
    ? addressFault(text)
    : 'is not an address; it must begin with postgres:// or postgresql://';
  if (fault === null) return text;
  throw new UsageError(`${name} ${fault}.`);
};

export const trustedProxies: Parse<BlockList> = (text, name) => {
  const list = parseTrustedProxies(text);
  if (list !== null) return list;
  throw wrong(name, text, 'addresses and networks as 10.0.0.0/8, separated by commas');
};

export const widgetSymbols: Parse<string> = (text, name) => {
  const fault = symbolsFault(name, text);
  if (fault === null) return text;
  throw new UsageError(fault);
};

export const providerList: Parse<readonly ProviderName[]> = (text, name) => {
  const names = text.split(',').map((name) => name.trim());
  const unknown = names.find((listed) => !PROVIDER_NAMES.some((known) => known === listed));
  if (unknown === undefined) return PROVIDER_NAMES.filter((known) => names.includes(known));
  throw new UsageError(
    `${name} names "${unknown}"; it must be a list of ${PROVIDER_NAMES.join(', ')}, separated by commas.`,
  );
};

/** Licences such as 'cboe:value, alpaca:derived'. 'own' means the operator's own CSV files. */
export const licenceList: Parse<ReadonlyMap<Supplier, Right>> = (text, name) => {
  const licences = new Map<Supplier, Right>();
  for (const item of text.split(',').map((part) => part.trim())) {
    const [supplier, right] = item === 'own' ? ['csv', 'value'] : item.split(':').map((part) => part.trim());
    const known = SUPPLIERS.find((each) => each === supplier);
    const given = RIGHTS.find((each) => each === right);
    if (known === undefined || given === undefined || licences.has(known)) {
      throw new UsageError(
        `${name} has "${item}"; it must be own or PROVIDER:RIGHT, each provider once, separated by commas. Providers: ${SUPPLIERS.join(', ')}. Rights: ${RIGHTS.join(', ')}.`,
      );
    }
    licences.set(known, given);
  }
  return licences;
};

const DELAYS = ['T+0', 'T+1'] as const;

/** The number of sessions by which publication is delayed. */
export const publishDelay: Parse<0 | 1> = (text, name) => (oneOf(DELAYS)(text, name) === 'T+1' ? 1 : 0);

/** A password that people type: any characters of at least eight. The error never quotes it. */
export const password = textIf(
  (text) => [...text].length >= 8 && text.length <= 512,
  'must have 8 to 512 characters',
);

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/**
 * The address of a provider, parsed without its trailing slash. Barometer sends a key to it, so the connection must be
 * encrypted or local.
 */
export const providerUrl: Parse<string> = (text, name) => {
  const url = toUrl(text);
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.test(url.hostname));
  if (url !== null && isSafe && isPlain(url)) return withoutTrailingSlash(url);
  throw new UsageError(
    `${name} must be an address that begins with https:// (http:// only on this machine), without a user, a password, "?" and "#".`,
  );
};

/** Parses a webhook such as 'slack=https://…'. Null for any other text. */
function toWebhook(text: string): Webhook | null {
  const [, name, address = ''] = /^([a-z]+)=(.+)$/.exec(text) ?? [];
  const kind = WEBHOOK_KINDS.find((known) => known === name);
  const url = toUrl(address);
  if (kind === undefined || url === null || !['http:', 'https:'].includes(url.protocol)) return null;
  if (url.username + url.password !== '') return null;
  return kind === 'telegram' && !url.searchParams.has('chat_id') ? null : { kind, url: url.href };
}

/** The webhooks, separated by spaces. The error names a wrong webhook by its position, because its URL is a secret. */
export const webhookList: Parse<readonly Webhook[]> = (text, name) => {
  const webhooks = text.split(/\s+/).map(toWebhook);
  const wrongPlace = webhooks.indexOf(null) + 1;
  if (wrongPlace === 0) return webhooks.filter((webhook) => webhook !== null);
  throw new UsageError(
    `${name}: webhook ${wrongPlace} is not right; write kind=URL, where kind is one of ${WEBHOOK_KINDS.join(', ')}, without a user or a password in the URL, and with chat_id for telegram.`,
  );
};

/** Parses the webhook of a mail service, such as 'postmark=user:password'. Null for any other text. */
function toMailWebhook(text: string): MailWebhook | null {
  const [, name = '', secret = ''] = /^([a-z]+)=(.+)$/.exec(text) ?? [];
  if (!Object.hasOwn(MAIL_SERVICES, name)) return null;
  const service = name as MailServiceName;
  return MAIL_SERVICES[service].isSecret(secret) ? { service, secret } : null;
}

/** The webhooks of mail services, separated by spaces. The error names a wrong one by its position: it has a secret. */
export const mailWebhookList: Parse<readonly MailWebhook[]> = (text, name) => {
  const found = text.split(/\s+/).map(toMailWebhook);
  const wrongPlace = found.indexOf(null) + 1;
  const webhooks = found.filter((webhook) => webhook !== null);
  const services = new Set(webhooks.map(({ service }) => service));
  if (wrongPlace === 0 && services.size === webhooks.length) return webhooks;
  const fault = wrongPlace === 0 ? 'a service has two webhooks' : `webhook ${wrongPlace} is not right`;
  const forms = Object.entries(MAIL_SERVICES).map(
    ([service, { secretForm }]) => `${service} (${secretForm})`,
  );
  throw new UsageError(`${name}: ${fault}; write each service once as service=secret: ${forms.join(', ')}.`);
};

const SIGNING_KEY_BYTES = { least: 24, most: 64 };

/** The bytes of a secret of Standard Webhooks, which is 'whsec_' and 24 to 64 bytes in base64. */
export const webhookSecret: Parse<Uint8Array> = (text, name) => {
  const [, base64] = /^whsec_([A-Za-z0-9+/]+=*)$/.exec(text) ?? [];
  const key = Buffer.from(base64 ?? '', 'base64');
  if (key.length >= SIGNING_KEY_BYTES.least && key.length <= SIGNING_KEY_BYTES.most) return key;
  throw new UsageError(`${name} must be "whsec_" and the base64 of 24 to 64 random bytes.`);
};

// biome-ignore lint/suspicious/noControlCharactersInRegex: a header is one line
const BREAKS_A_LINE = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;
/**
 * Matches `Name <address>` or an address. A name in quotes may contain characters that separate addresses in a list.
 */
const SENDER = /^(?:(?:"([^"\\<>]*)"\s*|([^"\\<>@,;:]*))<([^<>]*)>|([^<>]*))$/;

/** The sender of the mails. Its name may be empty. */
export const sender: Parse<MailSettings['from']> = (text, name) => {
  const [, quoted, plain, inBrackets, alone] = SENDER.exec(text) ?? [];
  const address = inBrackets ?? alone;
  if (!BREAKS_A_LINE.test(text) && address !== undefined && isSender(address)) {
    return { name: (quoted ?? plain ?? '').trim(), address };
  }
  throw new UsageError(
    `${name} must be one sender in one line, as "Barometer <signal@example.org>" or "signal@example.org"; quote a name that has a comma.`,
  );
};

/** The mailbox for bounces. The name before the "@" must be short, because a token is added to it. */
export const bounceAddress: Parse<string> = (text, name) => {
  if (isSender(text) && text.lastIndexOf('@') <= LONGEST_BOUNCE_NAME) return text.toLowerCase();
  throw new UsageError(
    `${name} must be an address with at most ${LONGEST_BOUNCE_NAME} characters before the "@", as "bounces@example.org".`,
  );
};

function canDecode(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

function isMailServer(text: string): boolean {
  const url = toUrl(text);
  if (url === null || !['smtp:', 'smtps:'].includes(url.protocol) || url.hostname === '') return false;
  const { username, password } = url;
  const hasNoMore = ['', '/'].includes(url.pathname) && url.search + url.hash === '';
  return hasNoMore && (username === '') === (password === '') && canDecode(username + password);
}

/** The URL of the mail server, which may contain a password. */
export const smtpUrl = textIf(
  isMailServer,
  'is not an address of a mail server; it must be smtp:// or smtps://, then user:password@ if the server needs a login (special characters encoded, as %40), host and port',
);

const LONGEST_LINE = 200;
export const postalAddress = textIf(
  (text) => text.length <= LONGEST_LINE && !BREAKS_A_LINE.test(text),
  `must be one line of ${LONGEST_LINE} characters at most`,
);

export const signalTime: Parse<SignalTime> = (text, name) => {
  const time = parseSignalTime(text);
  if (time !== null) return time;
  throw wrong(
    name,
    text,
    'a day and a time in New York as "Sat 09:00", not from 9:30 to 16:15 of Monday to Friday, when prices still move',
  );
};

/** The address of a git repository, which may contain a password. */
export const gitRepository = textIf(
  isRepository,
  'is not an address of a git repository; it must be a URL, user@host:path, or an absolute path',
);

/** The address of a timestamp authority. Its responses are signed, so http:// is safe. */
export const authorityUrl: Parse<string> = (text, name) => {
  const url = toUrl(text);
  if (url !== null && ['http:', 'https:'].includes(url.protocol) && isPlain(url)) return text;
  throw new UsageError(
    `${name} must be an address that begins with http:// or https://, without a user, a password, "?" and "#".`,
  );
};

const PEM = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/** Reads the certificates of a PEM file. */
export const certificates: Parse<readonly X509Certificate[]> = (path, name) => {
  try {
    const found = readFileSync(path, 'utf8').match(PEM) ?? [];
    if (found.length > 0) return found.map((pem) => new X509Certificate(pem));
  } catch {
    // The sentence below is the same for a file that is missing or damaged.
  }
  throw wrong(name, path, 'a readable file with one or more certificates in PEM form');
};

/** A witness as 'https://host/path KEY', where KEY is its name, id and public key (c2sp.org/tlog-cosignature). */
export const witness: Parse<Witness> = (text, name) => {
  const [address = '', encoded = '', ...rest] = text.split(/\s+/);
  const key = rest.length === 0 ? parseVerifierKey(encoded, 'witness') : null;
  if (key === null)
    throw wrong(name, text, "the witness's address, a blank, and its key as name+id+base64 of type 4");
  return { url: authorityUrl(address, name).replace(/\/+$/, ''), key };
};
