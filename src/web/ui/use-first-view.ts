import { type RefObject, useEffect, useRef, useState } from 'react';

/**
 * True once the element of `ref` has been in view; false in the markup. `margin` extends the window on all sides, as a
 * CSS length.
 */
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
