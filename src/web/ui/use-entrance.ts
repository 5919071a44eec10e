import { type RefObject, useEffect, useState } from 'react';
import { prefersReducedMotion } from './motion.ts';
import { useFirstView } from './use-first-view.ts';

/** undefined: as in the markup · start: bars at 0 · done: bars grow, or have grown */
export type Entrance = 'start' | 'done' | undefined;

const PAUSE_BEFORE_GROWTH = 100;

/**
 * Plays the entrance of what `ref` holds once, when it first comes into view: 'start', and 'done' 100 ms
 * later. Until then, without script and with reduced motion it looks as it will in the end.
 */
export function useEntrance<E extends Element>(): [RefObject<E | null>, Entrance] {
  const [ref, seen] = useFirstView<E>();
  const [entrance, setEntrance] = useState<Entrance>();

  useEffect(() => {
    if (!seen || prefersReducedMotion()) return;
    setEntrance('start');
    const timer = setTimeout(() => setEntrance('done'), PAUSE_BEFORE_GROWTH);
    return () => clearTimeout(timer);
  }, [seen]);

  return [ref, entrance];
}
