import { useState } from 'react';
import { FAILED_TO_FETCH } from '#queries/failed-to-fetch.ts';
import { timeOfDay, utcText } from '../ui/clock-text.ts';
import { Age, Time } from '../ui/clocks.tsx';
import { Icon } from '../ui/icons.tsx';
import type { DashboardState } from './dashboard-state.ts';

type LoadedState = Extract<DashboardState, { phase: 'loaded' }>;

interface RefreshNoticeProps {
  state: LoadedState;
  onRetry: () => void;
  /** Called after the notice and its focused button were removed. */
  onDismiss: () => void;
}

const NOT_RESPONDING = 'The database is not responding.';

/** Shows that the server's database is unavailable, and when the data were last known to be current. */
export function StaleNotice({ at }: { at: number }) {
  return (
    <p className="card chip-notice">
      {NOT_RESPONDING} Showing what was read on <Time at={at} withDay />
      <span className="needs-script"> your time</span>
      <noscript>{utcText(at)}</noscript>.
    </p>
  );
}

/** The reason of a failed refresh after a word; empty if the message says no more than that it failed. */
const reasonOf = (message: string, word: string) => (message === FAILED_TO_FETCH ? '' : `${word} ${message}`);

/** The result of a refresh for screen readers. It has no age, which would be announced again and again. */
function announcement({ failure, loaded, refreshing, refreshed }: LoadedState): string | null {
  if (refreshing) return null;
  if (failure !== null)
    return failure.offline ? 'Offline.' : `Refresh failed.${reasonOf(failure.message, '')}`;
  if (!refreshed) return null;
  if (loaded.isStale) return `${NOT_RESPONDING} Showing what was read at ${timeOfDay(loaded.at)}.`;
  return `Updated ${timeOfDay(loaded.at)}`;
}

/** Shows that a refresh failed, the age of the data, and a button to try again. Announces a successful refresh. */
export function RefreshNotice({ state, onRetry, onDismiss }: RefreshNoticeProps) {
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
                Refresh failed at <Time at={failure.at} />.
              </>
            )}{' '}
            Showing what was read on <Time at={loaded.at} withDay /> your time, <Age since={loaded.at} /> ago.
            {!failure.offline && reasonOf(failure.message, ' Reason:')}
          </p>
          <button type="button" className="button" disabled={state.refreshing} onClick={onRetry}>
            Retry
          </button>
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

export function DismissButton({ onDismiss }: { onDismiss: () => void }) {
  return (
    <button type="button" className="button button-icon" aria-label="Dismiss" onClick={onDismiss}>
      <Icon name="close" />
    </button>
  );
}
