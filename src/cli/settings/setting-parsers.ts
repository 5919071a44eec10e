import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { PROVIDER_NAMES, type ProviderName } from '#collector/providers/provider.ts';
import { RIGHTS, type Right, SUPPLIERS, type Supplier } from '#collector/providers/rights.ts';
import { addressFault } from '#database/address.ts';
import { WEBHOOK_KINDS, type Webhook } from '#mailer/alerts/webhook-message.ts';
import { MAIL_SERVICES, type MailServiceName, type MailWebhook } from '#mailer/reports/mail-services.ts';
import { isSender } from '#mailer/safe-text.ts';
import { LONGEST_BOUNCE_NAME } from '#mailer/subscribers/token.ts';
import { parseSignalTime } from '#mailer/week.ts';
import type { Witness } from '#record/ledger/anchor-services.ts';
import { parseVerifierKey } from '#record/ledger/checkpoint.ts';
import { isRepository } from '#record/ledger/git-repository.ts';
import { parseTrustedProxies } from '#server/http/client-address.ts';
import { symbolsFault } from '#web/panels/widgets/symbols.ts';
import { UsageError } from './usage-error.ts';

/** Parses a text that is not empty. Throws `UsageError` that names the setting. */
export type Parse<T> = (text: string, name: string) => T;

/** Returns a parser whose error quotes the text. Not for secrets. `read` returns null for a wrong text. */
const quoting =
  <T>(read: (text: string) => T | null | undefined, needed: string): Parse<T> =>
  (text, name) => {
    const value = read(text) ?? null;
    if (value !== null) return value;
    throw new UsageError(`${name} is "${text}"; it must be ${needed}.`);
  };

/** Returns a parser whose error does not quote the text, which may be secret. `read` returns null for a wrong text. */
const silent =
  <T>(read: (text: string) => T | null, fault: string): Parse<T> =>
  (text, name) => {
    const value = read(text);
    if (value !== null) return value;
    throw new UsageError(`${name}${fault}.`);
  };

/** Returns a parser of texts that keeps them unchanged. */
const textIf = (isRight: (text: string) => boolean, fault: string): Parse<string> =>
  silent((text) => (isRight(text) ? text : null), ` ${fault}`);

/** Returns a parser that keeps the text unless `faultOf` returns the rest of a sentence about it. */
const textUnless =
  (faultOf: (text: string, name: string) => string | null): Parse<string> =>
  (text, name) => {
    const fault = faultOf(text, name);
    if (fault === null) return text;
    throw new UsageError(fault);
  };

export const textUpTo = (longest: number): Parse<string> =>
  textUnless((text, name) =>
    text.length <= longest
      ? null
      : `${name} has ${text.length} characters; shorten it to ${longest} at most.`,
  );

const listed = (text: string): string[] => text.split(',').map((item) => item.trim());

export const oneOf = <Value extends string>(values: readonly Value[]): Parse<Value> =>
  quoting((text) => values.find((value) => value === text), `one of ${values.join(', ')}`);

const BOOLEANS = new Map([
  ['true', true],
  ['false', false],
]);

export const toBoolean = quoting((text) => BOOLEANS.get(text), 'true or false');

export const wholeNumber = (least: number, most: number): Parse<number> =>
  quoting((text) => {
    const number = Number(text);
    return /^\d+$/.test(text) && number >= least && number <= most ? number : null;
  }, `a whole number from ${least} to ${most}`);

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

const WEB: readonly string[] = ['http:', 'https:'];

/** Returns the URL if it has one of the protocols; null for any other text. */
function toUrl(text: string, protocols = WEB): URL | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  return url !== null && protocols.includes(url.protocol) ? url : null;
}

/** True if an address has none of the parts that may be secret. */
const isPlain = ({ username, password, search, hash }: URL): boolean =>
  username + password + search + hash === '';

const withoutTrailingSlash = ({ href }: URL): string => href.replace(/(?<!\/)\/+$/, '');

/** The address of the page that visitors see. Parsed without its trailing slash. */
export const publicUrl: Parse<string> = (text, name) => {
  const url = toUrl(text);
  if (url === null) throw new UsageError(`${name} is "${text}"; it must begin with http:// or https://.`);
  if (isPlain(url)) return withoutTrailingSlash(url);
  throw new UsageError(`${name} must be an address without a user, a password, "?" and "#".`);
};

