import { useEffect, useRef } from 'react';
import type { DemoView } from '#views/model.ts';
import { RefreshIcon } from '../ui/icons.tsx';
import { ThemeSwitch } from '../ui/theme-switch.tsx';
import { Countdown, TimeOfDay, UNKNOWN_TIME } from './clocks.tsx';

interface HeaderProps {
  productName: string;
  /** What the numbers describe, 'As of Fri 13 Nov 2026, close'; null before there are any. */
  asOf: string | null;
  demo: DemoView | null;
  /** How far the numbers are behind, or null. */
  stale: string | null;
  loadedAt: number | null;
  nextRefreshAt: number | null;
  refreshing: boolean;
  now: () => number;
  onRefresh: () => void;
  onSubscribe: () => void;
}

/** The product's name, the age and origin of the numbers, and the two actions of the page. */
export function Header(props: HeaderProps) {
  const { loadedAt, now } = props;
  return (
    <header className="header">
      <div className="header-title">
        <h1>{props.productName} Dashboard</h1>
        <p className="quiet">Real-time market analysis and insights</p>
      </div>
      <div className="header-chips">
        {props.demo !== null && (
          <span className="chip chip-notice" title={props.demo.title}>
            {props.demo.text}
          </span>
        )}
        {props.stale !== null && <span className="chip chip-notice">{props.stale}</span>}
      </div>
      <div className="header-clocks quiet">
        <p>
          Last updated {loadedAt === null ? UNKNOWN_TIME : <TimeOfDay at={loadedAt} now={now} />} · Next
          refresh <Countdown until={props.nextRefreshAt} now={now} />
        </p>
        <p className="header-as-of">{props.asOf}</p>
      </div>
      <div className="header-tools">
        <ThemeSwitch />
        <RefreshButton refreshing={props.refreshing} onRefresh={props.onRefresh} />
      </div>
      <button type="button" className="button button-primary header-subscribe" onClick={props.onSubscribe}>
        Get the Weekly Signal
      </button>
    </header>
  );
}

function RefreshButton({ refreshing, onRefresh }: { refreshing: boolean; onRefresh: () => void }) {
  const button = useRef<HTMLButtonElement>(null);
  const focused = useRef(false);

  // A button that is disabled loses the focus; give it back to somebody who refreshed by keyboard.
  useEffect(() => {
    if (refreshing || !focused.current) return;
    focused.current = false;
    if (document.activeElement === document.body) button.current?.focus();
  }, [refreshing]);

  return (
    <button
      ref={button}
      type="button"
      className="button button-icon"
      aria-label="Refresh"
      title="Refresh"
      disabled={refreshing}
      onClick={() => {
        focused.current = true;
        onRefresh();
      }}
    >
      <RefreshIcon className={refreshing ? 'turning' : ''} />
    </button>
  );
}
