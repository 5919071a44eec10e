import { lazy, memo, Suspense, useCallback, useContext, useId, useRef, useState } from 'react';
import type { SignalView } from '#views/model.ts';
import { About } from '../../ui/about.tsx';
import { useEntrance } from '../../ui/first-view.ts';
import { LoadBoundary } from '../../ui/load-boundary.tsx';
import { HasServerPages, ServerLink } from '../../ui/page-context.tsx';
import { sameProps } from '../../ui/still-while-hidden.tsx';
import { Breakdown } from './breakdown.tsx';
import { SignalScale } from './signal-scale.tsx';

interface SignalPanelProps {
  view: SignalView;
  /** The line about the record of the weekly signal, which links to it; without this line there is no link. */
  record?: string | null | undefined;
}

/** The verdict, its reasons, and the distance to the next verdict. */
export const SignalPanel = memo(function SignalPanel({ view, record }: SignalPanelProps) {
  const [ref, entrance] = useEntrance<HTMLElement>();
  const decided = view.score.value !== null;
  // Badge and embedded card come from the server. The page of a past day has no script.
  const isServed = useContext(HasServerPages);

  return (
    <section ref={ref} className="card signal" aria-labelledby="signal-title" data-entrance={entrance}>
      <div className="signal-verdict">
        <div className="panel-head quiet">
          <h2 id="signal-title">Market Signal</h2>
          <About of="signal" name="Market Signal" />
          {view.asOf !== null && <span>{`as of ${view.asOf.text}`}</span>}
          {isServed && <Share />}
        </div>
        <p className="verdict-line">
          <strong
            className="verdict toned"
            data-tone={decided ? `verdict-${view.verdict.toLowerCase()}` : undefined}
          >
            {view.verdict}
          </strong>
          {decided && (
            <span className="verdict-score">
              {`${view.score.text} `}
              <span className="quiet">of 100</span>
            </span>
          )}
        </p>
        <p className="headline">{view.headline}</p>
        <SignalScale view={view} />
        {view.range !== null && <p className="quiet small">{view.range.text}</p>}
        {(view.next !== null || view.sinceLastWeek !== null) && (
          <div className="signal-tiles">
            {view.next !== null && (
              <div className="tile">
                <h3 className="quiet small">
                  <ServerLink to="method#flip">{view.next.title}</ServerLink>
                </h3>
                <p>{view.next.text}</p>
              </div>
            )}
            {view.sinceLastWeek !== null && <SinceLastWeek view={view.sinceLastWeek} />}
          </div>
        )}
      </div>
      <div className="signal-reasons">
        <div className="panel-head">
          <h3>Signal Breakdown</h3>
          <About of="breakdown" name="Signal Breakdown" />
        </div>
        <Breakdown view={view} />
        <p className="quiet small">
          {`${view.measuredText} ${view.disclaimer} `}
          {record && <a href="record">{record}</a>}
        </p>
      </div>
    </section>
  );
}, sameProps);

function SinceLastWeek({ view }: { view: NonNullable<SignalView['sinceLastWeek']> }) {
  return (
    <div className="tile">
      <h3 className="quiet small">
        {`${view.title} `}
        <span className="since-date">
          <ServerLink to={`on/${view.session}`}>{view.dateText}</ServerLink>
        </span>
      </h3>
      <p>
        <strong className="toned" data-tone={view.tone}>
          {view.change.text}
        </strong>{' '}
        {view.text}
      </p>
    </div>
  );
}

const ShareMenu = lazy(async () => ({ default: (await import('./share-menu.tsx')).ShareMenu }));

/** A button that opens the menu for sharing the page. The code of the menu is fetched on first use. */
export function Share() {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const [open, setOpen] = useState(false);
  const close = useCallback(() => setOpen(false), []);
  return (
    <div className="share">
      <button
        ref={button}
        type="button"
        className="button"
        // With a target the browser closes the open menu at the next press.
        popoverTarget={open ? id : undefined}
        onClick={() => setOpen(true)}
      >
        Share
      </button>
      {open && (
        <LoadBoundary className="small">
          <Suspense>
            <ShareMenu id={id} button={button} onClose={close} />
          </Suspense>
        </LoadBoundary>
      )}
    </div>
  );
}
