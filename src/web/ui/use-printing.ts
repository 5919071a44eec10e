import { useSyncExternalStore } from 'react';

/** Whether the page is being put on paper, to which a style sheet may bring what is folded away. */
export const usePrinting = (): boolean => useSyncExternalStore(subscribe, isPrinting, () => false);

const isPrinting = () => matchMedia('print').matches;

function subscribe(listener: () => void): () => void {
  const media = matchMedia('print');
  media.addEventListener('change', listener);
  return () => media.removeEventListener('change', listener);
}
