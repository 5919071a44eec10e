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

/** Enough for a page that stays open or offline for a week. */
const SESSIONS = 5;

/** The next sessions, with the current one, from which the page computes the state of the market without the calendar. */
export function marketHoursView(now: number) {
  const first = marketDay(marketState(now).nextClose);
  const sessions = Array.from({ length: SESSIONS }, (_, at) => {
    const session = nextSession(first, at);
    const [opensAt, closesAt] = [sessionOpen(session), sessionClose(session)];
    const opensText = `${writeDayWithoutYear(session)}, ${writeClock(opensAt)}`;
    return { opensAt, closesAt, opensText, closesText: writeClock(closesAt) };
  });
  return { sessions };
}
export type MarketHoursView = ReturnType<typeof marketHoursView>;

/** The exchange's clock at an instant (epoch ms), for the table reads. */
export const marketClockAt = (now: number) => ({ now, marketDay, startOfMarketDay, newestOpenedSession });
