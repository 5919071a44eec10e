import { useEffect, useId, useRef } from 'react';
import type { DashboardView } from '#views/dashboard-view.ts';
import type { DemoView } from '#views/sources-view.ts';
import { OriginsLink } from '../panels/origins/origins.tsx';
import { About } from '../ui/about.tsx';
import { utcText } from '../ui/clock-text.ts';
import { Countdown, MarketStatus, Time, UNKNOWN_TIME } from '../ui/clocks.tsx';
import { Icon } from '../ui/icons.tsx';
import { ThemeSwitch } from '../ui/theme-switch.tsx';
import { REFRESH_INTERVAL } from './dashboard-state.ts';

interface HeaderProps {
  productName: string;
  ageNote?: string | undefined;
  view: DashboardView | null;
  loadedAt: number | null;
  nextRefreshAt: number | null;
  refreshing: boolean;
  hasServerPages: boolean;
  onRefresh: () => void;
  onSubscribe: () => void;
}

export function Header(props: HeaderProps) {
  const { view, loadedAt } = props;
  const age = view?.age ?? null;
  const failed = view === null && !props.refreshing;
  return (
    <header className="header">
      <div className="header-title">
        <div>
          <h1>{`${props.productName} Dashboard`}</h1>
          <p className="quiet">Real-time market analysis and insights</p>
        </div>
        {props.hasServerPages && (
          <nav className="header-pages" aria-label="Documents">
            <a href="record">Record</a> <a href="on">Past days</a> <a href="method">Method</a>
          </nav>
        )}
      </div>
      <div className="header-tools">
        <ThemeSwitch />
        <RefreshButton refreshing={props.refreshing} onRefresh={props.onRefresh} />
      </div>
      <div className="header-chips">
        {view?.demo && <DemoChip demo={view.demo} />}
        {view?.demo === null && view.sources !== null && (
          <OriginsLink className="chip chip-button">Sources</OriginsLink>
        )}
        {view !== null && age === null && <span className="chip">No data</span>}
        {failed && <span className="chip">The data could not be loaded</span>}
      </div>
      <button type="button" className="button button-primary header-subscribe" onClick={props.onSubscribe}>
        Get the Weekly Signal
      </button>
      <div className="header-clocks quiet">
        <p>
          {age === null
            ? view !== null && 'No data yet'
            : `As of ${age.asOf.text}${props.ageNote ? `. ${props.ageNote}` : ''}`}
        </p>
        <p className="header-market">{view !== null && <MarketStatus hours={view.hours} />}</p>
        {/* A new element does not count as a layout shift. */}
        <p
          key={failed ? 'failed' : 'loaded'}
          className={failed ? 'header-updated header-failed' : 'header-updated'}
        >
          {!failed && (
            <>
              Last updated{' '}
              {/* A clock renders at once. During the hydration, that would be in the same task as the whole page. */}
              {loadedAt === null || props.nextRefreshAt === null ? UNKNOWN_TIME : <Time at={loadedAt} />}
            </>
          )}
          {loadedAt !== null && <noscript>{utcText(loadedAt)}</noscript>}
          <span className="needs-script">
            {failed ? 'Next refresh ' : ' your time · Next refresh '}
            <Countdown until={props.nextRefreshAt} most={REFRESH_INTERVAL} />
          </span>
          <About of="age" name="Age of the data" />
        </p>
      </div>
    </header>
  );
}

function RefreshButton({ refreshing, onRefresh }: { refreshing: boolean; onRefresh: () => void }) {
  const button = useRef<HTMLButtonElement>(null);
  const focused = useRef(false);

  // A disabled button loses the focus. Returns it after a refresh by keyboard.
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
      <Icon name="refresh" className={refreshing ? 'turning' : undefined} />
    </button>
  );
}

/** States that the numbers are demonstration data. Its popover names their source. */
export function DemoChip({ demo }: { demo: DemoView }) {
  const id = useId();
  return (
    <>
      <button type="button" className="chip chip-notice chip-button" popoverTarget={id}>
        {demo.text}
      </button>
      <p id={id} className="about-note" popover="auto">
        {demo.title}
      </p>
    </>
  );
}
