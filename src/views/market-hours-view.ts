import {
  marketDay,
  marketState,
  newestOpenedSession,
  nextSession,
  sessionClose,
  sessionOpen,
  startOfMarketDay,
} from '#domain/calendar/sessions.ts';
import { writeClock, writeDayWithoutYear } from './day.ts';
import type { MarketHoursView } from './model.ts';

/** Enough for a page that stays open or offline for a week. */
const SESSIONS = 5;

/**
 * The next sessions of the exchange, so that the page can compute the state of the market without the
 * calendar.
 */
export function marketHoursView(now: number): MarketHoursView {
  const { nextClose } = marketState(now);
  const sessions: MarketHoursView['sessions'][number][] = [];
  for (let session = marketDay(nextClose); sessions.length < SESSIONS; session = nextSession(session)) {
    const opensAt = sessionOpen(session);
    const closesAt = sessionClose(session);
    sessions.push({
      opensAt,
      closesAt,
      opensText: `${writeDayWithoutYear(session)} at ${writeClock(opensAt)}`,
      closesText: writeClock(closesAt),
    });
  }
  return { sessions };
}

/** The exchange's clock at an instant (epoch ms), for the table reads. */
export const marketClockAt = (now: number) => ({ now, marketDay, startOfMarketDay, newestOpenedSession });
