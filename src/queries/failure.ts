import { QueryError, type QueryErrorCode } from './errors.ts';

/** What the client reports of a failed call; `details` and `hint` are for the log. */
export interface Failure {
  message?: unknown;
  code?: unknown;
  details?: unknown;
  hint?: unknown;
}

const LONGEST_MESSAGE = 200;

/** A server's own sentence. A proxy's page or a broken connection (status 0) says nothing to a visitor. */
function sentenceOf(failure: Failure, status: number): string | null {
  const { message } = failure;
  if (status === 0 || typeof message !== 'string') return null;
  const text = message.trim();
  return text === '' || text.length > LONGEST_MESSAGE || /[<>\n]/.test(text) ? null : text;
}

/** The error to throw for a failed call; what happened stands in its `cause`, for the log. */
export function failed(code: QueryErrorCode, table: string, failure: Failure, status: number): QueryError {
  const error = new QueryError(code, sentenceOf(failure, status) ?? undefined);
  error.cause = { table, status, ...failure };
  return error;
}
