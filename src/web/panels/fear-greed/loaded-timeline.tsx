import { lazy, Suspense, useContext, useEffect, useRef, useState } from 'react';
import { LoadBoundary } from '../../ui/load-boundary.tsx';
import { type History, type LoadHistory, ReadAt } from './history.ts';

const importTimeline = () => import('./timeline.tsx');
const Timeline = lazy(async () => ({ default: (await importTimeline()).Timeline }));

const LOADING = (
  <p className="quiet" role="status">
    Loading the timeline…
  </p>
);

type Read = { history: History } | { failure: string } | null;

/** Fetches the timeline's code and its rows at once; what stands stays until the rows of a refresh are there. */
export function LoadedTimeline({ load }: { load: LoadHistory }) {
  const readAt = useContext(ReadAt);
  const [read, setRead] = useState<Read>(null);
  const [attempt, setAttempt] = useState(0);
  const place = useRef<HTMLDivElement>(null);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt and newer rows read again
  useEffect(() => {
    let wanted = true;
    // Said by the boundary below, where it fails.
    importTimeline().catch(() => {});
    load().then(
      (history) => wanted && setRead({ history }),
      (error: unknown) =>
        wanted && setRead({ failure: error instanceof Error ? error.message : String(error) }),
    );
    return () => {
      wanted = false;
    };
  }, [load, readAt, attempt]);

  function retry() {
    // The button goes; whoever pressed it by keyboard goes on from here.
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
      {read !== null && 'history' in read && (
        <LoadBoundary>
          <Suspense fallback={LOADING}>
            <Timeline history={read.history} />
          </Suspense>
        </LoadBoundary>
      )}
    </div>
  );
}
