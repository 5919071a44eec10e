import type { BreadthView } from '#views/model.ts';
import { About } from '../../ui/about.tsx';
import { Older } from '../../ui/older.tsx';
import { Status } from '../../ui/status.tsx';
import { useEntrance } from '../../ui/use-entrance.ts';

const TONES = { advancing: 'positive', unchanged: 'neutral', declining: 'negative' } as const;

/** Numbers of advancing and declining stocks: the ratio, one bar in three parts, and the counts. */
export function Breadth({ view }: { view: BreadthView }) {
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
      <p className="breadth-ratio">
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
      <dl className="breadth-counts">
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
