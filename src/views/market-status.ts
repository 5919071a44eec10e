import type { MarketHoursView } from './model.ts';

/**
 * Whether the exchange trades at `now` (epoch milliseconds), in words; null past the hours known. Knows no
 * calendar, so that what shows it every minute stays small.
 */
export function marketStatus(hours: MarketHoursView, now: number): string | null {
  const session = hours.sessions.find(({ closesAt }) => now < closesAt);
  if (session === undefined) return null;
  return now >= session.opensAt
    ? `Market open, closes at ${session.closesText} New York time`
    : `Market closed, opens ${session.opensText} New York time`;
}
