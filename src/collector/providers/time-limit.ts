/**
 * Runs `work` with a signal that aborts after `ms`, with a TimeoutError, or when `signal` does. Written out, for on
 * Node 20 a signal that AbortSignal.any made of a timeout can be collected before it fires.
 */
export async function withTimeLimit<T>(
  ms: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const end = () => controller.abort(signal.reason);
  const timer = setTimeout(() => controller.abort(new DOMException('The time is over.', 'TimeoutError')), ms);
  signal.addEventListener('abort', end);
  try {
    signal.throwIfAborted();
    return await work(controller.signal);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', end);
  }
}
