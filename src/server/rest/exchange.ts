/** A request to the gate. */
export interface RestRequest {
  readonly method: string;
  /** The path below `/rest/v1`, with its leading slash, still encoded. */
  readonly path: string;
  /** The query without its question mark, still encoded. */
  readonly query: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Null if it is longer than `REST_LIMITS.bodyBytes`. */
  readonly body: Uint8Array | null;
  /** The address of the client. */
  readonly client: string;
}

export interface RestResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}
