import { type RefObject, useEffect, useState } from 'react';
import { saysLoaded } from './embed.ts';

const PATIENCE = 20_000;

/**
 * Whether the widget in `frame` has kept silent for 20 s since `waiting` began. A blocked frame fires `load`
 * like any other, so only the widget's own message counts; one that comes late still ends the silence.
 */
export function useSilence(
  frame: RefObject<HTMLIFrameElement | null>,
  waiting: boolean,
  attempt: number,
): boolean {
  const [silentAttempt, setSilentAttempt] = useState<number | null>(null);

  useEffect(() => {
    if (!waiting) return;
    const timer = setTimeout(() => setSilentAttempt(attempt), PATIENCE);
    const listen = (event: MessageEvent) => {
      if (event.source !== frame.current?.contentWindow || !saysLoaded(event.origin, event.data)) return;
      clearTimeout(timer);
      setSilentAttempt(null);
    };
    window.addEventListener('message', listen);
    return () => {
      clearTimeout(timer);
      window.removeEventListener('message', listen);
    };
  }, [frame, waiting, attempt]);

  return silentAttempt === attempt;
}
