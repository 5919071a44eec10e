import { FAILED_TO_FETCH } from './failed-to-fetch.ts';

/** Messages of failed reads and inserts, as in the specification's section 8. */
export const QUERY_ERRORS = {
  not_configured: 'Supabase is not configured. Please check your .env file.',
  not_initialized: 'Supabase client not initialized',
  failed_to_fetch: FAILED_TO_FETCH,
  already_subscribed: 'This email is already subscribed',
  failed_to_subscribe: 'Failed to subscribe',
} as const;
export type QueryErrorCode = keyof typeof QUERY_ERRORS;

/** An error whose message may be shown to a visitor. */
export class QueryError extends Error {
  readonly code: QueryErrorCode;

  /** `message` is the server's message if visitors can understand it, otherwise the text of the code. */
  constructor(code: QueryErrorCode, message: string = QUERY_ERRORS[code]) {
    super(message);
    this.name = 'QueryError';
    this.code = code;
  }
}

/** A failed call as the client reports it; `details` and `hint` are for the log. */
export interface Failure {
  message?: unknown;
  code?: unknown;
  details?: unknown;
  hint?: unknown;
}

const LONGEST_MESSAGE = 200;

/** The server's message if visitors can read it; null for a lost connection (status 0) and for a proxy's error page. */
function sentenceOf({ message, code }: Failure, status: number): string | null {
  const isRefusal = status >= 400 && status < 500;
  const hasCode = typeof code === 'string' && code !== '';
  if (status === 0 || !(isRefusal || hasCode) || typeof message !== 'string') return null;
  const text = message.trim();
  return text === '' || text.length > LONGEST_MESSAGE || /[<>\n]/.test(text) ? null : text;
}

/** The error to throw for a failed call; its `cause` is for the log. */
export function failed(code: QueryErrorCode, table: string, failure: Failure, status: number): QueryError {
  const error = new QueryError(code, sentenceOf(failure, status) ?? undefined);
  error.cause = { table, status, ...failure };
  return error;
}
