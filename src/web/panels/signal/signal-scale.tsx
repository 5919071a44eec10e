import { Fragment } from 'react';
import type { SignalView } from '#views/model.ts';
import { SIGNAL_ZONES } from '#views/zones.ts';

/** Distances (pixels) from the top: the verdicts' names, the edges of the bar, and the numbers below it. */
const WORDS = 11;
const TOP = 22;
const THICK = 12;
const BOTTOM = TOP + THICK;
const NUMBERS = BOTTOM + 22;
const END = 100;

/** The score on a scale of 0–100 with the verdicts' zones. A whisker shows the range due to missing inputs. */
export function SignalScale({ view }: { view: SignalView }) {
  const { score, range } = view;
  return (
    <svg className="signal-scale" width="100%" height={NUMBERS + 4} role="img" aria-label={view.scaleText}>
      {SIGNAL_ZONES.map(({ verdict, from, to }) => (
        <g
          key={verdict}
          className="zone"
          data-tone={`verdict-${verdict.toLowerCase()}`}
          data-active={verdict === view.verdict || undefined}
        >
          <rect x={`${from}%`} width={`${to - from}%`} y={TOP} height={THICK} rx="3" />
          <text className="zone-word" x={`${(from + to) / 2}%`} y={WORDS}>
            {verdict}
          </text>
        </g>
      ))}
      {SIGNAL_ZONES.map(({ from }) => (
        <Fragment key={from}>
          {from > 0 && <line className="zone-cut" x1={`${from}%`} x2={`${from}%`} y1={TOP} y2={BOTTOM} />}
          <text className={from > 0 ? undefined : 'scale-start'} x={`${from}%`} y={NUMBERS}>
            {from}
          </text>
        </Fragment>
      ))}
      <text className="scale-end" x={`${END}%`} y={NUMBERS}>
        {END}
      </text>
      {range !== null && (
        <g className="whisker">
          <line x1={`${range.low}%`} x2={`${range.high}%`} y1={TOP + THICK / 2} y2={TOP + THICK / 2} />
          <line x1={`${range.low}%`} x2={`${range.low}%`} y1={TOP - 2} y2={BOTTOM + 2} />
          <line x1={`${range.high}%`} x2={`${range.high}%`} y1={TOP - 2} y2={BOTTOM + 2} />
        </g>
      )}
      {score.value !== null && (
        <g className="score-mark">
          <line x1={`${score.value}%`} x2={`${score.value}%`} y1={TOP - 4} y2={BOTTOM + 4} />
          <line x1={`${score.value}%`} x2={`${score.value}%`} y1={TOP - 4} y2={BOTTOM + 4} />
        </g>
      )}
    </svg>
  );
}
