import './chart-walk.css';
import type { CSSProperties, KeyboardEvent, PointerEvent, ReactNode } from 'react';

/** Page Up and Page Down move by a month of sessions. */
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

export interface PointText {
  dateText: string;
  text: string;
  label: string | null;
  /** The change from the point before; null for the first point, and absent in charts without it. */
  changeText?: string | null;
  /** A tone of the tokens; without a tone, the colour of the line. */
  tone?: string | undefined;
}

interface ChartWalkProps {
  className: string;
  name: string;
  last: number;
  chosen: number | null;
  onChoose: (index: number | null) => void;
  /** The chosen point as text, or the last one. */
  pointText: PointText | undefined;
  /** Index of the point nearest to a place in an element with this width (pixels from its left and top edge). */
  placeAt: (x: number, width: number, y: number) => number;
  /** Called with the index of a point that was clicked or reached by a finger or by keys. */
  onPick?: ((index: number) => void) | undefined;
  children: ReactNode;
}

/** The area of a chart in which pointer and arrow keys choose a point. Assistive technology gets a slider. */
export function ChartWalk(props: ChartWalkProps) {
  const { className, name, last, chosen, onChoose, pointText, placeAt, onPick, children } = props;
  const place = Math.min(chosen ?? last, last);

  function onPointerMove({ clientX, clientY, currentTarget, pointerType }: PointerEvent) {
    const { left, top, width } = currentTarget.getBoundingClientRect();
    const reached = placeAt(clientX - left, width, clientY - top);
    onChoose(reached);
    // No click follows a finger that moves, and the mark of its last point stays.
    if (pointerType !== 'mouse') onPick?.(reached);
  }

  function onKeyDown(event: KeyboardEvent) {
    if (event.key === 'Escape') onChoose(null);
    const next = KEYS[event.key]?.(chosen ?? last, last);
    if (next === undefined) return;
    event.preventDefault();
    const reached = Math.min(last, Math.max(0, next));
    onChoose(reached);
    onPick?.(reached);
  }

  return (
    <div
      className={className}
      role="slider"
      tabIndex={0}
      aria-label={name}
      aria-valuemin={0}
      aria-valuemax={last}
      aria-valuenow={place}
      aria-valuetext={
        pointText &&
        [`${pointText.dateText}: ${pointText.text}`, pointText.label, pointText.changeText]
          .filter(Boolean)
          .join(', ')
      }
      onPointerMove={onPointerMove}
      onPointerDown={(event) => {
        // A finger that moves focuses nothing, so that no blur would end the choice.
        event.currentTarget.focus({ preventScroll: true });
        onPointerMove(event);
      }}
      onPointerCancel={() => onChoose(null)}
      onClick={() => onPick?.(place)}
      onPointerLeave={({ pointerType }) => pointerType === 'mouse' && onChoose(null)}
      onBlur={() => onChoose(null)}
      onFocus={(event) => event.currentTarget.matches(':focus-visible') && onChoose(last)}
      onKeyDown={onKeyDown}
    >
      {children}
    </div>
  );
}

/** A point in words, beside its mark. Assistive technology has the same words of the slider. */
export function ChartTip({ pointText, style }: { pointText: PointText; style?: CSSProperties }) {
  const { dateText, text, label, changeText, tone } = pointText;
  return (
    <span className="chart-tip" style={style} aria-hidden="true">
      <span>{dateText}</span>
      <span className="toned" data-tone={tone}>
        <strong>{text}</strong> {label}
      </span>
      {changeText && <span>{changeText}</span>}
    </span>
  );
}
