import { join, resolve } from 'node:path';
import { isSender } from '#mailer/mail-address.ts';
import type { MailSettings, SignalTime } from '#mailer/mailer-settings.ts';
import { parseSignalTime } from '#mailer/week.ts';
import { urlOf } from '#server/http/listen.ts';
import { UsageError } from '../command.ts';
import { given, type Values, wholeNumber } from './setting-values.ts';

/** What mail depends on of the settings that are read already. */
interface Around {
  readonly host: string;
  readonly port: number;
  readonly publicUrl: string | null;
  readonly productName: string;
  readonly dataFolder: string;
}

const DEFAULT_TIME: SignalTime = { weekday: 6, minutes: 9 * 60 };
const PER_SECOND = { least: 1, most: 1_000, otherwise: 10 } as const;
const LONGEST_LINE = 200;

// biome-ignore lint/suspicious/noControlCharactersInRegex: a header is one line
const BREAKS_A_LINE = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;
/** `Name <address>` or the address alone; a name with a character that parts a list stands in quotes. */
const SENDER = /^(?:(?:"([^"\\<>]*)"\s*|([^"\\<>@,;:]*))<([^<>]*)>|([^<>]*))$/;

function sender(values: Values, productName: string): MailSettings['from'] | null {
  const text = given(values, 'MAIL_FROM');
  if (text === null) return null;
  const [, quoted, plain, inBrackets, alone] = SENDER.exec(text) ?? [];
  const address = inBrackets ?? alone;
  if (!BREAKS_A_LINE.test(text) && address !== undefined && isSender(address)) {
    return { name: (quoted ?? plain ?? '').trim() || productName, address };
  }
  throw new UsageError(
    'MAIL_FROM must be one sender in one line, as "Barometer <signal@example.org>" or "signal@example.org"; a name with a comma or the like stands in quotes.',
  );
}

const decodes = (text: string): boolean => {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
};

/** The mail server's address. It carries a password, so nothing of it is repeated. */
function smtpUrl(values: Values): string | null {
  const text = given(values, 'SMTP_URL');
  if (text === null) return null;
  const url = URL.canParse(text) ? new URL(text) : null;
  const isOne =
    url !== null &&
    ['smtp:', 'smtps:'].includes(url.protocol) &&
    url.hostname !== '' &&
    ['', '/'].includes(url.pathname) &&
    url.search + url.hash === '' &&
    (url.username === '') === (url.password === '') &&
    decodes(url.username + url.password);
  if (isOne) return text;
  throw new UsageError(
    'SMTP_URL is not an address of a mail server; it must be smtp:// or smtps://, user:password@ if it wants them (what is special in them as %40 and the like), host and port.',
  );
}

function postalAddress(values: Values): string | null {
  const text = given(values, 'MAIL_POSTAL_ADDRESS');
  if (text === null || (text.length <= LONGEST_LINE && !BREAKS_A_LINE.test(text))) return text;
  throw new UsageError(`MAIL_POSTAL_ADDRESS must be one line of ${LONGEST_LINE} characters at most.`);
}

function signalTime(values: Values): SignalTime {
  const text = given(values, 'SIGNAL_AT');
  const time = text === null ? DEFAULT_TIME : parseSignalTime(text);
  if (time !== null) return time;
  throw new UsageError(
    `SIGNAL_AT is "${text}"; it must be a day and a time in New York as "Sat 09:00", not from 9:30 to 16:15 of Monday to Friday, when prices still move.`,
  );
}

function asksToConfirm(values: Values): boolean {
  const text = given(values, 'SUBSCRIBE_CONFIRM') ?? 'false';
  if (text === 'true' || text === 'false') return text === 'true';
  throw new UsageError(`SUBSCRIBE_CONFIRM is "${text}"; it must be true or false.`);
}

/** What mail is configured with. Throws `UsageError` naming the first setting that is wrong. */
export function readMailSettings(values: Values, around: Around): MailSettings {
  const { productName, publicUrl, dataFolder } = around;
  const smtp = smtpUrl(values);
  const from = sender(values, productName);
  if (smtp !== null && publicUrl === null) {
    throw new UsageError(
      'SMTP_URL is set without PUBLIC_URL, which the links in every mail lead to; set both.',
    );
  }
  if (smtp !== null && from === null) {
    throw new UsageError('SMTP_URL is set without MAIL_FROM, the sender of every mail; set both.');
  }
  return {
    productName,
    // Else as the server will say itself once it listens.
    publicUrl: publicUrl ?? urlOf(around.host, around.port),
    smtpUrl: smtp,
    from: from ?? { name: productName, address: 'signal@localhost' },
    postalAddress: postalAddress(values),
    perSecond: wholeNumber(values, 'MAIL_PER_SECOND', PER_SECOND),
    outboxFolder: join(resolve(dataFolder), 'outbox'),
    asksToConfirm: asksToConfirm(values),
    signalTime: signalTime(values),
  };
}
