import { marketDay, newestOpenedSession, startOfMarketDay } from '#domain/calendar/sessions.ts';

/** The exchange's clock at an instant (epoch ms), for the table reads. */
export const marketClockAt = (now: number) => ({ now, marketDay, startOfMarketDay, newestOpenedSession });
