import type { Verdict } from '#domain/bands/score-bands.ts';
import type { RecordChartView } from '#views/record-chart-view.ts';
import { acrossPlot, downPlot, Plot, plotPath } from '../charts/plot.tsx';

/** The vertical coordinates of shapes: thousandths of the plot. */
const HEIGHT = 1000;
/** Width and height of '1: −34.25%', as shares of the plot. A style sheet shows the texts of one page width. */
const PAGES = [
  { page: 'narrow', width: 0.28 },
  { page: 'wide', width: 0.14 },
] as const;
const TEXT_HEIGHT = 0.06;
/** Width of '3' on a narrow page. */
const NUMBER = 0.04;
/** With more weeks, each would have about a pixel, and tints behind the line would mix. */
const MOST_TINTED = 400;
const ANCHOR_SHARES = { start: 0, middle: 0.5, end: 1 } as const;

interface FallText {
  readonly isNamed: boolean;
  /** False if the percentage of a larger fall has the space below the dot. */
  readonly isBelow: boolean;
}

/** The texts of the falls, by position. A percentage overlaps neither that of a larger fall nor the line. */
function fallTexts(
  { falls, lines, span, scale }: RecordChartView,
  width: number,
): ReadonlyMap<number, FallText> {
  const found = new Map<number, FallText>();
  const texts: { x: number; y: number }[] = [];
  for (const { at, value } of falls) {
    const x = at / span.to - ANCHOR_SHARES[anchorIn(at, span.to)] * width;
    const y = (value - scale.low) / (scale.high - scale.low);
    const isOverText = ({ at: week }: { at: number }) => week >= x * span.to && week <= (x + width) * span.to;
    const isFree = (from: number, to: number) =>
      texts.every(
        (other) => to <= other.x || from >= other.x + width || Math.abs(other.y - y) >= TEXT_HEIGHT,
      );
    const isNamed =
      isFree(x, x + width) &&
      lines.every((line) => line.every((point) => point.value >= value || !isOverText(point)));
    const isBelow = isFree(at / span.to - NUMBER / 2, at / span.to + NUMBER / 2);
    found.set(at, { isNamed, isBelow });
    if (isNamed) texts.push({ x, y });
  }
  return found;
}

/** The weeks of each verdict as lines at height 0. A unit to the right is a week. */
export function verdictPaths({ spells }: RecordChartView): { verdict: Verdict; d: string }[] {
  return spells.map(({ verdict, runs }) => ({
    verdict,
    d: runs.map(({ at, weeks }) => `M${at} 0h${weeks}`).join(''),
  }));
}

export function RecordChart({ view }: { view: RecordChartView }) {
  const { firstWeek, span, scale, levels, lines, ticks, areYears, falls, gapsText, summary } = view;
  const box = { width: span.to, height: HEIGHT };
  const lanes = verdictPaths(view);
  return (
    <figure className="record-chart" data-first={firstWeek} data-weeks={span.to}>
      <figcaption>
        <h3>S&amp;P 500 and the signal of each week</h3>
        <p className="readout quiet">
          The strips below the line show the weeks with BUY, HOLD and SELL{dotsText(falls.length)}. Each week
          is in the list below.
        </p>
      </figcaption>
      <div className="plots">
        <Plot
          {...{ summary, span, scale, levels, box }}
          ticks={ticks.map(({ at }) => ({ at, text: '' }))}
          shapes={
            <>
              {span.to <= MOST_TINTED && (
                <g className="tints" transform={`translate(0 ${HEIGHT / 2})`}>
                  {lanes.map(({ verdict, d }) => (
                    <path key={verdict} data-tone={verdict} d={d} />
                  ))}
                </g>
              )}
              <path d={lines.map((line) => plotPath(line, span, scale, box)).join('')} />
            </>
          }
        >
          {falls.map(({ at, value }) => (
            <circle key={at} cx={acrossPlot(at, span)} cy={downPlot(value, scale)} r="4" />
          ))}
          {PAGES.map(({ page, width }) => {
            const texts = fallTexts(view, width);
            return falls.map(({ at, value, percentText }, index) => (
              <text
                key={page + at}
                className={page}
                x={acrossPlot(at, span)}
                y={downPlot(value, scale)}
                dy={texts.get(at)?.isBelow ? '1.6em' : '-.7em'}
                textAnchor={anchorIn(at, span.to)}
              >
                {texts.get(at)?.isNamed ? `${index + 1}: ${percentText}` : index + 1}
              </text>
            ));
          })}
        </Plot>
        <Plot
          className="ribbon"
          summary="The signal of each week"
          span={span}
          scale={{ low: 0, high: lanes.length }}
          levels={lanes.map(({ verdict }, lane) => ({ value: lanes.length - lane - 0.5, text: verdict }))}
          ticks={ticks}
          // Years need less space than dates.
          {...(areYears && { tickWidth: 14 })}
          box={{ width: span.to, height: lanes.length }}
          shapes={lanes.map(({ verdict, d }, lane) => (
            <path key={verdict} data-tone={verdict} transform={`translate(0 ${lane + 0.5})`} d={d} />
          ))}
        />
      </div>
      {gapsText !== null && <p className="small quiet">{gapsText}</p>}
      {falls.length > 0 && (
        <>
          <p className="small quiet">Largest falls between weekly closes:</p>
          <ol>
            {falls.map(({ at, percentText, text }) => (
              <li key={at}>
                <strong>{percentText}</strong> {text}
              </li>
            ))}
          </ol>
        </>
      )}
    </figure>
  );
}

function dotsText(falls: number): string {
  if (falls === 0) return '';
  return falls === 1
    ? ', the numbered dot the low of the largest fall'
    : ', the numbered dots the lows of the largest falls';
}

const anchorIn = (at: number, width: number) =>
  at < 0.1 * width ? 'start' : at > 0.9 * width ? 'end' : 'middle';
