import { Fragment } from 'react';
import type { SignalView } from '#views/model.ts';

const TOP = 14;
const THICK = 12;

/** The score on 0–100, cut into the verdicts' zones; a whisker spans what missing inputs leave open. */
export function SignalScale({ view }: { view: SignalView }) {
  const { score, range, zones } = view;
  return (
    <svg className="signal-scale" width="100%" height="52" role="img" aria-label={describe(view)}>
      {zones.map(({ verdict, from, to }) => (
        <Fragment key={verdict}>
          <rect
            className={`zone zone-${verdict.toLowerCase()}`}
            data-active={verdict === view.verdict}
            x={`${from}%`}
            width={`${to - from}%`}
            y={TOP}
            height={THICK}
          />
          <text x={`${(from + to) / 2}%`} y={TOP + THICK + 20} textAnchor="middle">
            {verdict}
          </text>
          {from > 0 && (
            <>
              <line className="zone-cut" x1={`${from}%`} x2={`${from}%`} y1={TOP} y2={TOP + THICK} />
              <text x={`${from}%`} y={TOP + THICK + 20} textAnchor="middle">
                {from}
              </text>
            </>
          )}
        </Fragment>
      ))}
      {range !== null && (
        <g className="whisker">
          <line x1={`${range.low}%`} x2={`${range.high}%`} y1={TOP + THICK / 2} y2={TOP + THICK / 2} />
          <line x1={`${range.low}%`} x2={`${range.low}%`} y1={TOP - 2} y2={TOP + THICK + 2} />
          <line x1={`${range.high}%`} x2={`${range.high}%`} y1={TOP - 2} y2={TOP + THICK + 2} />
        </g>
      )}
      {score.value !== null && (
        <line
          className="score-mark"
          x1={`${score.value}%`}
          x2={`${score.value}%`}
          y1={TOP - 9}
          y2={TOP + THICK + 5}
        />
      )}
    </svg>
  );
}

function describe({ score, range, verdict, zones }: SignalView): string {
  const cuts = zones.map((zone) => `${zone.verdict} ${zone.from} to ${zone.to}`).join(', ');
  const place = score.value === null ? verdict : `Score ${score.text} of 100: ${verdict}`;
  return `${place}. ${range === null ? '' : `${range.text} `}Scale: ${cuts}.`;
}
