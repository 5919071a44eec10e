import { REST_LIMITS } from './dialect.ts';
import { Refusal } from './refusal.ts';

/** The parameters of a query string, in their order. One without `=` has no value, which is another thing than an empty one. */
export type QueryParameters = readonly (readonly [name: string, value: string | null])[];

const refused = (message: string, details: string) =>
  new Refusal({ status: 400, code: 'PGRST100', message, details });

// Only what is encoded can be told from what a proxy made of it, and Postgres takes no NUL.
const NEVER_PLAIN = /[^ -~]/;
const NO_CODE = /%(?![\da-f]{2})/gi;

function decoded(text: string): string {
  try {
    const plain = decodeURIComponent(text.replaceAll('+', ' ').replace(NO_CODE, '%25'));
    if (!plain.includes('\0')) return plain;
  } catch {
    // Told below, as every text that is none.
  }
  throw refused('The address cannot be read', 'Encode text as UTF-8, without NUL.');
}

/** Reads a query string as PostgREST does: parts end at `&` or `;`. Throws `Refusal` where it is no text, or too much. */
export function readParameters(query: string): QueryParameters {
  if (NEVER_PLAIN.test(query)) throw refused('The address cannot be read', 'Encode all but ASCII.');
  const parts = query.split(/[&;]/);
  // What ends with a separator has nothing after it; nothing before one is a part without a name.
  if (parts.at(-1) === '') parts.pop();
  if (parts.length > REST_LIMITS.queryParameters) {
    const details = `A request may have at most ${REST_LIMITS.queryParameters} of them.`;
    throw refused('Too many query parameters', details);
  }
  return parts.map((part) => {
    const [name = '', ...rest] = part.split('=');
    return [decoded(name), rest.length === 0 ? null : decoded(rest.join('='))];
  });
}

/** The values of a name, of those that have any. */
export function valuesOf(parameters: QueryParameters, name: string): string[] {
  return parameters.flatMap(([other, value]) => (other === name && value !== null ? [value] : []));
}

/** What the first parameter of a name says; undefined where there is none, or it has no value. */
export function firstValue(parameters: QueryParameters, name: string): string | undefined {
  return parameters.find(([other]) => other === name)?.[1] ?? undefined;
}
