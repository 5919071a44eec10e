import { type KeyboardEvent, type PointerEvent, useMemo, useState } from 'react';
import type { TimelineView } from '#views/model.ts';
import { useWidth } from '../../ui/use-width.ts';
import { ticksWithRoom } from './tick-room.ts';
import { type Frame, linePath, nearestPoint, timeToX, valueToY, xToTime } from './timeline-geometry.ts';
import { TimelineTip } from './timeline-tip.tsx';

const HEIGHT = 400;
const MARGINS = { left: 34, right: 14, top: 10, bottom: 28 } as const;
const TICK_WIDTH = 62;
const EDGES = [0, 100] as const;

const frameOf = (width: number): Frame => ({ width, height: HEIGHT, ...MARGINS });

/** A page is a month of sessions. */
const PAGE = 21;

const KEYS: Record<string, (index: number, last: number) => number> = {
  ArrowLeft: (index) => index - 1,
  ArrowDown: (index) => index - 1,
  ArrowRight: (index) => index + 1,
  ArrowUp: (index) => index + 1,
  PageDown: (index) => index - PAGE,
  PageUp: (index) => index + PAGE,
  Home: () => 0,
  End: (_, last) => last,
};

/** The line of the index. Pointer and arrow keys walk along it; a slider is what assistive technology gets. */
export function TimelineChart({ view }: { view: TimelineView }) {
  const [ref, width] = useWidth<HTMLDivElement>();
  const [chosen, setChosen] = useState<number | null>(null);
  const { points } = view;
  const last = points.length - 1;
  const frame = frameOf(width);
  const point = points[Math.min(chosen ?? last, last)];

  function onPointerMove(event: PointerEvent<HTMLElement>) {
    const x = event.clientX - event.currentTarget.getBoundingClientRect().left;
    setChosen(nearestPoint(points, xToTime(x, view, frame)));
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.key === 'Escape') setChosen(null);
    const next = KEYS[event.key]?.(chosen ?? last, last);
    if (next === undefined) return;
    event.preventDefault();
    setChosen(Math.min(last, Math.max(0, next)));
  }

  return (
    <figure className="timeline" ref={ref}>
      <figcaption className="visually-hidden">{view.summary}</figcaption>
      {width > 0 && <Drawing view={view} width={width} />}
      <div
        className="timeline-walk"
        role="slider"
        tabIndex={0}
        aria-label="Fear & Greed index on a day of the last year"
        aria-valuemin={0}
        aria-valuemax={last}
        aria-valuenow={Math.min(chosen ?? last, last)}
        aria-valuetext={point && `${point.dateText}: ${point.text}, ${point.label}`}
        onPointerMove={onPointerMove}
        onPointerDown={onPointerMove}
        onPointerLeave={() => setChosen(null)}
        onBlur={() => setChosen(null)}
        onFocus={(event) => event.currentTarget.matches(':focus-visible') && setChosen(last)}
        onKeyDown={onKeyDown}
      >
        {chosen !== null && point !== undefined && width > 0 && (
          <TimelineTip
            point={point}
            x={timeToX(point.at, view, frame)}
            y={valueToY(point.value, frame)}
            frame={frame}
          />
        )}
      </div>
    </figure>
  );
}

function Drawing({ view, width }: { view: TimelineView; width: number }) {
  const drawing = useMemo(() => {
    const frame = frameOf(width);
    const floor = HEIGHT - MARGINS.bottom;
    const right = width - MARGINS.right;
    const most = Math.floor((right - MARGINS.left) / TICK_WIDTH);
    return (
      <svg width={width} height={HEIGHT} aria-hidden="true">
        {EDGES.map((edge) => (
          <Level key={edge} value={edge} frame={frame} className="timeline-edge" />
        ))}
        {view.references.map((reference) => (
          <Level key={reference} value={reference} frame={frame} className="timeline-reference" />
        ))}
        {ticksWithRoom(view.ticks, most).map((tick) => {
          const x = timeToX(tick.at, view, frame);
          const anchor = x < MARGINS.left + 28 ? 'start' : x > right - 28 ? 'end' : 'middle';
          return (
            <g key={tick.at}>
              <line className="timeline-tick" x1={x} x2={x} y1={floor} y2={floor + 5} />
              <text x={x} y={HEIGHT - 8} textAnchor={anchor}>
                {tick.text}
              </text>
            </g>
          );
        })}
        <path className="timeline-line" d={linePath(view.points, view, frame)} />
      </svg>
    );
  }, [view, width]);
  return drawing;
}

function Level({ value, frame, className }: { value: number; frame: Frame; className: string }) {
  const y = valueToY(value, frame);
  return (
    <>
      <line className={className} x1={frame.left} x2={frame.width - frame.right} y1={y} y2={y} />
      <text x={frame.left - 8} y={y + 4} textAnchor="end">
        {value}
      </text>
    </>
  );
}
