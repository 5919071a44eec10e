import { REST_LIMITS } from './dialect.ts';
import { Refusal, unacceptableBody } from './refusal.ts';

/** The body of a response: a list of rows, or one row as an object. */
export type ResponseShape = 'list' | 'single';

const SHAPES = new Map<string, ResponseShape>([
  ['*/*', 'list'],
  ['application/json', 'list'],
  ['application/vnd.pgrst.array+json', 'list'],
  ['application/vnd.pgrst.object+json', 'single'],
]);
export const CONTENT_TYPE_OF = {
  list: 'application/json; charset=utf-8',
  single: 'application/vnd.pgrst.object+json; charset=utf-8',
} as const satisfies Record<ResponseShape, string>;

/** Parameters of an acceptable type: any quality but zero, and the charset. */
const HARMLESS = /^(q=(?!0(\.0*)?$)|charset=)/;

const itemsOf = (header: string | undefined) =>
  header?.split(',', REST_LIMITS.listItems).map((item) => item.trim()) ?? [];

/** The shape of the first type in an `Accept` header that the gate can send. Throws `Refusal` if there is none. */
export function parseAccept(header: string | undefined): ResponseShape {
  if (header === undefined) return 'list';
  for (const item of itemsOf(header)) {
    const [type = '', ...parameters] = item.split(';').map((part) => part.trim());
    const shape = SHAPES.get(type);
    if (shape !== undefined && parameters.every((parameter) => HARMLESS.test(parameter))) return shape;
  }
  throw new Refusal({
    status: 415,
    code: 'PGRST107',
    message: 'This server cannot send any of the requested media types.',
    hint: `Accept one of ${[...SHAPES.keys()].join(', ')}.`,
  });
}

/** Unsupported preferences that would change the response. All other unknown preferences are ignored. */
const UNSUPPORTED = /^(count=(?!exact$)|handling=strict$|missing=|timezone=|max-affected=)/;
/** Preferences of an insert that would read or update rows. */
const BEYOND_INSERT = /^(return=(?!minimal$)|resolution=)/;

export interface Preferences {
  /** True for `count=exact`. */
  readonly counted: boolean;
  /** True if the preferences would make an insert read or update rows. */
  readonly isBeyondInsert: boolean;
  /** `Preference-Applied` if a preference applies, else empty. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Parses a `Prefer` header; `applicable` are the preferences that the method knows. Throws `Refusal`. */
export function parsePrefer(header: string | undefined, applicable: readonly string[]): Preferences {
  const items = itemsOf(header);
  const refused = items.find((item) => UNSUPPORTED.test(item));
  if (refused !== undefined) {
    throw new Refusal({
      status: 400,
      code: 'PGRST122',
      message: 'This server does not support the preference.',
      details: `Invalid preferences: ${refused.slice(0, 100)}`,
      hint: `Leave it out of the Prefer header. Supported are ${applicable.join(' and ')}.`,
    });
  }
  const applied = applicable.filter((preference) => items.includes(preference));
  return {
    counted: items.includes('count=exact'),
    isBeyondInsert: items.some((item) => BEYOND_INSERT.test(item)),
    headers: applied.length > 0 ? { 'Preference-Applied': applied.join(', ') } : {},
  };
}

/** Returns the `Content-Profile` header for the schema `public`, and no header without a schema. Throws `Refusal` for another. */
export function parseProfile(profile: string | undefined): Record<string, string> {
  if (profile === undefined) return {};
  if (profile === 'public') return { 'Content-Profile': profile };
  throw new Refusal({
    status: 406,
    code: 'PGRST106',
    message: 'The schema must be one of the following: public',
  });
}

/** Refuses a body of another type than JSON. A body without a type is read as JSON. */
export function checkContentType(header: string | undefined): void {
  if (header === undefined) return;
  const type = header.split(';', 1)[0]?.trim();
  if (type === 'application/json') return;
  throw unacceptableBody('The body is not JSON.', 'Send JSON with Content-Type: application/json.');
}
