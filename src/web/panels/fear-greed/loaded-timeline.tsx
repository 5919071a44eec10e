import { useContext, useEffect, useRef, useState } from 'react';
import { NOT_LOADED } from '../../ui/load-boundary.tsx';
import { ReadAt } from '../../ui/read-at.ts';
import type { History, LoadHistory } from './history.ts';

type Code = typeof import('./timeline.tsx');

const importTimeline = (): Promise<Code | null> => import('./timeline.tsx').catch(() => null);

/** Fetches the timeline's code, for when it is opened. */
export function fetchTimeline(): void {
  void importTimeline();
}

const LOADING = (
  <p className="quiet" role="status">
    Loading the timeline…
  </p>
);

type Read = { history: History; code: Code | null } | { failure: string } | null;

/**
 * Fetches the timeline's code and its rows at once. The old rows stay until those of a refresh are there. Does not use
 * `lazy`: React delays content that replaces a `Suspense` fallback by 300 ms.
 */
export function LoadedTimeline({ load }: { load: LoadHistory }) {
  const readAt = useContext(ReadAt);
  const [read, setRead] = useState<Read>(null);
  const [attempt, setAttempt] = useState(0);
  const place = useRef<HTMLDivElement>(null);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt and newer rows read again
  useEffect(() => {
    let wanted = true;
    Promise.all([load(), importTimeline()]).then(
      ([history, code]) => wanted && setRead({ history, code }),
      (error: unknown) =>
        wanted && setRead({ failure: error instanceof Error ? error.message : String(error) }),
    );
    return () => {
      wanted = false;
    };
  }, [load, readAt, attempt]);

  function retry() {
    // The button disappears, so a keyboard user needs another place for the focus.
    place.current?.focus({ preventScroll: true });
    setRead(null);
    setAttempt(attempt + 1);
  }

  return (
    <div ref={place} tabIndex={-1}>
      {read === null && LOADING}
      {read !== null && 'failure' in read && (
        <div role="alert">
          <p className="quiet">The timeline could not be read: {read.failure}</p>
          <button type="button" className="button" onClick={retry}>
            Retry
          </button>
        </div>
      )}
      {read !== null &&
        'history' in read &&
        (read.code === null ? NOT_LOADED : <read.code.Timeline history={read.history} />)}
    </div>
  );
}
