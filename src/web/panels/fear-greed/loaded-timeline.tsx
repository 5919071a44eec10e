import { useCallback, useContext } from 'react';
import type { DashboardRows } from '#views/dashboard-view.ts';
import type { SessionComponents } from '#views/sparkline-view.ts';
import { NOT_LOADED } from '../../ui/load-boundary.tsx';
import { ReadAt } from '../../ui/page-context.tsx';
import { ReadPart, useRead } from '../../ui/use-read.tsx';

type Code = typeof import('./timeline.tsx');

const importTimeline = (): Promise<Code | null> => import('./timeline.tsx').catch(() => null);

/** Fetches the timeline's code, for when it is opened. */
export function fetchTimeline(): void {
  void importTimeline();
}

/**
 * Fetches the timeline's code and its rows at once. The old rows stay until those of a refresh are there. Does not use
 * `lazy`: React delays content that replaces a `Suspense` fallback by 300 ms.
 */
export function LoadedTimeline({ load }: { load: LoadHistory }) {
  const loadBoth = useCallback(() => Promise.all([load(), importTimeline()]), [load]);
  const read = useRead(loadBoth, useContext(ReadAt));
  return (
    <ReadPart read={read} subject="The timeline">
      {([history, code]) => (code === null ? NOT_LOADED : <code.Timeline history={history} />)}
    </ReadPart>
  );
}

/** The Fear & Greed readings of the last 365 days, ascending. */
export type History = DashboardRows['fearGreed']['timeline'];

/** Reads the timeline. Throws an error whose message is for visitors. */
export type LoadHistory = () => Promise<History>;

/** Reads the components of the sessions of the last 365 days, ascending. Throws an error whose message is for visitors. */
export type LoadComponents = () => Promise<readonly SessionComponents[]>;
