import { timeOfDay } from './clock-text.ts';
import { Age, TimeOfDay } from './clocks.tsx';
import type { Failure } from './dashboard-state.ts';

interface RefreshNoticeProps {
  failure: Failure | null;
  loadedAt: number;
  /** Whether this data came by a refresh; the first load is not announced as an update. */
  refreshed: boolean;
  now: () => number;
}

/** Says that a refresh failed and how old the data on the page is; announces one that succeeded. */
export function RefreshNotice({ failure, loadedAt, refreshed, now }: RefreshNoticeProps) {
  return (
    <>
      <p className="visually-hidden" role="status">
        {failure === null && refreshed && `Updated ${timeOfDay(loadedAt)}`}
      </p>
      {failure !== null && (
        <p className="refresh-failure" role="alert">
          Refresh failed at <TimeOfDay at={failure.at} now={now} />. Showing the data of{' '}
          <TimeOfDay at={loadedAt} now={now} />, <Age since={loadedAt} now={now} /> old. Reason:{' '}
          {failure.message}
        </p>
      )}
    </>
  );
}
