import { lazy, memo, type ReactNode, useContext, useId, useState } from 'react';
import type { DataAgeView } from '#views/data-age-view.ts';
import type { SignalView } from '#views/signal-view.ts';
import type { TrailView } from '#views/trail-view.ts';
import { About } from '../../ui/about.tsx';
import { Ago, StaleChip } from '../../ui/clocks.tsx';
import { useEntrance } from '../../ui/first-view.ts';
import { LoadBoundary } from '../../ui/load-part.tsx';
import { HasServerPages, ServerLink, sameProps } from '../../ui/page-context.tsx';
import { Breakdown } from './breakdown.tsx';
import { SignalTrail } from './signal-trail.tsx';

interface SignalPanelProps {
  view: SignalView;
  /** The line about the record of the weekly signal, which links to it; without this line there is no link. */
  record?: string | null | undefined;
  risk?: string | null | undefined;
  trail?: TrailView | null | undefined;
  scale?: ReactNode;
  /** The age of the newest data. The page of a past day has none. */
  age?: DataAgeView | null;
}

export const SignalPanel = memo(function SignalPanel(props: SignalPanelProps) {
  const { view, scale, age = null } = props;
  // Without rows, nothing says whether the earlier ones were invented.
  const { record, risk, trail } = view.asOf === null ? {} : props;
  const [ref, entrance] = useEntrance<HTMLElement>();
  const decided = view.score.value !== null;
  // Badge and embedded card come from the server. The page of a past day has no script.
  const isServed = useContext(HasServerPages);
  const change = view.sinceLastWeek;
  const details = [
    change && `${change.title}: ${change.text}.`,
    view.omittedText,
    trail?.stabilityText,
  ].filter((text) => text != null);

  return (
    <section ref={ref} className="card signal" aria-labelledby="signal-title" data-entrance={entrance}>
      <div className="signal-verdict">
        <div className="panel-head quiet">
          <h2 id="signal-title">Market Signal</h2>
          {view.asOf !== null && (
            <span>
              {`as of ${view.asOf.text}`}
              {age && (
                <strong>
                  {' · '}
                  <Ago since={view.asOf.instant} />
                </strong>
              )}
            </span>
          )}
          {isServed && <Share />}
        </div>
        <p className="row verdict-line">
          <strong className="verdict toned" data-tone={decided ? view.verdict : undefined}>
            {view.verdict}
          </strong>
          <span className="verdict-score">
            {decided && `${view.score.text} `}
            <span className="quiet">
              {decided && 'of 100'}
              <About of="signal" name="Market Signal" />
            </span>
          </span>
          {change !== null && <Change view={change} now={view.verdict} note={view.changeNote} />}
          {view.range !== null && <small className="chip chip-notice">{view.range.chipText}</small>}
          {age && <StaleChip age={age} />}
        </p>
        <p className="headline">{view.headline}</p>
        {scale ?? (view.asOf !== null && <SignalTrail view={view} trail={trail} />)}
        <p className="row spread distances quiet">
          {trail && <span>{trail.text}</span>}
          {view.distances.map(({ verdict, direction, edgeText, text }) => (
            <span key={verdict}>
              {`${direction === 'up' ? '▴' : '▾'} ${verdict} at ${edgeText}: `}
              <strong>{text}</strong>
            </span>
          ))}
        </p>
        <ul className="signal-notes quiet">
          {view.range !== null && <li>{view.range.text}</li>}
          {view.next !== null && (
            <li>
              <ServerLink to="method#flip">{view.next.title}</ServerLink>
              {`: ${view.next.text}`}
            </li>
          )}
          {risk && (
            <li>
              <ServerLink to="risk">{risk}</ServerLink>
            </li>
          )}
        </ul>
      </div>
      <div className="signal-reasons">
        <div className="panel-head">
          <h3>Signal Breakdown</h3>
          <About of="breakdown" name="Signal Breakdown" />
        </div>
        <Breakdown view={view} />
        {details.length > 0 && (
          <details className="quiet">
            <summary>Change and stability</summary>
            <ul>
              {details.map((text) => (
                <li key={text}>{text}</li>
              ))}
            </ul>
          </details>
        )}
        <p className="quiet small">
          {`${view.measuredText} ${view.disclaimer} `}
          {record && <a href="record">{record}</a>}
        </p>
      </div>
    </section>
  );
}, sameProps);

interface ChangeProps {
  view: NonNullable<SignalView['sinceLastWeek']>;
  now: SignalView['verdict'];
  note: string;
}

/** The change of the score since last week. Says if the verdict or the measured inputs were others. */
function Change({ view, now, note }: ChangeProps) {
  return (
    <span className="since-date quiet">
      <strong className="toned" data-tone={view.tone}>
        {view.change.text}
      </strong>
      {' since '}
      <ServerLink to={`on/${view.session}`}>{view.dateText.slice(0, -YEAR)}</ServerLink>
      {view.verdict !== now && `, was ${view.verdict}`}
      {note}
    </span>
  );
}

/** Length of the year at the end of a date: ' 2026'. */
const YEAR = 5;

const ShareMenu = lazy(async () => ({ default: (await import('./share-menu.tsx')).ShareMenu }));

/** A button that opens the menu for sharing the page. The code of the menu is fetched on first use. */
export function Share() {
  const id = useId();
  const [button, setButton] = useState<HTMLButtonElement | null>(null);
  return (
    <div className="share">
      <button
        type="button"
        className="button"
        // With a target the browser closes the open menu at the next press.
        popoverTarget={button ? id : undefined}
        onClick={(event) => {
          // React opens the menu before the browser acts on the click, which would then close it.
          if (button === null) event.preventDefault();
          setButton(event.currentTarget);
        }}
      >
        Share
      </button>
      {button && (
        <LoadBoundary className="small">
          <ShareMenu id={id} button={button} onClose={() => setButton(null)} />
        </LoadBoundary>
      )}
    </div>
  );
}
