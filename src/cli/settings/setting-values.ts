import { UsageError } from '../command.ts';

/** The environment as the process gets it. */
export type Values = Readonly<Record<string, string | undefined>>;

const LONGEST_SETTING = 8_192;

/** The value of a setting; null when it is absent or empty. Throws `UsageError` when it is too long. */
export function given(values: Values, name: string): string | null {
  const text = values[name]?.trim() || null;
  if (text === null || text.length <= LONGEST_SETTING) return text;
  throw new UsageError(`${name} has ${text.length} characters; it may have ${LONGEST_SETTING} at most.`);
}

/** An address; `secret` hides the value from messages, since it may carry a password. */
export function address(
  values: Values,
  name: string,
  protocols: readonly string[],
  secret = false,
): string | null {
  const text = given(values, name);
  if (text === null) return null;
  const shown = secret ? 'not an address' : `"${text}"`;
  if (URL.canParse(text) && protocols.includes(new URL(text).protocol)) return text;
  const forms = protocols.map((protocol) => `${protocol}//`).join(' or ');
  throw new UsageError(`${name} is ${shown}; it must begin with ${forms}.`);
}

/** Whether an address says where something is, and nothing else that could be secret. */
export function isPlain({ username, password, search, hash }: URL): boolean {
  return username + password + search + hash === '';
}

const PRINTABLE = /^[\x21-\x7e]{1,512}$/;

/**
 * A key or a token. It travels in a header, so it has no blank and nothing beyond ASCII; what is wrong is told
 * without the value.
 */
export function secret(values: Values, name: string): string | null {
  const text = given(values, name);
  if (text === null || PRINTABLE.test(text)) return text;
  throw new UsageError(`${name} has a blank or another character that no key has; copy it again.`);
}

/** A whole number from `least` to `most`; `otherwise` where nothing is set. */
export function wholeNumber<Otherwise extends number | null>(
  values: Values,
  name: string,
  { least, most, otherwise }: { least: number; most: number; otherwise: Otherwise },
): number | Otherwise {
  const text = given(values, name);
  if (text === null) return otherwise;
  const number = Number(text);
  if (/^\d+$/.test(text) && number >= least && number <= most) return number;
  throw new UsageError(`${name} is "${text}"; it must be a whole number from ${least} to ${most}.`);
}
