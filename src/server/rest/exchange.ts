import type { QueryParameters } from './query-string.ts';

/** A request as the gate sees it, whether it came over a socket or from the page's own rendering. */
export interface RestRequest {
  readonly method: string;
  /** The path below `/rest/v1`, with its leading slash, still encoded. */
  readonly path: string;
  /** The query without its question mark, still encoded. */
  readonly query: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Null when it was longer than the gate takes. */
  readonly body: Uint8Array | null;
  /** The address of who asks; null for the page's own rendering. */
  readonly client: string | null;
}

export interface RestResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const ESCAPED_BY_POSTGREST = /[!'()*]/g;

// PostgREST encodes the bytes of a text as if each were a character, so that others than those of ASCII are encoded twice.
function encoded(text: string): string {
  return encodeURIComponent(Buffer.from(text).toString('latin1')).replace(
    ESCAPED_BY_POSTGREST,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Where a read's answer can be had again: its parameters sorted by name, repeated ones joined by commas. */
export function contentLocation(table: string, parameters: QueryParameters): string {
  const names = [...new Set(parameters.map(([name]) => name))].sort();
  const pairs = names.map((name) => {
    const values = parameters.flatMap(([other, value]) => (other === name ? [encoded(value ?? '')] : []));
    return `${encoded(name)}=${values.join(',')}`;
  });
  return `/${table}${pairs.length > 0 ? `?${pairs.join('&')}` : ''}`;
}

/** `first-last/total` of an answer; stars for what there is not. */
export function contentRange(offset: bigint, rows: number, total: number | null): string {
  const range = rows === 0 ? '*' : `${offset}-${offset + BigInt(rows) - 1n}`;
  return `${range}/${total ?? '*'}`;
}