/** The address of a Postgres database. The error never quotes the address, because it may contain a password. */
export const databaseUrl = textUnless((text, name) => {
  const fault = /^postgres(ql)?:\/\//i.test(text)
    ? addressFault(text)
    : 'is not an address; it must begin with postgres:// or postgresql://';
  return fault && `${name} ${fault}.`;
});

export const trustedProxies = quoting(
  parseTrustedProxies,
  'addresses and networks as 10.0.0.0/8, separated by commas',
);

export const widgetSymbols = textUnless((text, name) => symbolsFault(name, text));

export const providerList: Parse<readonly ProviderName[]> = (text, name) => {
  const names = listed(text);
  const unknown = names.find((item) => !PROVIDER_NAMES.some((known) => known === item));
  if (unknown === undefined) return PROVIDER_NAMES.filter((known) => names.includes(known));
  throw new UsageError(
    `${name} names "${unknown}"; it must be a list of ${PROVIDER_NAMES.join(', ')}, separated by commas.`,
  );
};

/** Licences such as 'cboe:value, alpaca:derived'. 'own' means the operator's own CSV files. */
export const licenceList: Parse<ReadonlyMap<Supplier, Right>> = (text, name) => {
  const licences = new Map<Supplier, Right>();
  for (const item of listed(text)) {
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

export const publishDelay: Parse<0 | 1> = (text, name) =>
  oneOf(['T+0', 'T+1'])(text, name) === 'T+1' ? 1 : 0;

/** A password that people type: any characters of at least eight. The error never quotes it. */
export const password = textIf(
  (text) => [...text].length >= 8 && text.length <= 512,
  'must have 8 to 512 characters',
);

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** The address of a provider. Barometer sends a key to it, so the connection must be encrypted or local. */
export const providerUrl = silent((text) => {
  const url = toUrl(text);
  const isSafe = url?.protocol === 'https:' || LOOPBACK.test(url?.hostname ?? '');
  return url !== null && isSafe && isPlain(url) ? withoutTrailingSlash(url) : null;
}, ' must be an address that begins with https:// (http:// only on this machine), without a user, a password, "?" and "#"');

/** Returns the items of a list separated by spaces. The error names a wrong one by its position: it may be a secret. */
function inPlaces<T>(text: string, parse: (item: string) => T | null): { items: T[]; fault: string | null } {
  const found = text.split(/\s+/).map(parse);
  const wrongPlace = found.indexOf(null) + 1;
  return {
    items: found.filter((item) => item !== null),
    fault: wrongPlace === 0 ? null : `webhook ${wrongPlace} is not right`,
  };
}

/** Splits an item such as 'slack=https://…' at its first "=". */
const pairOf = (text: string): [name: string, value: string] => {
  const [, name = '', value = ''] = /^([a-z]+)=(.+)$/.exec(text) ?? [];
  return [name, value];
};

function toWebhook(text: string): Webhook | null {
  const [name, address] = pairOf(text);
  const kind = WEBHOOK_KINDS.find((known) => known === name);
  const url = toUrl(address);
  if (kind === undefined || url === null || url.username + url.password !== '') return null;
  return kind === 'telegram' && !url.searchParams.has('chat_id') ? null : { kind, url: url.href };
}

export const webhookList: Parse<readonly Webhook[]> = (text, name) => {
  const { items, fault } = inPlaces(text, toWebhook);
  if (fault === null) return items;
  throw new UsageError(
    `${name}: ${fault}; write kind=URL, where kind is one of ${WEBHOOK_KINDS.join(', ')}, without a user or a password in the URL, and with chat_id for telegram.`,
  );
};

function toMailWebhook(text: string): MailWebhook | null {
  const [name, secret] = pairOf(text);
  if (!Object.hasOwn(MAIL_SERVICES, name)) return null;
  const service = name as MailServiceName;
  return MAIL_SERVICES[service].isSecret(secret) ? { service, secret } : null;
}

export const mailWebhookList: Parse<readonly MailWebhook[]> = (text, name) => {
  const { items, fault } = inPlaces(text, toMailWebhook);
  const isOnce = new Set(items.map(({ service }) => service)).size === items.length;
  if (fault === null && isOnce) return items;
  const forms = Object.entries(MAIL_SERVICES).map(
    ([service, { secretForm }]) => `${service} (${secretForm})`,
  );
  throw new UsageError(
    `${name}: ${fault ?? 'a service has two webhooks'}; write each service once as service=secret: ${forms.join(', ')}.`,
  );
};

/** The bytes of a secret of Standard Webhooks, which is 'whsec_' and 24 to 64 bytes in base64. */
export const webhookSecret = silent((text) => {
  const [, base64 = ''] = /^whsec_([A-Za-z0-9+/]+=*)$/.exec(text) ?? [];
  const key: Uint8Array = Buffer.from(base64, 'base64');
  return key.length >= 24 && key.length <= 64 ? key : null;
}, ' must be "whsec_" and the base64 of 24 to 64 random bytes');

// biome-ignore lint/suspicious/noControlCharactersInRegex: a header is one line
const BREAKS_A_LINE = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;
/** Matches `Name <address>` or an address. A name in quotes may have characters that separate addresses. */
const SENDER = /^(?:(?:"([^"\\<>]*)"\s*|([^"\\<>@,;:]*))<([^<>]*)>|([^<>]*))$/;

