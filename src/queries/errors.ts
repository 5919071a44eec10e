/** What a read or an insert can fail with, in the words of the specification's section 8. */
export const QUERY_ERRORS = {
  not_configured: 'Supabase is not configured. Please check your .env file.',
  not_initialized: 'Supabase client not initialized',
  failed_to_fetch: 'Failed to fetch data',
  already_subscribed: 'This email is already subscribed',
  failed_to_subscribe: 'Failed to subscribe',
} as const;
export type QueryErrorCode = keyof typeof QUERY_ERRORS;

/** An error whose message may be shown to a visitor. */
export class QueryError extends Error {
  readonly code: QueryErrorCode;

  /** `message` is what the server said where it said something fit to show; else the words of the code. */
  constructor(code: QueryErrorCode, message: string = QUERY_ERRORS[code]) {
    super(message);
    this.name = 'QueryError';
    this.code = code;
  }
}
