import './sticky-line.css';
import { useEffect, useState } from 'react';
import type { DashboardView } from '#views/dashboard-view.ts';
import { Ago } from '../ui/clocks.tsx';

/** Verdict, Fear & Greed and age at the top of the window, once the verdict has left it. Hidden from screen readers. */
export function StickyLine({ view: { demo, signal, fearGreed } }: { view: DashboardView }) {
  const isBelow = useIsBelow('.verdict-line');
  if (!isBelow || signal.asOf === null) return null;
  return (
    <p className="sticky-line" aria-hidden="true">
      {demo !== null && 'Demo: '}
      <strong className="toned" data-tone={signal.verdict}>
        {signal.verdict}
      </strong>
      {signal.score.value !== null && ` ${signal.score.text}`}
      {fearGreed?.asOf.session === signal.asOf.session &&
        ` · ${fearGreed.current.label} ${fearGreed.current.text}`}
      {' · '}
      <Ago since={signal.asOf.instant} />
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
