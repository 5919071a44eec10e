import { memo, type ReactNode, useSyncExternalStore } from 'react';

interface StillWhileHiddenProps {
  hidden: boolean;
  children: ReactNode;
}

/**
 * Renders what it holds anew only while that is seen: hidden, it stays as it was last rendered, whatever a refresh
 * brings, until it is shown or printed. It is there from the beginning, as a page without script has to have it.
 */
export function StillWhileHidden({ hidden, children }: StillWhileHiddenProps) {
  const printing = usePrinting();
  return <Kept still={hidden && !printing}>{children}</Kept>;
}

const Kept = memo(
  ({ children }: { still: boolean; children: ReactNode }) => children,
  (_, { still }) => still,
);

/** True while the page is being printed: a style sheet may then show folded content. */
const usePrinting = (): boolean => useSyncExternalStore(subscribe, isPrinting, () => false);

const isPrinting = () => matchMedia('print').matches;

function subscribe(listener: () => void): () => void {
  const media = matchMedia('print');
  media.addEventListener('change', listener);
  return () => media.removeEventListener('change', listener);
}
