import { type RefObject, useEffect, useRef, useState } from 'react';

/** True once the element of `ref` has been in view. `margin`, a CSS length, extends the window on all sides. */
export function useFirstView<E extends Element>(margin = '0px'): [RefObject<E | null>, boolean] {
  const ref = useRef<E>(null);
  const [seen, setSeen] = useState(false);

  useEffect(() => {
    const element = ref.current;
    if (element === null) return;
    const observer = new IntersectionObserver(
      (entries) => {
        if (!entries.some((entry) => entry.isIntersecting)) return;
        observer.disconnect();
        setSeen(true);
      },
      { rootMargin: margin },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [margin]);

  return [ref, seen];
}

const PAUSE_BEFORE_GROWTH = 100;

/** Plays an entrance on first view: 'start' for 100 ms. Never without script and with reduced motion. */
export function useEntrance<E extends Element>(): [RefObject<E | null>, 'start' | undefined, seen: boolean] {
  const [ref, seen] = useFirstView<E>();
  const [entrance, setEntrance] = useState<'start'>();

  useEffect(() => {
    if (!seen || prefersReducedMotion()) return;
    setEntrance('start');
    const timer = setTimeout(() => setEntrance(undefined), PAUSE_BEFORE_GROWTH);
    return () => clearTimeout(timer);
  }, [seen]);

  return [ref, entrance, seen];
}

/** True if the visitor prefers reduced motion. Call it only in effects: there is no window while rendering. */
export function prefersReducedMotion(): boolean {
  return matchMedia('(prefers-reduced-motion: reduce)').matches;
}
