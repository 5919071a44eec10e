import { type RefObject, type ToggleEvent, useCallback, useEffect, useState } from 'react';
import { placeBeside } from './place-beside.ts';

/** State and handlers of a popover that stays beside `anchor`, also when the window changes its size. */
export function useBeside(note: RefObject<HTMLElement | null>, anchor: RefObject<HTMLElement | null>) {
  const [open, setOpen] = useState(false);
  const place = useCallback(() => {
    if (note.current !== null && anchor.current !== null) placeBeside(note.current, anchor.current);
  }, [note, anchor]);

  useEffect(() => {
    if (!open) return;
    window.addEventListener('resize', place);
    return () => window.removeEventListener('resize', place);
  }, [open, place]);

  const handlers = {
    onBeforeToggle: ({ newState }: ToggleEvent) => {
      if (newState === 'open') place();
    },
    onToggle: ({ newState }: ToggleEvent) => setOpen(newState === 'open'),
  };
  return { open, handlers };
}
