import type { SignalView } from '#views/signal-view.ts';
import type { TrailView } from '#views/trail-view.ts';
import { SIGNAL_ZONES } from '#views/zones.ts';

/** The least part of the scale that is drawn. */
const LOW = 20;
const HIGH = 82;
const END = 100;

/** The score at the end of the line of the last weeks, in the bands of the verdicts. A bracket shows its range. */
export function SignalTrail({ view, trail }: { view: SignalView; trail: TrailView | null | undefined }) {
  const { range, verdict } = view;
  const score = view.score.value;
  const drawn = [trail?.low, trail?.high, score, range?.low, range?.high].filter((value) => value != null);
  const top = Math.min(END, Math.max(HIGH, ...drawn) + 2);
  const bottom = Math.max(0, Math.min(LOW, ...drawn) - 2);
  const weeks = trail?.weeks ?? 1;
  const percentOf = (points: number) => `${Math.round((100 * points) / (top - bottom))}%`;
  const now = score === null ? '' : `${weeks} ${(END - score).toFixed(1)}`;
  return (
    <div className="trail" role="img" aria-label={view.scaleText}>
      <svg
        className="trail-plot"
        viewBox={`0 ${END - top} ${weeks} ${top - bottom}`}
        preserveAspectRatio="none"
        aria-hidden="true"
      >
        {SIGNAL_ZONES.map((zone) => (
          <rect
            key={zone.verdict}
            className="zone"
            data-tone={zone.verdict}
            data-active={zone.verdict === verdict || undefined}
            y={END - Math.min(zone.to, top)}
            width={weeks}
            height={Math.min(zone.to, top) - Math.max(zone.from, bottom)}
          />
        ))}
        {trail && <path d={`${trail.path} ${now}`} />}
        {/* A line of length zero with round ends is a dot, which the stretching does not distort. */}
        {score !== null && <path className="score-mark" data-tone={verdict} d={`M${now}h0`} />}
      </svg>
      <svg width="100%" height="100%" aria-hidden="true">
        {range !== null && (
          <svg
            className="whisker"
            x="-10"
            width="4"
            y={percentOf(top - range.high)}
            height={percentOf(range.high - range.low)}
            viewBox="0 0 1 1"
            preserveAspectRatio="none"
            aria-hidden="true"
          >
            <path d="M0 0H1V1H0" />
          </svg>
        )}
        {SIGNAL_ZONES.map((zone) => {
          const middle = (Math.min(zone.to, top) + Math.max(zone.from, bottom)) / 2;
          return (
            <text
              key={zone.verdict}
              data-tone={zone.verdict === verdict ? verdict : undefined}
              y={percentOf(top - middle)}
              dy="4"
            >
              {zone.verdict}
            </text>
          );
        })}
      </svg>
    </div>
  );
}
