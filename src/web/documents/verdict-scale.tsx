import { SIGNAL_ZONES } from '#views/zones.ts';

interface VerdictScaleProps {
  score: number;
  /** The possible scores if inputs are missing; null if none is missing. */
  low: number | null;
  high: number | null;
}

export function VerdictScale({ score, low, high }: VerdictScaleProps) {
  return (
    <svg className="scale" aria-hidden="true">
      {SIGNAL_ZONES.map(({ verdict, from, to }) => (
        <g key={verdict} data-tone={verdict}>
          <rect x={`${from}%`} width={`${to - from}%`} height="10" />
          <text x={`${(from + to) / 2}%`} y="24" textAnchor="middle">
            {verdict}
          </text>
        </g>
      ))}
      {low !== null && high !== null && (
        <rect className="today" x={`${low}%`} width={`${high - low}%`} y="4" height="2" />
      )}
      <rect className="today" x={`${score}%`} y="-3" width="3" height="16" transform="translate(-1.5 0)" />
    </svg>
  );
}
