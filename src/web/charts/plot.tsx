import type { ReactNode } from 'react';
import { type Frame, type Point, type Scale, type Span, timeToX, valueToY } from './geometry.ts';

/** The unit of both axes is one percent of the plot, so that it fits any box without a script. */
const PERCENT: Frame = { width: 100, height: 100, left: 0, right: 0, top: 0, bottom: 0 };

/** Width of a date such as '13 Nov' in percent of the plot. The text fits if the page is 320 px wide. */
const DATE_WIDTH = 21;
/** A text on a wide page takes this share of its percentage on a page of 320 px. */
const WIDE = 0.33;

interface Mark {
  readonly text: string;
}

interface PlotProps {
  readonly className?: string;
  readonly summary: string;
  readonly span: Span;
  readonly scale: Scale;
  /** Horizontal lines with a text left of the plot. */
  readonly levels: readonly (Mark & { value: number })[];
  /** Vertical lines, ascending, with a text below the plot. If the texts would overlap, only every second, third, … one is drawn. */
  readonly ticks: readonly (Mark & { at: number })[];
  readonly tickWidth?: number;
  /** Shapes without text. They are stretched with the plot. */
  readonly shapes: ReactNode;
  /** The right and the bottom edge of the coordinates of the shapes; percent by default. */
  readonly box?: { readonly width: number; readonly height: number };
  /** Dots and words, which are not stretched, at positions in percent. */
  readonly children?: ReactNode;
}

export const acrossPlot = (at: number, span: Span) => `${Number(timeToX(at, span, PERCENT).toFixed(2))}%`;
export const downPlot = (value: number, scale: Scale) =>
  `${Number(valueToY(value, scale, PERCENT).toFixed(2))}%`;

/**
 * Returns the marks whose texts do not overlap, at even steps. A text with `isWide` has space on a wide page only. A text may
 * reach left of the plot, where there is space below those of the levels, but not right of it.
 */
function roomyMarks<M extends { at: number }>(marks: readonly M[], span: Span, width: number) {
  const placed = marks.map((mark) => {
    const x = timeToX(mark.at, span, PERCENT);
    const isLast = x > 100 - (WIDE * width) / 2;
    // A narrow page has no space for its right half.
    const isTight = !isLast && x > 100 - width / 2;
    return { ...mark, x, anchor: isLast ? 'end' : 'middle', isTight } as const;
  });
  function fits(step: number, textWidth: number): boolean {
    const starts = placed
      .filter((_, index) => index % step === 0)
      .map(({ x, anchor, isTight }) => x - (anchor === 'end' || isTight ? 1 : 0.5) * textWidth);
    return starts.every((start, index) => index === 0 || start - (starts[index - 1] ?? 0) >= textWidth);
  }
  const steps = Array.from(marks, (_, index) => index + 1);
  const wideStep = steps.find((one) => fits(one, WIDE * width)) ?? 1;
  const step = steps.find((one) => one % wideStep === 0 && fits(one, width)) ?? marks.length;
  return placed
    .map((mark, index) => ({ ...mark, isWide: index % step !== 0 }))
    .filter((_, index) => index % wideStep === 0);
}

/** The path through points, in the coordinates of the shapes: whole steps from the point before, which compress well. */
export function plotPath(
  points: readonly Point[],
  span: Span,
  scale: Scale,
  { width, height }: { width: number; height: number },
): string {
  const frame: Frame = { ...PERCENT, width, height };
  let [x, y] = [0, 0];
  const steps = points.map((point, at) => {
    const [nextX, nextY] = [
      Math.round(timeToX(point.at, span, frame)),
      Math.round(valueToY(point.value, scale, frame)),
    ];
    const [right, down] = [nextX - x, nextY - y];
    [x, y] = [nextX, nextY];
    return `${at === 0 ? 'M' : 'l'}${right}${down < 0 ? '' : ' '}${down}`;
  });
  return steps.join('');
}

/** A drawing without script, at any width. Positions are percent of the plot, sizes of dots and words pixels. */
export function Plot(props: PlotProps) {
  const { className = '', summary, span, scale, levels, ticks, shapes, children } = props;
  const { tickWidth = DATE_WIDTH, box = PERCENT } = props;
  const named = ticks.filter(({ text }) => text !== '');
  return (
    <svg className={`plot ${className}`.trim()} role="img" aria-label={summary}>
      {levels.map(({ value, text }) => (
        <g key={value} className="level">
          <line x2="100%" y1={downPlot(value, scale)} y2={downPlot(value, scale)} />
          <text x="-8" y={downPlot(value, scale)} dy=".35em">
            {text}
          </text>
        </g>
      ))}
      {ticks.map(({ at }) => (
        <line key={at} x1={acrossPlot(at, span)} x2={acrossPlot(at, span)} y2="100%" />
      ))}
      {roomyMarks(named, span, tickWidth).map(({ at, text, anchor, isTight, isWide }) => (
        <text
          key={at}
          className={isWide ? 'more' : isTight ? 'tight' : undefined}
          x={acrossPlot(at, span)}
          y="100%"
          dy="1.5em"
          textAnchor={anchor}
        >
          {text}
        </text>
      ))}
      <svg
        viewBox={`0 0 ${box.width} ${box.height}`}
        width="100%"
        height="100%"
        preserveAspectRatio="none"
        aria-hidden="true"
      >
        {shapes}
      </svg>
      {children}
    </svg>
  );
}
