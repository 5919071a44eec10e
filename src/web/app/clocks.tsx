import { ageText, countdownText, timeOfDay } from './clock-text.ts';
import { REFRESH_INTERVAL } from './dashboard-state.ts';
import { useClock } from './use-clock.ts';

/** Keeps the room of a time that is not known yet, so that nothing moves when it is. */
export const UNKNOWN_TIME = <span className="clock-unknown">00:00</span>;

interface ClockProps {
  now: () => number;
}

/** Minutes and seconds to `until`; the only part of the page that renders every second. */
export function Countdown({ until, now }: ClockProps & { until: number | null }) {
  const time = useClock(now, 1000, until ?? 0);
  if (time === null || until === null) return UNKNOWN_TIME;
  return countdownText(Math.min(until - time, REFRESH_INTERVAL));
}

/** How long ago `since` was, in words. */
export function Age({ since, now }: ClockProps & { since: number }) {
  const time = useClock(now, 60_000, since);
  return time === null ? '' : ageText(time - since);
}

/** The time of day of `at` by the visitor's clock. */
export function TimeOfDay({ at, now }: ClockProps & { at: number }) {
  const time = useClock(now, 3_600_000, at);
  return <time dateTime={new Date(at).toISOString()}>{time === null ? UNKNOWN_TIME : timeOfDay(at)}</time>;
}
