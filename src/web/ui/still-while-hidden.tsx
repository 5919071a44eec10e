import { memo, type ReactNode, useSyncExternalStore } from 'react';

interface StillWhileHiddenProps {
  hidden: boolean;
  children: ReactNode;
}

/**
 * Renders its children again only while they are visible. Hidden children keep their last rendering through refreshes
 * until they are shown or printed. The first rendering includes them, because a page without a script needs them.
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

/**
 * True if two sets of props are deeply equal, for `memo`. A refresh reads everything again, and a panel whose model
 * came out equal must not render again. Props are plain data or the same object.
 */
export function sameProps<Props extends object>(before: Props, after: Props): boolean {
  const keys = Object.keys(after) as (keyof Props)[];
  return keys.every(
    (key) => Object.is(before[key], after[key]) || JSON.stringify(before[key]) === JSON.stringify(after[key]),
  );
}
