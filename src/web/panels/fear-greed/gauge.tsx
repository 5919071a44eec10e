import { useId } from 'react';
import type { FearGreedView } from '#views/model.ts';
import { FEAR_GREED_ZONES } from '#views/zones.ts';
import {
  edgeNumberPlace,
  GAUGE,
  gaugeArc,
  gaugeBand,
  gaugeNeedle,
  gaugePoint,
  withinScale,
  yearAgoWordsPlace,
} from './gauge-geometry.ts';

const { outer, inner, centre } = GAUGE;
/** Radii of the arcs along which the words run. */
const ZONE_WORDS_AT = (outer + inner) / 2 - 4;
const NEEDLE_WORDS_AT = outer + 9;
/** Half the length of the arc along which a needle's words run, on the scale. */
const REACH = 13;
/** Extra length of an arc beyond its word: browsers do not draw a letter that does not fit. */
const SPARE = 2;
/** The semicircle with its five zones, and needles for the index now and a year ago. */
export function Gauge({ view }: { view: FearGreedView }) {
  const { current, yearAgo } = view;
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
          <ArcText value={(from + to) / 2} reach={(to - from) / 2 + SPARE} radius={ZONE_WORDS_AT}>
            {label}
          </ArcText>
        </g>
      ))}
      {yearAgo !== null && (
        <g className="gauge-year-ago">
          {/* Ends below the numbers, so that it crosses neither these nor the word of a zone. */}
          <Spoke value={yearAgo.value} from={inner - 66} to={inner - 24} />
          <ArcText value={yearAgoWordsPlace(yearAgo.value, current.value)} radius={NEEDLE_WORDS_AT}>
            1Y AGO
          </ArcText>
        </g>
      )}
      {[0, ...FEAR_GREED_ZONES.map((zone) => zone.to)].map((edge) => (
        <Edge key={edge} value={edge} at={edgeNumberPlace(edge, current.value)} />
      ))}
      <g className="gauge-now">
        <path d={gaugeNeedle(current.value, inner + 6, inner - 52, 5.5)} />
        <Spoke value={current.value} from={outer} to={outer + 5} />
        <ArcText value={withinScale(current.value)} radius={NEEDLE_WORDS_AT}>
          {view.asOf.older === null ? 'NOW' : 'LAST'}
        </ArcText>
      </g>
      <text className="gauge-value" x={centre.x} y={centre.y - 30}>
        {current.text}
      </text>
      <text className="gauge-label" x={centre.x} y={centre.y - 4} data-tone={`zone-${current.zone}`}>
        {current.label}
      </text>
    </svg>
  );
}

interface ArcTextProps {
  /** Position of the middle of the words. */
  value: number;
  radius: number;
  /** Half of the arc's length, on the scale. */
  reach?: number;
  children: string;
}

/** Words along the ring, so that no value needs space outside the drawing. */
function ArcText({ value, radius, reach = REACH, children }: ArcTextProps) {
  const arc = useId();
  return (
    <>
      <path id={arc} d={gaugeArc(value - reach, value + reach, radius)} fill="none" />
      <text>
        <textPath href={`#${arc}`} startOffset="50%">
          {children}
        </textPath>
      </text>
    </>
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
  const start = gaugePoint(value, from);
  const end = gaugePoint(value, to);
  return <line x1={start.x} y1={start.y} x2={end.x} y2={end.y} />;
}
