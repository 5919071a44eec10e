import { type RefObject, useEffect } from 'react';
import { placeBeside } from './place-beside.ts';

/** Keeps an open note beside what it belongs to when the window changes its size. */
export function useBeside(
  note: RefObject<HTMLElement | null>,
  anchor: RefObject<HTMLElement | null>,
  open: boolean,
): void {
  useEffect(() => {
    if (!open) return;
    const place = () => {
      if (note.current !== null && anchor.current !== null) placeBeside(note.current, anchor.current);
    };
    window.addEventListener('resize', place);
    return () => window.removeEventListener('resize', place);
  }, [note, anchor, open]);
}
