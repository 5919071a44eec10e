/** The error of a call that is refused because too many other calls wait. */
export class TooManyWaiting extends Error {}

interface Turns {
  /** Maximum number of calls that wait or run. */
  readonly most: number;
  /** Called when a call has ended. The next call begins when its promise resolves. */
  readonly pause?: (() => Promise<unknown>) | undefined;
}

/**
 * Returns a function that runs one call after another, so that pages made on request do not slow down the main page. It
 * rejects with TooManyWaiting if `most` calls already wait or run.
 */
export function createTurns({ most, pause }: Turns): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  return async (work) => {
    if (waiting >= most) throw new TooManyWaiting();
    waiting += 1;
    const done = last.then(work).finally(() => {
      waiting -= 1;
    });
    const rest = () => pause?.();
    last = done.then(rest, rest);
    return done;
  };
}
