import { SourceError } from './problems.ts';

const MINUTE = 60_000;

/** How long a run may take that asks providers, in ms. */
export const DEADLINES = { collect: 10 * MINUTE, backfill: 60 * MINUTE } as const;

/** What does not end by its signal is left to itself after so long (ms): without its lease it writes nothing more. */
const PATIENCE = 30_000;

/**
 * Does `work` with a signal that is set after `ms` (never, when null) or with `signal`. What work then fails of
 * is thrown as the reason why the run had to end.
 */
export async function withDeadline<T>(
  ms: number | null,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const end = () => controller.abort(reasonOf(signal));
  if (signal?.aborted) end();
  signal?.addEventListener('abort', end, { once: true });
  const timer = ms === null ? undefined : setTimeout(() => controller.abort(tooLate(ms)), ms);
  let patience: NodeJS.Timeout | undefined;
  const hangs = new Promise<never>((_, reject) => {
    const wait = () => {
      patience = setTimeout(() => reject(controller.signal.reason), PATIENCE);
    };
    if (controller.signal.aborted) wait();
    else controller.signal.addEventListener('abort', wait, { once: true });
  });
  try {
    return await Promise.race([work(controller.signal), hangs]);
  } catch (error) {
    throw controller.signal.aborted ? controller.signal.reason : error;
  } finally {
    clearTimeout(timer);
    clearTimeout(patience);
    signal?.removeEventListener('abort', end);
  }
}

function tooLate(ms: number): SourceError {
  return new SourceError(
    `The run was given up after ${ms / MINUTE} minutes; the providers were too slow, and the next run goes on.`,
  );
}

function reasonOf(signal: AbortSignal | undefined): unknown {
  const reason: unknown = signal?.reason;
  return reason instanceof Error && reason.name !== 'AbortError'
    ? reason
    : new SourceError('The run was ended before it was done; the next one goes on.');
}
