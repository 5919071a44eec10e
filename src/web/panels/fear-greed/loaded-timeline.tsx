import type { DashboardRows } from '#views/dashboard-view.ts';
import type { SessionComponents } from '#views/timeline-view.ts';
import { ReadDrawing } from '../../ui/load-part.tsx';

const importTimeline = () => import('./timeline.tsx').catch(() => null);

export function fetchTimeline(): void {
  void importTimeline();
}

/** The old rows stay until those of a refresh are there. */
export function LoadedTimeline({ load }: { load: LoadHistory }) {
  return (
    <ReadDrawing load={load} importCode={importTimeline} subject="The timeline">
      {(history, { Timeline }) => <Timeline history={history} />}
    </ReadDrawing>
  );
}

/** The Fear & Greed readings of the last 365 days, ascending. */
export type History = DashboardRows['fearGreed']['timeline'];

export type LoadHistory = () => Promise<History>;

export type LoadComponents = () => Promise<readonly SessionComponents[]>;
