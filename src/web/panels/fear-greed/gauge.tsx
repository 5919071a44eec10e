import { useId } from 'react';
import type { FearGreedView } from '#views/model.ts';
import { GAUGE, gaugeArc, gaugeBand, gaugeLabelAnchor, gaugeNeedle, gaugePoint } from './gauge-geometry.ts';

const { outer, inner, centre } = GAUGE;
const WORDS_AT = (outer + inner) / 2 - 3.5;
const LABEL_AT = outer + 10;
/** How far the arc of a zone's word may reach past its edges: a letter that does not fit is not drawn at all. */
const WORD_ROOM = 2;
/** Labels of needles nearer than this to each other would overlap. */
const LABEL_ROOM = 12;
/** The number of an edge nearer than this to the NOW needle would be half covered by it. */
const EDGE_ROOM = 3;

/** The semicircle with its five zones, where the index stands now and where it stood a year ago. */
export function Gauge({ view }: { view: FearGreedView }) {
  const { current, yearAgo, zones } = view;
  const tone = `zone-${current.zone}`;
  const crowded = yearAgo !== null && Math.abs(yearAgo.value - current.value) < LABEL_ROOM;
  return (
    <svg
      className="gauge"
      viewBox={`0 0 ${GAUGE.width} ${GAUGE.height}`}
      role="img"
      aria-label={view.summary}
    >
      {zones.map((zone) => (
        <Zone key={zone.zone} zone={zone} active={zone.zone === current.zone} />
      ))}
      {[0, ...zones.map((zone) => zone.to)]
        .filter((edge) => Math.abs(edge - current.value) > EDGE_ROOM)
        .map((edge) => (
          <Edge key={edge} value={edge} />
        ))}
      {yearAgo !== null && (
        <g className="gauge-year-ago">
          <Spoke value={yearAgo.value} from={inner - 38} to={inner - 20} />
          <Spoke value={yearAgo.value} from={outer} to={outer + 6} />
          <NeedleLabel value={yearAgo.value} radius={LABEL_AT + (crowded ? 16 : 0)} words="1Y AGO" />
        </g>
      )}
      <g className="gauge-now">
        <path d={gaugeNeedle(current.value, inner + 6, inner - 34, 6)} />
        <Spoke value={current.value} from={outer} to={outer + 6} />
        <NeedleLabel value={current.value} radius={LABEL_AT} words="NOW" />
      </g>
      <text className="gauge-value" x={centre.x} y={centre.y - 18}>
        {current.text}
      </text>
      <text className="gauge-label" x={centre.x} y={centre.y + 6} data-tone={tone}>
        {current.label}
      </text>
    </svg>
  );
}

function Zone({ zone, active }: { zone: FearGreedView['zones'][number]; active: boolean }) {
  const arc = useId();
  return (
    <g className="gauge-zone" data-tone={`zone-${zone.zone}`} data-active={active}>
      <path className="gauge-band" d={gaugeBand(zone.from, zone.to)} />
      <path id={arc} d={gaugeArc(zone.from - WORD_ROOM, zone.to + WORD_ROOM, WORDS_AT)} fill="none" />
      <text className="gauge-word">
        <textPath href={`#${arc}`} startOffset="50%">
          {zone.label}
        </textPath>
      </text>
    </g>
  );
}

function Edge({ value }: { value: number }) {
  const at = gaugePoint(value, inner - 12);
  return (
    <text className="gauge-edge" x={at.x} y={at.y + 3}>
      {value}
    </text>
  );
}

function Spoke({ value, from, to }: { value: number; from: number; to: number }) {
  const start = gaugePoint(value, from);
  const end = gaugePoint(value, to);
  return <line x1={start.x} y1={start.y} x2={end.x} y2={end.y} />;
}

function NeedleLabel({ value, radius, words }: { value: number; radius: number; words: string }) {
  const at = gaugePoint(value, radius);
  return (
    <text className="gauge-needle-label" x={at.x} y={at.y} textAnchor={gaugeLabelAnchor(value)}>
      {words}
    </text>
  );
}
