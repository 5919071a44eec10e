import { createContext, useCallback, useContext, useLayoutEffect, useState } from 'react';
import type { DataAgeView } from '#views/data-age-view.ts';
import type { MarketHoursView } from '#views/market-hours-view.ts';
import { marketStatus, staleText } from '#views/page-texts.ts';
import { ageText, agoText, countdownText, dayAndTime, utcText, whenText } from './clock-text.ts';

/** Reserves the space of a time that is not known yet, so that nothing moves later. */
export const UNKNOWN_TIME = <span className="clock-unknown">00:00</span>;

interface PageClock {
  now: () => number;
  /** Time of the reads (epoch ms) that the server rendered, for which the markup has texts; null without such markup. */
  readAt: number | null;
}

/** The clock of the page. The page of a past day has none. */
export const PageClock = createContext<PageClock>({ now: () => 0, readAt: null });

export function Countdown({ until, most }: { until: number | null; most: number }) {
  const read = useCallback(
    (time: number) => (until === null ? null : countdownText(Math.min(until - time, most))),
    [until, most],
  );
  return useClock(read) ?? UNKNOWN_TIME;
}

export function Age({ since }: { since: number }) {
  const read = useCallback((time: number) => ageText(time - since), [since]);
  return useClock(read);
}

interface TimeProps {
  at: number;
  /** True to show the day even if it is today. */
  withDay?: boolean;
}

export function Time({ at, withDay = false }: TimeProps) {
  const read = useCallback((time: number) => (withDay ? dayAndTime(at) : whenText(at, time)), [at, withDay]);
  const text = useClock(read);
  return (
    // Its title is also printed, because a reader of the paper does not know the visitor's time zone.
    <time dateTime={new Date(at).toISOString()} title={text === null ? undefined : utcText(at)}>
      {text ?? UNKNOWN_TIME}
    </time>
  );
}

/** The amber chip that counts the sessions since the data; nothing while the data are current. */
export function StaleChip({ age }: { age: DataAgeView }) {
  const read = useCallback((time: number) => staleText(age, time), [age]);
  const text = useMarkupClock(read);
  return text !== null && <span className="chip chip-notice">{text}</span>;
}

export function Ago({ since }: { since: number }) {
  const read = useCallback((time: number) => agoText(time - since), [since]);
  return useMarkupClock(read);
}

export function MarketStatus({ hours }: { hours: MarketHoursView }) {
  const read = useCallback((time: number) => marketStatus(hours, time), [hours]);
  return useMarkupClock(read);
}

const TICK = 1000;

/**
 * Returns the text that `read`, a stable function, gives for the current time. Calls `read` every second while the tab is
 * visible, and when it becomes visible again; renders only if the text changed. In the markup and until the first effect
 * the text is that of `markupTime`, equal on the server and in the hydrating browser, or null, because a server does not
 * know the visitor's clock. A layout effect updates it before the browser's first paint.
 */
function useClock(read: (time: number) => string | null, markupTime: number | null = null): string | null {
  const { now } = useContext(PageClock);
  const [shown, setShown] = useState(() => (markupTime === null ? null : read(markupTime)));

  useLayoutEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const tick = () => {
      clearTimeout(timer);
      const time = now();
      setShown(read(time));
      if (document.visibilityState === 'hidden') return;
      timer = setTimeout(tick, TICK - (time % TICK));
    };
    tick();
    document.addEventListener('visibilitychange', tick);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', tick);
    };
  }, [now, read]);

  return shown;
}

/** The same with a text in the markup, so that it is there without a script. */
export const useMarkupClock = (read: (time: number) => string | null) =>
  useClock(read, useContext(PageClock).readAt);
