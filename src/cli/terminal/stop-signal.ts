/** The reason of a stop. */
export class Stopped extends Error {
  readonly by: 'SIGTERM' | 'SIGINT';

  constructor(by: Stopped['by']) {
    super('It was stopped before it was done; the next one does the rest.');
    this.name = 'Stopped';
    this.by = by;
  }
}

/** Aborts at the first SIGTERM or SIGINT, so that work can end in order. A second one ends the process. */
export function stopSignal(): AbortSignal {
  const stopping = new AbortController();
  const stop = (by: NodeJS.Signals) => {
    process.off('SIGTERM', stop).off('SIGINT', stop);
    stopping.abort(new Stopped(by === 'SIGINT' ? by : 'SIGTERM'));
  };
  process.on('SIGTERM', stop).on('SIGINT', stop);
  return stopping.signal;
}

/** Ends this process as soon as the parent that started it with an IPC channel has ended, even by SIGKILL. */
export function endWithParent(): void {
  if (process.send === undefined) return;
  const end = () => process.exit(1);
  if (!process.connected) end();
  process.on('disconnect', end);
  // The channel alone does not keep the process alive.
  process.channel?.unref();
}
