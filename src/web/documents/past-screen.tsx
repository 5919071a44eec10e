import type { ClosesView } from '#views/closes-view.ts';
import type { AdvancedView, DashboardView, FearGreedView } from '#views/model.ts';
import { type Frame, linePath, timeToX, valueToY } from '../charts/geometry.ts';
import { Breadth, Indicators, Sectors } from '../panels/advanced/advanced-sections.tsx';
import { Overview } from '../panels/fear-greed/overview.tsx';
import { IndexStrip } from '../panels/indices/index-strip.tsx';
import { InsightsPanel } from '../panels/insights/insights-panel.tsx';
import { MetricsPanel } from '../panels/metrics/metrics-panel.tsx';
import { SentimentPanel } from '../panels/sentiment/sentiment-panel.tsx';
import { SignalPanel } from '../panels/signal/signal-panel.tsx';

interface PastScreenProps {
  readonly dashboard: DashboardView;
  readonly closes: ClosesView;
}

/**
 * The sections of the dashboard in their order, without the parts that need a script: nothing is folded, Fear & Greed has
 * no tabs, and our own chart replaces the widgets.
 */
export function PastScreen({ dashboard, closes }: PastScreenProps) {
  const { indices, signal, sentiment, fearGreed, metrics, advanced, insights } = dashboard;
  return (
    <>
      {indices !== null && <IndexStrip view={indices} />}
      <SignalPanel view={signal} />
      {sentiment !== null && <SentimentPanel view={sentiment} />}
      <PastCloses view={closes} />
      {fearGreed !== null && <FearGreed view={fearGreed} />}
      {metrics !== null && <MetricsPanel view={metrics} />}
      {advanced !== null && <Advanced view={advanced} />}
      {insights !== null && <InsightsPanel view={insights} />}
    </>
  );
}

function FearGreed({ view }: { view: FearGreedView }) {
  return (
    <section className="card" aria-labelledby="fear-greed-title">
      <div className="panel-head">
        <h2 id="fear-greed-title">Fear &amp; Greed Index</h2>
        <span className="quiet small">{`as of ${view.asOf.text}`}</span>
        {view.mixed && <span className="quiet small">Some parts are of an earlier session</span>}
      </div>
      <Overview view={view} />
    </section>
  );
}

function Advanced({ view: { title, indicators, sectors, breadth } }: { view: AdvancedView }) {
  return (
    <section className="card" aria-labelledby="advanced-title">
      <h2 id="advanced-title">{title}</h2>
      <div className="past-advanced">
        {indicators !== null && <Indicators view={indicators} />}
        {sectors !== null && <Sectors view={sectors} />}
        {breadth !== null && <Breadth view={breadth} />}
      </div>
    </section>
  );
}

/** Height of the whole chart, and height of the texts at its bottom, in pixels. */
const HEIGHT = 208;
const BOTTOM = 28;
/** The line's coordinates: percent from left to right, pixels from top to bottom. */
const FRAME: Frame = { width: 100, height: HEIGHT, left: 0, right: 0, top: 10, bottom: BOTTOM };
/** Width of a tick's text on the time axis, in percent of the chart. The text fits if the page is 320 px wide. */
const TICK_ROOM = 21;

/** The S&P 500 closes up to a session, drawn without a script at any width. */
export function PastCloses({ view }: { view: ClosesView }) {
  const { title, points, change, asOfText, demo, emptyText } = view;
  return (
    <section className="card" aria-labelledby="closes-title">
      <div className="panel-head">
        <h2 id="closes-title">{title}</h2>
        {change !== null && (
          <span className="toned" data-tone={change.tone}>
            {change.text}
          </span>
        )}
        {asOfText !== null && (
          <span className="quiet small">
            {asOfText}
            {demo !== null && ` · ${demo.text}`}
          </span>
        )}
      </div>
      {points.length === 0 ? <p className="quiet">{emptyText}</p> : <Drawing view={view} />}
    </section>
  );
}

type Anchor = 'start' | 'middle' | 'end';

const SHARES_LEFT: Readonly<Record<Anchor, number>> = { start: 0, middle: 0.5, end: 1 };

function anchorAt(x: number): Anchor {
  if (x < TICK_ROOM / 2) return 'start';
  return x > 100 - TICK_ROOM / 2 ? 'end' : 'middle';
}

/** The ticks whose text does not overlap the text of the tick before. */
function roomyTicks({ ticks, ...span }: ClosesView): { x: number; text: string; anchor: Anchor }[] {
  let end = 0;
  return ticks.flatMap(({ at, text }) => {
    const x = timeToX(at, span, FRAME);
    const anchor = anchorAt(x);
    const start = x - SHARES_LEFT[anchor] * TICK_ROOM;
    if (start < end) return [];
    end = start + TICK_ROOM;
    return [{ x, text, anchor }];
  });
}

function Drawing({ view }: { view: ClosesView }) {
  const { points, levels, summary } = view;
  const last = points.at(-1);
  const floor = HEIGHT - BOTTOM;
  return (
    <div className="past-chart" role="img" aria-label={summary}>
      <svg width="100%" height={HEIGHT} aria-hidden="true">
        {levels.map(({ value, text }) => (
          <text key={value} x="100%" y={valueToY(value, view, FRAME) + 4} textAnchor="end">
            {text}
          </text>
        ))}
      </svg>
      <svg className="past-plot" width="100%" height={HEIGHT} aria-hidden="true">
        {levels.map(({ value }) => {
          const y = valueToY(value, view, FRAME);
          return <line key={value} x2="100%" y1={y} y2={y} />;
        })}
        {roomyTicks(view).map(({ x, text, anchor }) => (
          <g key={x}>
            <line x1={`${x}%`} x2={`${x}%`} y1={floor} y2={floor + 5} />
            <text x={`${x}%`} y={HEIGHT - 8} textAnchor={anchor}>
              {text}
            </text>
          </g>
        ))}
        <svg
          width="100%"
          height={HEIGHT}
          aria-hidden="true"
          viewBox={`0 0 100 ${HEIGHT}`}
          preserveAspectRatio="none"
        >
          <path d={linePath(points, view, view, FRAME)} />
        </svg>
        {last && (
          <circle cx={`${timeToX(last.at, view, FRAME)}%`} cy={valueToY(last.value, view, FRAME)} r="4" />
        )}
      </svg>
    </div>
  );
}
