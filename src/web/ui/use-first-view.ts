import { type RefObject, useEffect, useRef, useState } from 'react';

interface FirstViewOptions {
  /** How far outside the window counts as in view, as CSS length; '0px' when not given. */
  margin?: string;
}

/** Whether the element of `ref` has been in view yet; false in the markup, and stays true once it is. */
export function useFirstView<E extends Element>(options?: FirstViewOptions): [RefObject<E | null>, boolean] {
  const ref = useRef<E>(null);
  const [seen, setSeen] = useState(false);
  const margin = options?.margin ?? '0px';

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
