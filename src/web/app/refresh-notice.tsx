import { timeOfDay } from './clock-text.ts';
import { Age, TimeOfDay } from './clocks.tsx';
import type { DashboardState } from './dashboard-state.ts';
import type { Rows } from './dependencies.ts';

interface RefreshNoticeProps {
  state: Extract<DashboardState<Rows>, { phase: 'loaded' }>;
  now: () => number;
}

/** Says that a refresh failed and how old the data on the page is; announces one that succeeded. */
export function RefreshNotice({ state, now }: RefreshNoticeProps) {
  const { failure, loaded, refreshed } = state;
  return (
    <>
      <p className="visually-hidden" role="status">
        {failure === null && refreshed && `Updated ${timeOfDay(loaded.at)}`}
      </p>
      {failure !== null && (
        <p className="notice" role="alert">
          Refresh failed at <TimeOfDay at={failure.at} now={now} />. Showing what was read at{' '}
          <TimeOfDay at={loaded.at} now={now} />, <Age since={loaded.at} now={now} /> ago. Reason:{' '}
          {failure.message}
        </p>
      )}
    </>
  );
}
