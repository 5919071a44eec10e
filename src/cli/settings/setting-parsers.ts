import type { BlockList } from 'node:net';
import { PROVIDER_NAMES, type ProviderName } from '#collector/providers/names.ts';
import { addressFault } from '#database/postgres/address.ts';
import { isSender } from '#mailer/mail-address.ts';
import type { MailSettings, SignalTime } from '#mailer/mailer-settings.ts';
import { parseSignalTime } from '#mailer/week.ts';
import { parseTrustedProxies } from '#server/http/client-address.ts';
import { symbolsFault } from '#web/panels/widgets/symbols.ts';
import { UsageError } from '../command.ts';

/** Parses a text that is not empty. Throws `UsageError` naming the setting. */
export type Parse<T> = (text: string, name: string) => T;

/** An error that quotes the text. Not for secrets. */
const wrong = (name: string, text: string, needed: string): UsageError =>
  new UsageError(`${name} is "${text}"; it must be ${needed}.`);

/** Accepts a text. The error is the name of the setting and `fault`, without the text. */
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
    throw new UsageError(`${name} has ${text.length} characters; it may have ${longest} at most.`);
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

/** A key or a token. It is sent in a header, so it must be printable ASCII. */
export const secret = textIf(
  (text) => /^[\x21-\x7e]{1,512}$/.test(text),
  'has a blank or a character that is not valid in a key; copy it again',
);

const toUrl = (text: string): URL | null => (URL.canParse(text) ? new URL(text) : null);

/** True if an address has no part that may be secret. */
const isPlain = ({ username, password, search, hash }: URL): boolean =>
  username + password + search + hash === '';

const withoutTrailingSlash = ({ href }: URL): string => href.replace(/(?<!\/)\/+$/, '');

/** The address of the page, without a trailing slash. Visitors see it. */
export const publicUrl: Parse<string> = (text, name) => {
  const url = toUrl(text);
  if (url === null || !['http:', 'https:'].includes(url.protocol)) {
    throw new UsageError(`${name} is "${text}"; it must begin with http:// or https://.`);
  }
  if (isPlain(url)) return withoutTrailingSlash(url);
  throw new UsageError(`${name} must be an address without a user, a password, "?" and "#".`);
};

/** The error never quotes the address, which may have a password. */
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

const LOOPBACK = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** The address of a provider, without a trailing slash. It gets a key, so the connection must be encrypted or local. */
export const providerUrl: Parse<string> = (text, name) => {
  const url = toUrl(text);
  const isSafe = url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.test(url.hostname));
  if (url !== null && isSafe && isPlain(url)) return withoutTrailingSlash(url);
  throw new UsageError(
    `${name} must be an address that begins with https:// (http:// only on this machine), without a user, a password, "?" and "#".`,
  );
};

// biome-ignore lint/suspicious/noControlCharactersInRegex: a header is one line
const BREAKS_A_LINE = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;
/** `Name <address>` or an address. Quotes allow a name with characters that separate a list. */
const SENDER = /^(?:(?:"([^"\\<>]*)"\s*|([^"\\<>@,;:]*))<([^<>]*)>|([^<>]*))$/;

/** The sender of the mails; its name may be empty. */
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
