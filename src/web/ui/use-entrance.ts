import { type RefObject, useEffect, useState } from 'react';
import { prefersReducedMotion } from './motion.ts';
import { useFirstView } from './use-first-view.ts';

/** undefined: as in the markup · start: bars at 0 · done: bars grow, or have grown */
export type Entrance = 'start' | 'done' | undefined;

const PAUSE_BEFORE_GROWTH = 100;

/**
 * Plays the entrance of the element of `ref` when it first comes into view: the state is 'start', and 100 ms later
 * 'done'. Before that, without a script and with reduced motion, the element has its final appearance.
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
