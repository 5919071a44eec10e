/* Texts that the page computes itself. They import no calendar and no number formatting, which keeps its first script small. */

import type { DataAgeView } from './data-age-view.ts';
import type { MarketHoursView } from './market-hours-view.ts';

/** Number of sessions, at least, that the numbers are behind at `now` (epoch ms); null without data. */
export function sessionsBehindAt(age: DataAgeView | null, now: number): number | null {
  if (age === null) return null;
  return age.sessionsBehind + age.overdueAt.filter((instant) => instant <= now).length;
}

/** More sessions behind are stale for other sites. One is allowed, because the run after a close may be late. */
const MOST_BEHIND = 1;

export const isStale = (sessionsBehind: number | null): boolean =>
  sessionsBehind !== null && sessionsBehind > MOST_BEHIND;

/** '1 session behind', '2 sessions behind'. */
export const behindText = (sessions: number) =>
  `${sessions} ${sessions === 1 ? 'session' : 'sessions'} behind`;

/** The age of the numbers at `now` (epoch ms): '2 sessions behind'; null if they are current. */
export function staleText(age: DataAgeView, now: number): string | null {
  const behind = sessionsBehindAt(age, now) ?? 0;
  if (behind === 0) return null;
  // After the last known instant more sessions may have closed.
  return (age.overdueAt.at(-1) ?? now + 1) <= now ? `At least ${behindText(behind)}` : behindText(behind);
}

/** The trading status at `now` (epoch ms); null after the known sessions. */
export function marketStatus(hours: MarketHoursView, now: number): string | null {
  const session = hours.sessions.find(({ closesAt }) => now < closesAt);
  if (session === undefined) return null;
  return now >= session.opensAt
    ? `Market open, closes at ${session.closesText} New York time`
    : `Market closed until ${session.opensText} New York time`;
}

/** Size of the card that other sites embed (px). */
export const EMBED_SIZE = { width: 360, height: 260 } as const;

export const NOT_MEASURED = 'Not measured';
