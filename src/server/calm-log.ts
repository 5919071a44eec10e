import type { Log, LogFields } from './log.ts';

const SECOND = 1_000;

/** A log that may still have to say how often something came. */
export interface CalmLog extends Log {
  end(): void;
}

interface Repeated {
  times: number;
  readonly tell: (times: number) => void;
  readonly timer: NodeJS.Timeout;
}

/**
 * A log for what comes with requests: of warnings and errors that are the same failure, whatever it befell, one line a
 * second at most, which says how many `times` it came since the line before. `every` calls until stopped.
 */
export function calmLog(log: Log, periodMs = SECOND): CalmLog {
  const repeated = new Map<string, Repeated>();

  const flush = (kind: string, of: Repeated): void => {
    if (of.times === 0) {
      clearInterval(of.timer);
      repeated.delete(kind);
    } else of.tell(of.times);
    of.times = 0;
  };

  const calm =
    (level: 'warn' | 'error') =>
    (event: string, fields: LogFields = {}): void => {
      const kind = [level, event, fields.code, fields.reason].join(' ');
      const before = repeated.get(kind);
      if (before !== undefined) {
        before.times += 1;
        return;
      }
      log[level](event, fields);
      const timer = setInterval(() => flush(kind, of), periodMs).unref();
      const of: Repeated = { times: 0, tell: (times) => log[level](event, { ...fields, times }), timer };
      repeated.set(kind, of);
    };

  return {
    info: log.info,
    warn: calm('warn'),
    error: calm('error'),
    end() {
      for (const [kind, of] of repeated) {
        flush(kind, of);
        clearInterval(of.timer);
      }
      repeated.clear();
    },
  };
}
