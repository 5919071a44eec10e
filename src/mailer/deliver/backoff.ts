const MINUTE_MS = 60_000;
const LONGEST_MS = 120 * MINUTE_MS;
const PATIENCE_MS = 24 * 60 * MINUTE_MS;
/** So long before a mail is given up it is tried a last time. */
const LAST_TRY_MS = 5 * MINUTE_MS;

/**
 * When a mail that failed at `now` is tried again, and when it is given up (epoch ms); null when that is now.
 * `tries` counts the failed one. Waits of 1, 2, 4, … minutes, at most 2 hours, for a day from the first failure on;
 * `giveUpAt` is the row's, which before the first try says until when a mail may begin at all.
 */
export function nextTry({
  tries,
  now,
  giveUpAt,
}: {
  tries: number;
  now: number;
  giveUpAt: number;
}): { dueAt: number; giveUpAt: number } | null {
  const until = tries <= 1 ? now + PATIENCE_MS : giveUpAt;
  const wait = Math.min(MINUTE_MS * 2 ** Math.min(tries - 1, 10), LONGEST_MS);
  const dueAt = Math.min(now + wait, until - LAST_TRY_MS);
  return dueAt > now ? { dueAt, giveUpAt: until } : null;
}
