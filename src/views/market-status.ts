import type { MarketHoursView } from './model.ts';

/**
 * The trading status at `now` (epoch milliseconds) as text; null after the known sessions. Needs no calendar, which keeps
 * the page's script small.
 */
export function marketStatus(hours: MarketHoursView, now: number): string | null {
  const session = hours.sessions.find(({ closesAt }) => now < closesAt);
  if (session === undefined) return null;
  return now >= session.opensAt
    ? `Market open, closes at ${session.closesText} New York time`
    : `Market closed, opens ${session.opensText} New York time`;
}
