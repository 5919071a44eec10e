import type { Database } from '#database/port.ts';

export const REST_LIMITS = {
  /** Maximum number of rows of a response. Hosted Supabase projects have the same limit. */
  rows: 1_000,
  bodyBytes: 4_096,
  queryParameters: 40,
  /** Maximum length of a list: the values of `in.(…)`, the rows of an insert, and the items of `Accept` and `Prefer`. */
  listItems: 100,
  statementMs: 5_000,
} as const;

export interface RestRequest {
  readonly method: string;
  /** The path after `/rest/v1`, with its leading slash, percent-encoded as received. */
  readonly path: string;
  /** The query without its question mark, percent-encoded as received. */
  readonly query: string;
  /** The headers by their names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** The bytes of the body; null if it is longer than `REST_LIMITS.bodyBytes`. */
  readonly body: Uint8Array | null;
  readonly client: string;
}

export interface RestResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A parsed request, to be run in the database. */
export interface Operation {
  readonly kind: 'read' | 'insert';
  readonly table: string;
  /** Runs in a transaction of its own as `anon`. Postgres cancels an insert that waits for `leftMs`. Throws `Refusal`. */
  readonly run: (database: Database, leftMs: number) => Promise<RestResponse>;
}
