import { useCallback, useLayoutEffect, useState } from 'react';
import type { DataAgeView, MarketHoursView } from '#views/model.ts';
import { marketStatus, staleText } from '#views/page-texts.ts';
import { ageText, agoText, countdownText, dayAndTime, utcText, whenText } from './clock-text.ts';

/** Reserves the space of a time that is not known yet, so that nothing moves later. */
export const UNKNOWN_TIME = <span className="clock-unknown">00:00</span>;

interface ClockProps {
  now: () => number;
}

interface CountdownProps extends ClockProps {
  until: number | null;
  most: number;
}

/** The minutes and seconds until `until`. Only this part of the page renders every second. */
export function Countdown({ until, most, now }: CountdownProps) {
  const read = useCallback(
    (time: number) => (until === null ? null : countdownText(Math.min(until - time, most))),
    [until, most],
  );
  return useClock(now, read, { origin: until ?? 0 }) ?? UNKNOWN_TIME;
}

export function Age({ since, now }: ClockProps & { since: number }) {
  const read = useCallback((time: number) => ageText(time - since), [since]);
  return useClock(now, read, { origin: since });
}

interface TimeProps extends ClockProps {
  at: number;
  /** True to show the day even if it is today. */
  withDay?: boolean;
}

export function Time({ at, withDay = false, now }: TimeProps) {
  const read = useCallback((time: number) => (withDay ? dayAndTime(at) : whenText(at, time)), [at, withDay]);
  const text = useClock(now, read);
  return (
    // Its title is also printed, because a reader of the paper does not know the visitor's time zone.
    <time dateTime={new Date(at).toISOString()} title={text === null ? undefined : utcText(at)}>
      {text ?? UNKNOWN_TIME}
    </time>
  );
}

interface MarkupClockProps extends ClockProps {
  /** Time of the page's reads (epoch ms), for which the markup has the text, so that it is there without a script. */
  readAt: number | null;
}

/** The amber chip that counts the sessions since the data; nothing while the data are current. */
export function StaleChip({ age, readAt, now }: MarkupClockProps & { age: DataAgeView }) {
  const read = useCallback((time: number) => staleText(age, time), [age]);
  const text = useClock(now, read, { markupTime: readAt });
  return text !== null && <span className="chip chip-notice">{text}</span>;
}

/** The time since an instant: '7 min ago'. */
export function Ago({ since, readAt, now }: MarkupClockProps & { since: number }) {
  const read = useCallback((time: number) => agoText(time - since), [since]);
  return useClock(now, read, { origin: since, markupTime: readAt });
}

/** The state of the exchange (open or closed), and the time of its next change. */
export function MarketStatus({ hours, readAt, now }: MarkupClockProps & { hours: MarketHoursView }) {
  const read = useCallback((time: number) => marketStatus(hours, time), [hours]);
  return useClock(now, read, { markupTime: readAt });
}

const TICK = 1000;

interface ClockOptions {
  /** The instant from which whole seconds are counted, epoch milliseconds. */
  origin?: number;
  /** The time shown in the markup. The server and the hydrating browser must pass the same one. */
  markupTime?: number | null;
}

/**
 * Returns the text that `read` gives for the current time. Calls `read` every second, counted from `origin`, while the
 * tab is visible, and when it becomes visible again; renders only if the text changed. In the markup and until the
 * first effect the text is that of `markupTime`, or null without one, because a server does not know the visitor's
 * clock. A layout effect updates it before the browser's first paint. `read` must be a stable function.
 */
export function useClock(
  now: () => number,
  read: (time: number) => string | null,
  { origin = 0, markupTime = null }: ClockOptions = {},
): string | null {
  const [shown, setShown] = useState(() => (markupTime === null ? null : read(markupTime)));

  useLayoutEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const tick = () => {
      clearTimeout(timer);
      const time = now();
      setShown(read(time));
      if (document.visibilityState === 'hidden') return;
      const past = (((time - origin) % TICK) + TICK) % TICK;
      timer = setTimeout(tick, TICK - past);
    };
    tick();
    document.addEventListener('visibilitychange', tick);
    return () => {
      clearTimeout(timer);
      document.removeEventListener('visibilitychange', tick);
    };
  }, [now, read, origin]);

  return shown;
}
