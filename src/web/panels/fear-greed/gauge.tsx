import { writeDateAndMonth } from '#views/day.ts';
import { FEAR_GREED_ZONES } from '#views/zones.ts';
import {
  areClose,
  edgeNumberPlace,
  GAUGE,
  gaugeBand,
  gaugeHub,
  gaugeNeedle,
  gaugePoint,
  gaugeTurn,
  withinScale,
} from './gauge-geometry.ts';
import type { GaugeProps } from './overview.tsx';

const { outer, inner, centre } = GAUGE;
/** Radii of the base lines of the words on the ring and outside it, and of the hub. */
const ZONE_WORDS_AT = (outer + inner) / 2 - 4;
const NEEDLE_WORDS_AT = outer + 9;
const HUB = 74;
/** Distance of the words of a year ago from those of now, if both needles are close. */
const SECOND_LINE = 15;

/** The semicircle with its five zones, needles for now and a year ago, and the number with its word at their hub. */
export function Gauge({ view, isStale = false }: GaugeProps) {
  const { current, yearAgo } = view;
  const isDated = isStale || view.asOf.older !== null;
  const isClose = yearAgo !== null && areClose(yearAgo.value, current.value, isDated ? 'date' : 'now');
  // Below "1Y AGO", a date would seem to be that of a year ago.
  const yearAgoAt = yearAgo === null || (isClose && isDated) ? null : yearAgo.value;
  return (
    <svg
      className="gauge"
      viewBox={`0 0 ${GAUGE.width} ${GAUGE.height}`}
      role="img"
      aria-label={view.summary}
    >
      {FEAR_GREED_ZONES.map(({ zone, label, from, to }) => (
        <g
          key={zone}
          className="gauge-zone"
          data-tone={`zone-${zone}`}
          data-active={zone === current.zone || undefined}
        >
          <path d={gaugeBand(from, to)} />
          <RingText value={(from + to) / 2} radius={ZONE_WORDS_AT}>
            {label}
          </RingText>
        </g>
      ))}
      {yearAgoAt !== null && (
        <g className="gauge-year-ago">
          {/* Two parts, so that it crosses neither a zone's number nor its word. */}
          <Spoke value={yearAgoAt} from={HUB} to={inner - 24} />
          <Spoke value={yearAgoAt} from={outer - 8} to={outer + 5} />
          <RingText value={withinScale(yearAgoAt)} radius={NEEDLE_WORDS_AT + (isClose ? SECOND_LINE : 0)}>
            1Y AGO
          </RingText>
        </g>
      )}
      {[0, ...FEAR_GREED_ZONES.map((zone) => zone.to)].map((edge) => (
        <Edge key={edge} value={edge} at={edgeNumberPlace(edge, current.value)} />
      ))}
      <g className="gauge-now">
        <path d={gaugeNeedle(current.value, inner + 6, HUB - 4, 6)} />
        <path d={gaugeHub(HUB)} />
        <Spoke value={current.value} from={outer} to={outer + 5} />
        <RingText value={withinScale(current.value)} radius={NEEDLE_WORDS_AT}>
          {isDated ? writeDateAndMonth(view.asOf.session) : 'NOW'}
        </RingText>
      </g>
      <text className="gauge-value" x={centre.x} y={centre.y - 26}>
        {current.text}
      </text>
      <text className="gauge-label" x={centre.x} y={centre.y - 4} data-tone={`zone-${current.zone}`}>
        {current.label}
      </text>
    </svg>
  );
}

interface RingTextProps {
  value: number;
  radius: number;
  children: string;
}

/** Words at right angles to the radius, so that no value needs space outside the drawing. */
function RingText({ value, radius, children }: RingTextProps) {
  return (
    <text x={centre.x} y={centre.y - radius} transform={gaugeTurn(value)}>
      {children}
    </text>
  );
}

function Edge({ value, at }: { value: number; at: number }) {
  const { x, y } = gaugePoint(at, inner - 16);
  return (
    <text x={x} y={y + 4}>
      {value}
    </text>
  );
}

function Spoke({ value, from, to }: { value: number; from: number; to: number }) {
  const [start, end] = [gaugePoint(value, from), gaugePoint(value, to)];
  return <line x1={start.x} y1={start.y} x2={end.x} y2={end.y} />;
}
