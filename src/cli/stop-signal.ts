/** Set at the first SIGTERM or SIGINT, so that work under way can end in order; a second one ends the process. */
export function stopSignal(): AbortSignal {
  const stopping = new AbortController();
  const stop = () => {
    process.off('SIGTERM', stop).off('SIGINT', stop);
    stopping.abort(new Error('It was stopped before it was done; the next one does the rest.'));
  };
  process.on('SIGTERM', stop).on('SIGINT', stop);
  return stopping.signal;
}
