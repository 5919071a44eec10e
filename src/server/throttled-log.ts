import type { Log, LogFields } from './log.ts';

const PERIOD_MS = 1_000;

/** Creates a log that writes the first failure of a kind at once, and then once a second how often it has occurred. */
export function throttledLog(log: Log) {
  const repeated = new Map<string, { times: number; readonly write: (times: number) => void }>();

  function flush(): void {
    for (const [kind, entry] of repeated) {
      if (entry.times === 0) repeated.delete(kind);
      else entry.write(entry.times);
      entry.times = 0;
    }
  }
  const timer = setInterval(flush, PERIOD_MS).unref();

  const throttled =
    (level: 'warn' | 'error') =>
    (event: string, fields: LogFields = {}): void => {
      const kind = [level, event, fields.code, fields.reason].join(' ');
      const entry = repeated.get(kind);
      if (entry !== undefined) {
        entry.times += 1;
        return;
      }
      log[level](event, fields);
      repeated.set(kind, { times: 0, write: (times) => log[level](event, { ...fields, times }) });
    };

  return {
    info: log.info,
    warn: throttled('warn'),
    error: throttled('error'),
    /** Writes the counts that were not yet written, and stops. */
    end() {
      clearInterval(timer);
      flush();
    },
  };
}
