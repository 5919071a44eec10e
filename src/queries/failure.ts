import { QueryError, type QueryErrorCode } from './errors.ts';

/** What the client reports of a failed call; `details` and `hint` are for the log. */
export interface Failure {
  message?: unknown;
  code?: unknown;
  details?: unknown;
  hint?: unknown;
}

const LONGEST_MESSAGE = 200;

/**
 * A backend's own sentence. A broken connection (status 0) says nothing to a visitor, and no more does what a proxy puts
 * in place of an answer: a page, or words without a code where the visitor's request was not at fault.
 */
function sentenceOf({ message, code }: Failure, status: number): string | null {
  const isRefusal = status >= 400 && status < 500;
  const hasCode = typeof code === 'string' && code !== '';
  if (status === 0 || !(isRefusal || hasCode) || typeof message !== 'string') return null;
  const text = message.trim();
  return text === '' || text.length > LONGEST_MESSAGE || /[<>\n]/.test(text) ? null : text;
}

/** The error to throw for a failed call; what happened stands in its `cause`, for the log. */
export function failed(code: QueryErrorCode, table: string, failure: Failure, status: number): QueryError {
  const error = new QueryError(code, sentenceOf(failure, status) ?? undefined);
  error.cause = { table, status, ...failure };
  return error;
}
