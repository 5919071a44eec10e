import './sticky-line.css';
import { useEffect, useState } from 'react';
import type { DashboardView } from '#views/dashboard-view.ts';
import { Ago } from '../ui/clocks.tsx';

interface StickyLineProps {
  view: DashboardView;
  readAt: number;
  now: () => number;
}

/** Verdict, Fear & Greed and age at the top of the window, once the verdict has left it. Hidden from screen readers. */
export function StickyLine({ view, readAt, now }: StickyLineProps) {
  const { signal, fearGreed } = view;
  const isBelow = useIsBelow('.verdict-line');
  if (!isBelow || signal.asOf === null) return null;
  return (
    <p className="sticky-line" aria-hidden="true">
      {view.demo !== null && 'Demo: '}
      <strong className="toned" data-tone={signal.verdict}>
        {signal.verdict}
      </strong>
      {signal.score.value !== null && ` ${signal.score.text}`}
      {fearGreed?.asOf.session === signal.asOf.session &&
        ` · ${fearGreed.current.label} ${fearGreed.current.text}`}
      {' · '}
      <Ago since={signal.asOf.instant} readAt={readAt} now={now} />
    </p>
  );
}

/** True while the window shows a part of the page below the element of this selector. */
function useIsBelow(selector: string): boolean {
  const [isBelow, setIsBelow] = useState(false);
  useEffect(() => {
    const element = document.querySelector(selector);
    if (element === null) return;
    const observer = new IntersectionObserver(([entry]) => {
      if (entry) setIsBelow(!entry.isIntersecting && entry.boundingClientRect.top < 0);
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [selector]);
  return isBelow;
}