export const sender = silent((text) => {
  const [, quoted, plain, inBrackets, alone] = SENDER.exec(text) ?? [];
  const address = inBrackets ?? alone ?? '';
  const isRight = !BREAKS_A_LINE.test(text) && isSender(address);
  return isRight ? { name: (quoted ?? plain ?? '').trim(), address } : null;
}, ' must be one sender in one line, as "Barometer <signal@example.org>" or "signal@example.org"; quote a name that has a comma');

/** The mailbox for bounces. The name before the "@" must be short, because a token is added to it. */
export const bounceAddress = silent(
  (text) => (isSender(text) && text.lastIndexOf('@') <= LONGEST_BOUNCE_NAME ? text.toLowerCase() : null),
  ` must be an address with at most ${LONGEST_BOUNCE_NAME} characters before the "@", as "bounces@example.org"`,
);

function canDecode(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

function isMailServer(text: string): boolean {
  const url = toUrl(text, ['smtp:', 'smtps:']);
  if (url === null || url.hostname === '') return false;
  const { username, password, pathname, search, hash } = url;
  const hasNoMore = ['', '/'].includes(pathname) && search + hash === '';
  const hasLogin = username !== '' && password !== '' && canDecode(username + password);
  return hasNoMore && (hasLogin || username + password === '');
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

export const signalTime = quoting(
  parseSignalTime,
  'a day and a time in New York as "Sat 09:00", not from 9:30 to 16:15 of Monday to Friday, when prices still move',
);

/** The address of a git repository, which may contain a password. */
export const gitRepository = textIf(
  isRepository,
  'is not an address of a git repository; it must be a URL, user@host:path, or an absolute path',
);

/** The address of a timestamp authority. Its responses are signed, so http:// is safe. */
export const authorityUrl = textIf((text) => {
  const url = toUrl(text);
  return url !== null && isPlain(url);
}, 'must be an address that begins with http:// or https://, without a user, a password, "?" and "#"');

const PEM = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

export const certificates = quoting((path): readonly X509Certificate[] | null => {
  try {
    const found = readFileSync(path, 'utf8').match(PEM);
    return found?.map((pem) => new X509Certificate(pem)) ?? null;
  } catch {
    return null;
  }
}, 'a readable file with one or more certificates in PEM form');

/** A witness as 'https://host/path KEY', where KEY is its name, id and public key (c2sp.org/tlog-cosignature). */
export const witness: Parse<Witness> = (text, name) => {
  const [address = '', encoded = '', ...rest] = text.split(/\s+/);
  const keyOf = () => (rest.length === 0 ? parseVerifierKey(encoded, 'witness') : null);
  const needed = "the witness's address, a blank, and its key as name+id+base64 of type 4";
  const key = quoting(keyOf, needed)(text, name);
  return { url: authorityUrl(address, name).replace(/\/+$/, ''), key };
};
