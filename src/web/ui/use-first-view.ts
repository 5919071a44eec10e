import { type RefObject, useEffect, useRef, useState } from 'react';

/**
 * Whether the element of `ref` has been in view yet; false in the markup, and stays true once it is. `margin` is how
 * far outside the window counts as in view, as CSS length.
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
