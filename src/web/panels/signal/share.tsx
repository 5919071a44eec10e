import { lazy, Suspense, useCallback, useId, useRef, useState } from 'react';
import { LoadBoundary } from '../../ui/load-boundary.tsx';

const ShareMenu = lazy(async () => ({ default: (await import('./share-menu.tsx')).ShareMenu }));

/** A button that opens the menu for sharing the page. The code of the menu is fetched on first use. */
export function Share() {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const [open, setOpen] = useState(false);
  const close = useCallback(() => setOpen(false), []);
  return (
    <div className="share">
      <button
        ref={button}
        type="button"
        className="button"
        // With a target the browser closes the open menu at the next press.
        popoverTarget={open ? id : undefined}
        onClick={() => setOpen(true)}
      >
        Share
      </button>
      {open && (
        <LoadBoundary className="small">
          <Suspense>
            <ShareMenu id={id} button={button} onClose={close} />
          </Suspense>
        </LoadBoundary>
      )}
    </div>
  );
}
