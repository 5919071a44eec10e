/** The reason with which the signal of `stopSignal` aborts. */
export class Stopped extends Error {
  readonly by: 'SIGTERM' | 'SIGINT';

  constructor(by: Stopped['by']) {
    super('The command was stopped before it was done. Run it again to continue.');
    this.name = 'Stopped';
    this.by = by;
  }
}

/**
 * Returns a signal that aborts at the first SIGTERM or SIGINT. A second SIGTERM or SIGINT ends the process immediately.
 */
export function stopSignal(): AbortSignal {
  const stopping = new AbortController();
  const stop = (by: NodeJS.Signals) => {
    process.off('SIGTERM', stop).off('SIGINT', stop);
    stopping.abort(new Stopped(by === 'SIGINT' ? by : 'SIGTERM'));
  };
  process.on('SIGTERM', stop).on('SIGINT', stop);
  return stopping.signal;
}

/**
 * Ends this process when its parent process ends, even if SIGKILL ended the parent. Does nothing without an IPC
 * channel.
 */
export function endWithParent(): void {
  if (process.send === undefined) return;
  const end = () => process.exit(1);
  if (!process.connected) end();
  process.on('disconnect', end);
  // Without `unref`, the open channel would keep the process alive.
  process.channel?.unref();
}
