import type { ComponentType } from 'react';
import type { FearGreedView } from '#views/fear-greed-view.ts';
import { UNKNOWN } from '#views/number.ts';
import { NOT_MEASURED } from '#views/page-texts.ts';
import { About } from '../../ui/about.tsx';
import { Bar } from '../../ui/bar.tsx';
import { useEntrance, useFirstView } from '../../ui/first-view.ts';
import { LoadBoundary, useCode } from '../../ui/load-part.tsx';
import { ServerLink } from '../../ui/page-context.tsx';
import type { LoadComponents } from './loaded-timeline.tsx';

export interface GaugeProps {
  view: FearGreedView;
  /** True if a newer session has closed than that of the reading. */
  isStale?: boolean;
}

/** Decorative, because a word says the same. */
const ARROWS = { positive: '▴', negative: '▾', neutral: '' } as const;

/** The gauge: at once on the server, and code of its own in a browser, which shows the markup until it is there. */
export type GaugeOf = ComponentType<GaugeProps>;

interface OverviewProps extends GaugeProps {
  Gauge: GaugeOf;
  load?: LoadComponents;
}

export function Overview({ view, isStale = false, Gauge, load }: OverviewProps) {
  const [list, entrance] = useEntrance<HTMLUListElement>();
  const [ref, near] = useFirstView<HTMLDivElement>('400px');
  const sparklines = useCode(near, () => import('./sparkline.tsx'));
  return (
    <div ref={ref} className="fear-greed-overview">
      <LoadBoundary
        // The size of the gauge. An import of it would bring the code of the gauge.
        fallback={<svg className="gauge" viewBox="0 0 400 224" aria-hidden="true" />}
      >
        <Gauge view={view} isStale={isStale} />
      </LoadBoundary>
      <ul ref={list} data-entrance={entrance} aria-label="Components of the index">
        {view.components.map((component) => {
          const { key, name, value, text, label, zone, direction, older } = component;
          const tone = zone === null ? 'neutral' : `zone-${zone}`;
          return (
            <li key={key} className="bar-row component-row">
              <span>
                {name}
                {older && '*'}
                <About of={key} name={name} />
              </span>
              {sparklines && load && <sparklines.Sparkline component={component} load={load} />}
              <Bar value={value} tone={tone} />
              <span className="bar-row-value">{text}</span>
              <span className="bar-row-word toned" data-tone={tone}>
                {label ?? NOT_MEASURED}
              </span>
              <span className="bar-row-last component-move quiet">
                {direction === null ? (
                  UNKNOWN
                ) : (
                  <>
                    <span className="toned" data-tone={direction.tone} aria-hidden="true">
                      {ARROWS[direction.tone]}
                    </span>
                    {` ${direction.change.text}`}
                    <span className="visually-hidden">{`(${direction.word})`}</span>
                  </>
                )}
              </span>
            </li>
          );
        })}
      </ul>
      {view.earlier.length > 0 && (
        <dl className="tiles fear-greed-earlier">
          {view.earlier.map((reading) => (
            <div key={reading.key} className="tile">
              <dt className="row spread fear-greed-when quiet small">
                <span>{reading.name}</span>{' '}
                <span className="fear-greed-date">
                  <ServerLink to={`on/${reading.session}`}>{reading.dateText}</ServerLink>
                </span>
              </dt>
              <dd>
                <span className="tile-value">{reading.text}</span>{' '}
                <span className="toned" data-tone={`zone-${reading.zone}`}>
                  {reading.label}
                </span>
              </dd>
            </div>
          ))}
        </dl>
      )}
    </div>
  );
}
