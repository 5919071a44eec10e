import { SourceError } from './problems.ts';

const MINUTE = 60_000;

/** Longest run with external providers (ms). */
export const DEADLINES = { collect: 10 * MINUTE, backfill: 60 * MINUTE } as const;

/** Time (ms) to await work that ignores its abort signal. It cannot write later, because it has lost its lease. */
const GRACE = 30_000;

/** Runs `work` with a signal that aborts after `ms` (null: never) or with `signal`, and then throws its reason. */
export async function withDeadline<T>(
  ms: number | null,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const deadline = new AbortController();
  const timer = ms === null ? undefined : setTimeout(() => deadline.abort(tooSlow(ms)), ms);
  const ending = AbortSignal.any(signal === undefined ? [deadline.signal] : [deadline.signal, signal]);
  let grace: NodeJS.Timeout | undefined;
  const abandoned = new Promise<never>((_, reject) => {
    const wait = () => {
      grace = setTimeout(() => reject(ending.reason), GRACE);
    };
    if (ending.aborted) wait();
    else ending.addEventListener('abort', wait, { once: true });
  });
  try {
    return await Promise.race([work(ending), abandoned]);
  } catch (error) {
    throw ending.aborted ? errorOf(ending.reason) : error;
  } finally {
    clearTimeout(timer);
    clearTimeout(grace);
  }
}

function tooSlow(ms: number): SourceError {
  return new SourceError(
    `The run was stopped after ${ms / MINUTE} minutes because the providers were too slow. The next run continues.`,
  );
}

function errorOf(reason: unknown): Error {
  return reason instanceof Error && reason.name !== 'AbortError'
    ? reason
    : new SourceError('The run was stopped before it was done. The next run continues.');
}
