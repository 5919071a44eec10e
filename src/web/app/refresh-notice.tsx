import { useState } from 'react';
import { timeOfDay } from './clock-text.ts';
import { Age, Time } from './clocks.tsx';
import type { DashboardState } from './dashboard-state.ts';
import { DismissButton } from './dismiss-button.tsx';

type LoadedState = Extract<DashboardState, { phase: 'loaded' }>;

interface RefreshNoticeProps {
  state: LoadedState;
  now: () => number;
  /** The notice is gone, and the button that had the focus with it. */
  onDismiss: () => void;
}

/** How a refresh came out, for those who hear the page: once, and not again while an age in it grows. */
function announcement({ failure, loaded, refreshing, refreshed }: LoadedState): string | null {
  if (refreshing) return null;
  if (failure !== null) return failure.offline ? 'Offline.' : `Refresh failed. ${failure.message}`;
  return refreshed ? `Updated ${timeOfDay(loaded.at)}` : null;
}

/** Says that a refresh failed and how old the data on the page is; announces one that succeeded. */
export function RefreshNotice({ state, now, onDismiss }: RefreshNoticeProps) {
  const [dismissed, setDismissed] = useState<number | null>(null);
  const { failure, loaded } = state;
  return (
    <>
      <p className="visually-hidden" role="status">
        {announcement(state)}
      </p>
      {failure !== null && failure.at !== dismissed && (
        <div className="notice">
          <p>
            {failure.offline ? (
              'Offline.'
            ) : (
              <>
                Refresh failed at <Time at={failure.at} now={now} />.
              </>
            )}{' '}
            Showing what was read on <Time at={loaded.at} withDay now={now} />,{' '}
            <Age since={loaded.at} now={now} /> ago.
            {!failure.offline && ` Reason: ${failure.message}`}
          </p>
          <DismissButton
            onDismiss={() => {
              setDismissed(failure.at);
              onDismiss();
            }}
          />
        </div>
      )}
    </>
  );
}
