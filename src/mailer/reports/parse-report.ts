import PostalMime, { type Email } from 'postal-mime';

/** The fields of a header by their names in lower case. */
export type Fields = ReadonlyMap<string, string>;

/** The parts of a mail that may report a bounce, a complaint or an absence. */
export interface ReportParts {
  readonly headers: Fields;
  readonly text: string;
  /** The groups of a delivery status (RFC 3464): the first is the message's, each other a recipient's. */
  readonly status: readonly Fields[];
  /** The fields of a feedback report (RFC 5965); null if there is none. */
  readonly feedback: Fields | null;
  /** The headers of the mail that the report is about; '' if the report does not contain them. */
  readonly returned: string;
}

/** Maximum length of a text. Longer texts are cut, which limits the time that the patterns take. */
const LONGEST_TEXT = 8_192;
const LONGEST_HEADERS = 32_768;
/** Bytes that are parsed, because parsing is slow. The status comes before the text of the returned mail. */
const PARSED_BYTES = 65_536;
const PARSED_LINES = 1_500;
const LF = 10;
const LIMITS = { maxNestingDepth: 20, maxHeadersSize: 131_072 };

const RETURNED_TYPES: readonly string[] = [
  ...['message/rfc822', 'message/global', 'text/rfc822-headers', 'message/rfc822-headers', 'text/rfc822'],
];

/** Parses groups of `name: value` fields, between blank lines. A value may continue in the next lines. */
export function parseFields(text: string): Fields[] {
  const groups: Map<string, string>[] = [];
  let group = new Map<string, string>();
  let last = '';
  for (const line of text.slice(0, LONGEST_HEADERS).split(/\r\n|\r|\n/)) {
    const colon = line.indexOf(':');
    if (line.trim() === '') {
      if (group.size > 0) groups.push(group);
      group = new Map();
    } else if (/^[ \t]/.test(line)) {
      group.set(last, `${group.get(last) ?? ''} ${line.trim()}`);
    } else if (colon > 0) {
      last = line.slice(0, colon).trim().toLowerCase();
      // If a group has several fields with one name, the first one counts, as in the headers of a mail.
      if (!group.has(last)) group.set(last, line.slice(colon + 1).trim());
    }
  }
  return group.size > 0 ? [...groups, group] : groups;
}

/** Returns the headers of a returned mail, each in one line. */
function headersOf(mail: string): string {
  const text = mail.slice(0, LONGEST_HEADERS);
  const end = /\r?\n\r?\n/.exec(text)?.index ?? text.length;
  return text.slice(0, end).replace(/\r?\n[ \t]+/g, ' ');
}

function beginningOf(raw: Uint8Array): Uint8Array {
  let end = 0;
  for (let lines = 0; lines < PARSED_LINES; lines += 1) {
    const next = raw.indexOf(LF, end) + 1;
    if (next === 0) return raw.subarray(0, PARSED_BYTES);
    end = next;
  }
  return raw.subarray(0, Math.min(end, PARSED_BYTES));
}

/** Parses the beginning of a raw mail. Null if it is no mail, or nested deeper than mail programs nest. */
export async function parseReport(raw: Uint8Array): Promise<ReportParts | null> {
  let mail: Email;
  try {
    mail = await PostalMime.parse(beginningOf(raw), {
      ...LIMITS,
      forceRfc822Attachments: true,
      attachmentEncoding: 'utf8',
    });
  } catch {
    return null;
  }
  const contentsOf = (types: readonly string[]): string[] =>
    mail.attachments.filter(({ mimeType }) => types.includes(mimeType)).map(({ content }) => String(content));
  const headers = new Map<string, string>();
  for (const { key, value } of mail.headers) if (!headers.has(key)) headers.set(key, value);
  const status = contentsOf(['message/delivery-status', 'message/global-delivery-status']);
  const [feedback] = contentsOf(['message/feedback-report']);
  return {
    headers,
    text: (mail.text ?? mail.html ?? '').slice(0, LONGEST_TEXT),
    status: status.flatMap(parseFields),
    feedback: feedback === undefined ? null : new Map(parseFields(feedback).flatMap((group) => [...group])),
    returned: contentsOf(RETURNED_TYPES).map(headersOf).join('\n').slice(0, LONGEST_HEADERS),
  };
}
