import type { ReactNode } from 'react';

/** The disclosure's id in the page. */
export const ORIGINS_ID = 'origins';

function open(): void {
  const disclosure = document.getElementById(ORIGINS_ID);
  if (disclosure instanceof HTMLDetailsElement) disclosure.open = true;
}

/** A link that opens the origins of the numbers. */
export function OriginsLink({ className, children }: { className?: string; children: ReactNode }) {
  return (
    <a className={className} href={`#${ORIGINS_ID}`} onClick={open}>
      {children}
    </a>
  );
}
