/** Why the process is to end. */
export class Stopped extends Error {
  readonly by: 'SIGTERM' | 'SIGINT';

  constructor(by: Stopped['by']) {
    super('It was stopped before it was done; the next one does the rest.');
    this.name = 'Stopped';
    this.by = by;
  }
}

/** Set at the first SIGTERM or SIGINT, so that work under way can end in order; a second one ends the process. */
export function stopSignal(): AbortSignal {
  const stopping = new AbortController();
  const stop = (by: NodeJS.Signals) => {
    process.off('SIGTERM', stop).off('SIGINT', stop);
    stopping.abort(new Stopped(by === 'SIGINT' ? by : 'SIGTERM'));
  };
  process.on('SIGTERM', stop).on('SIGINT', stop);
  return stopping.signal;
}
