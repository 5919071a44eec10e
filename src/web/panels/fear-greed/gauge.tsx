import { useId } from 'react';
import type { FearGreedView } from '#views/model.ts';
import { GAUGE, gaugeArc, gaugeBand, gaugeLabelAnchor, gaugeNeedle, gaugePoint } from './gauge-geometry.ts';

const { outer, inner, centre } = GAUGE;
const WORDS_AT = (outer + inner) / 2 - 3.5;
const LABEL_AT = outer + 10;
/** Labels of needles nearer than this to each other would overlap. */
const LABEL_ROOM = 12;

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
      {[0, ...zones.map((zone) => zone.to)].map((edge) => (
        <Edge key={edge} value={edge} />
      ))}
      {yearAgo !== null && (
        <>
          <YearAgoNeedle value={yearAgo.value} />
          <NeedleLabel value={yearAgo.value} radius={LABEL_AT + (crowded ? 16 : 0)} words="1Y AGO" />
        </>
      )}
      <path className="gauge-now" d={gaugeNeedle(current.value, inner + 8, inner - 34, 6)} />
      <NeedleLabel value={current.value} radius={LABEL_AT} words="NOW" />
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
      <path id={arc} d={gaugeArc(zone.from, zone.to, WORDS_AT)} fill="none" />
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

function YearAgoNeedle({ value }: { value: number }) {
  const from = gaugePoint(value, inner - 34);
  const to = gaugePoint(value, outer + 6);
  return <line className="gauge-year-ago" x1={from.x} y1={from.y} x2={to.x} y2={to.y} />;
}

function NeedleLabel({ value, radius, words }: { value: number; radius: number; words: string }) {
  const at = gaugePoint(value, radius);
  return (
    <text className="gauge-needle-label" x={at.x} y={at.y} textAnchor={gaugeLabelAnchor(value)}>
      {words}
    </text>
  );
}
