import type { Log, LogFields } from './log.ts';

const PERIOD_MS = 1_000;

export interface ThrottledLog extends Log {
  /** Writes the outstanding counts and stops. */
  end(): void;
}

/**
 * A log for failures of requests. Writes the first warning or error of a kind (event, code and reason) at once, then per
 * second one line that says how many `times` it occurred.
 */
export function throttledLog(log: Log): ThrottledLog {
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
    end() {
      clearInterval(timer);
      flush();
    },
  };
}
