import { REST_LIMITS } from './exchange.ts';
import { Refusal, unacceptableBody } from './refusal.ts';

export const SINGLE_TYPE = 'application/vnd.pgrst.object+json; charset=utf-8';

const SHAPES = new Map<string, 'list' | 'single'>([
  ['*/*', 'list'],
  ['application/json', 'list'],
  ['application/vnd.pgrst.array+json', 'list'],
  ['application/vnd.pgrst.object+json', 'single'],
]);

/** Matches the permitted parameters of a media type: a quality other than zero, and the charset. */
const HARMLESS = /^(q=(?!0(\.0*)?$)|charset=)/;

const itemsOf = (header: string | undefined) =>
  header?.split(',', REST_LIMITS.listItems).map((item) => item.trim()) ?? [];

/** Returns the form of the rows for the first type in `Accept` that the gate can send. Throws `Refusal` without one. */
export function parseAccept(header: string | undefined): 'list' | 'single' {
  if (header === undefined) return 'list';
  for (const item of itemsOf(header)) {
    const [type = '', ...parameters] = item.split(';').map((part) => part.trim());
    const shape = SHAPES.get(type);
    if (shape !== undefined && parameters.every((parameter) => HARMLESS.test(parameter))) return shape;
  }
  throw new Refusal(415, 'PGRST107', 'This server cannot send any of the requested media types.', {
    hint: `Accept one of ${[...SHAPES.keys()].join(', ')}.`,
  });
}

/** Matches unsupported preferences that would change the response. Other unknown preferences are ignored. */
const UNSUPPORTED = /^(count=(?!exact$)|handling=strict$|missing=|timezone=|max-affected=)/;
/** Matches preferences with which an insert would also read or update rows. */
const BEYOND_INSERT = /^(return=(?!minimal$)|resolution=)/;

/** Parses a `Prefer` header. `applicable` has the preferences that the method supports. Throws `Refusal`. */
export function parsePrefer(header: string | undefined, applicable: readonly string[]) {
  const items = itemsOf(header);
  const refused = items.find((item) => UNSUPPORTED.test(item));
  if (refused !== undefined) {
    throw new Refusal(400, 'PGRST122', 'This server does not support the preference.', {
      details: `Invalid preferences: ${refused.slice(0, 100)}`,
      hint: `Remove it from the Prefer header. Supported are ${applicable.join(' and ')}.`,
    });
  }
  const applied = applicable.filter((preference) => items.includes(preference));
  return {
    isCounted: items.includes('count=exact'),
    // True if a preference requires an insert to read or update rows.
    isBeyondInsert: items.some((item) => BEYOND_INSERT.test(item)),
    headers: applied.length > 0 ? { 'Preference-Applied': applied.join(', ') } : {},
  };
}

/** Returns the `Content-Profile` header for the schema `public`, and none without a name. Throws `Refusal` for another schema. */
export function parseProfile(profile: string | undefined): Record<string, string> {
  if (profile === undefined) return {};
  if (profile === 'public') return { 'Content-Profile': profile };
  throw new Refusal(406, 'PGRST106', 'The schema must be one of the following: public');
}

/** Throws `Refusal` if the type of a body is not JSON. A body without a type is read as JSON. */
export function checkContentType(header: string | undefined): void {
  if (header === undefined) return;
  const type = header.split(';', 1)[0]?.trim();
  if (type === 'application/json') return;
  throw unacceptableBody('The body is not JSON.', 'Send JSON with Content-Type: application/json.');
}
