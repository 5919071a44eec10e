import './advanced-content.css';
import { useEffect, useState } from 'react';
import type { AdvancedView, BreadthView } from '#views/advanced-view.ts';
import { indicatorRail } from '#views/indicator-rail.ts';
import { NOT_MEASURED } from '#views/page-texts.ts';
import { About } from '../../ui/about.tsx';
import { Bar } from '../../ui/bar.tsx';
import { useEntrance } from '../../ui/first-view.ts';
import { Older, Status, WithUnit } from '../../ui/status.tsx';
import { FigureHistory, type LoadFigure } from '../history/figure-history.tsx';

/** In this file, which the page fetches anyway, because a file of its own would cost a request. */
export { FigureHistory };

interface AdvancedContentProps {
  view: AdvancedView;
  load?: LoadFigure;
}

/** The parts of the panel. A browser fetches this code after the first paint and until then shows the markup. */
export function AdvancedContent({ view: { indicators, sectors, breadth }, load }: AdvancedContentProps) {
  return (
    <>
      {indicators !== null && <Indicators view={indicators} load={load} />}
      {sectors !== null && <Sectors view={sectors} load={load} />}
      {breadth !== null && <Breadth view={breadth} />}
    </>
  );
}

type IndicatorsView = NonNullable<AdvancedView['indicators']>;

/** The value on a scale with the bands of its word; decorative. Not in the markup, because each byte slows the first visit. */
function ThresholdRail({ item }: { item: IndicatorsView['items'][number] }) {
  const [isRunning, setRunning] = useState(false);
  useEffect(() => setRunning(true), []);
  const rail = isRunning ? indicatorRail(item.key, item.value) : null;
  return (
    rail && (
      <dd className="threshold-rail">
        <svg className="rail" width="100%" height="14" aria-hidden="true">
          {rail.bands.map(({ from, to, tone }) => (
            <rect key={from} data-tone={tone} x={`${from}%`} width={`${to - from}%`} y="5" height="4" />
          ))}
          <circle className="rail-mark" data-tone={item.tone} cx={`${rail.at}%`} cy="7" r="5.5" />
        </svg>
      </dd>
    )
  );
}

/** One tile per indicator. Indicators that count stocks name the counted set. */
function Indicators({ view, load }: { view: IndicatorsView; load: LoadFigure | undefined }) {
  return (
    <section aria-labelledby="indicators-title">
      <h3 id="indicators-title">Advanced Indicators</h3>
      <Older asOf={view.asOf} />
      <dl className="indicator-tiles">
        {view.items.map((item) => (
          <div key={item.key} className="tile">
            <dt className="row spread quiet small">
              <span>
                {item.name}
                <About of={item.key} name={item.name} />
                {load && <FigureHistory of={item.key} name={item.name} load={load} />}
              </span>
              {item.universe !== null && <span>{item.universe}</span>}
            </dt>
            <dd className="row spread">
              <span className="tile-value">
                <WithUnit text={item.text} />
              </span>
              <span className="small">
                {item.tone === null ? (
                  <span className="quiet">{item.label ?? item.missingText}</span>
                ) : (
                  <Status status={item.tone}>{item.label}</Status>
                )}
              </span>
            </dd>
            <ThresholdRail item={item} />
          </div>
        ))}
      </dl>
    </section>
  );
}

const TONES = { advancing: 'positive', unchanged: 'neutral', declining: 'negative' } as const;

function Breadth({ view }: { view: BreadthView }) {
  const [ref, entrance] = useEntrance<HTMLElement>();
  const { ratio } = view;
  return (
    <section ref={ref} aria-labelledby="breadth-title" data-entrance={entrance}>
      <div className="panel-head">
        <h3 id="breadth-title">Market Breadth</h3>
        <About of="breadth" name="Market Breadth" />
        {view.universe !== null && <span className="quiet small">{view.universe}</span>}
      </div>
      <Older asOf={view.asOf} />
      <p className="row breadth-ratio">
        <span className="quiet">
          Advance/decline ratio
          <About of="advanceDecline" name="Advance/decline ratio" />
        </span>{' '}
        <strong className="toned" data-tone={ratio.tone}>
          {ratio.text}
        </strong>{' '}
        {ratio.tone === null ? (
          <span className="quiet">{ratio.label}</span>
        ) : (
          <Status status={ratio.tone}>{ratio.label}</Status>
        )}
      </p>
      <ThreePartBar parts={view.parts} />
      <dl className="row spread breadth-counts">
        {view.parts.map(({ key, name, count, shareText }) => (
          <div key={key}>
            <dt className="quiet small">
              <Status status={TONES[key]}>{name}</Status>
            </dt>
            <dd>
              <span className="tile-value">{count.text}</span> <span className="quiet">{shareText}</span>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function ThreePartBar({ parts }: Pick<BreadthView, 'parts'>) {
  let end = 0;
  return (
    <svg className="bar breadth-bar" width="100%" height="14" aria-hidden="true">
      <rect className="bar-ground" width="100%" height="14" rx="3" />
      {parts.map(({ key, share }) => {
        const start = end;
        end += share;
        return (
          <rect
            key={key}
            className="bar-part"
            data-tone={TONES[key]}
            x={`${start}%`}
            width={`${share}%`}
            height="14"
          />
        );
      })}
    </svg>
  );
}

type SectorsView = NonNullable<AdvancedView['sectors']>;

function Sectors({ view, load }: { view: SectorsView; load: LoadFigure | undefined }) {
  const [ref, entrance] = useEntrance<HTMLUListElement>();
  return (
    <section aria-labelledby="sectors-title">
      <div className="panel-head">
        <h3 id="sectors-title">Sector Strength</h3>
        <About of="sectors" name="Sector Strength" />
      </div>
      <Older asOf={view.asOf} />
      {view.absentText !== null && <p className="quiet small">{view.absentText}</p>}
      <ul ref={ref} className="sector-rows" data-entrance={entrance}>
        {view.items.map(({ name, value, text, label, tone }) => (
          <li key={name} className="bar-row sector-row">
            <span>
              {name}
              {load && <FigureHistory of={{ sector: name }} name={name} load={load} />}
            </span>
            <Bar value={value} tone={tone ?? 'neutral'} />
            <span className="bar-row-value">
              <WithUnit text={value === null ? text : `${text}%`} />
            </span>
            <span className="bar-row-word toned" data-tone={tone}>
              {label ?? NOT_MEASURED}
            </span>
            <span className="bar-row-last quiet">{value === null ? text : `${text} / 100`}</span>
          </li>
        ))}
      </ul>
    </section>
  );
}
