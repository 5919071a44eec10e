import {
  marketDay,
  nextSession,
  previousSession,
  sessionClose,
  sessionOpen,
} from '#domain/calendar/sessions.ts';

/** How the last runs went, epoch ms; null when there was none. */
export interface RunsSoFar {
  succeededAt: number | null;
  /** The newest failure after the last success. */
  failedAt: number | null;
}

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
/** A first look once trading has settled, and the closing run once the close is out. */
const AFTER_OPEN = 30 * MINUTE;
const AFTER_CLOSE = 10 * MINUTE;
const RETRY = 10 * MINUTE;

/**
 * When the next run is due (epoch ms, never before `now`): hourly while the exchange is open, once after its
 * close, at once when one of these has passed since the last success, and ten minutes after a failure.
 */
export function nextRun(now: number, { succeededAt, failedAt }: RunsSoFar): number {
  const due = succeededAt === null ? now : dueAfter(succeededAt);
  const retry = failedAt === null ? now : failedAt + RETRY;
  return Math.max(now, due, retry);
}

function dueAfter(instant: number): number {
  let session = previousSession(marketDay(instant));
  while (true) {
    const due = dueInstants(session).find((candidate) => candidate > instant);
    if (due !== undefined) return due;
    session = nextSession(session);
  }
}

function dueInstants(session: string): number[] {
  const close = sessionClose(session);
  const instants: number[] = [];
  for (let at = sessionOpen(session) + AFTER_OPEN; at < close; at += HOUR) instants.push(at);
  return [...instants, close + AFTER_CLOSE];
}
