import { useState } from 'react';
import { timeOfDay, utcText } from './clock-text.ts';
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

const NOT_ANSWERING = 'The database is not answering.';

/**
 * Says that the server's database is unavailable, and since when the numbers on the page are not known to be current.
 */
export function StaleNotice({ at, now }: { at: number; now: () => number }) {
  return (
    <p className="card chip-notice">
      {NOT_ANSWERING} These numbers are from <Time at={at} now={now} />
      <noscript>{utcText(at)}</noscript>.
    </p>
  );
}

/** How a refresh came out, for those who hear the page: once, and not again while an age in it grows. */
function announcement({ failure, loaded, refreshing, refreshed }: LoadedState): string | null {
  if (refreshing) return null;
  if (failure !== null) return failure.offline ? 'Offline.' : `Refresh failed. ${failure.message}`;
  if (!refreshed) return null;
  if (loaded.isStale) return `${NOT_ANSWERING} These numbers are from ${timeOfDay(loaded.at)}.`;
  return `Updated ${timeOfDay(loaded.at)}`;
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
        <div className="card chip-notice notice">
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
