import type { AdvancedView } from '#views/advanced-view.ts';
import type { ClosesView } from '#views/closes-view.ts';
import type { DashboardView } from '#views/dashboard-view.ts';
import type { FearGreedView } from '#views/fear-greed-view.ts';
import type { SignalView } from '#views/signal-view.ts';
import { acrossPlot, downPlot, Plot, plotPath } from '../charts/plot.tsx';
import { AdvancedContent } from '../panels/advanced/advanced-content.tsx';
import { Gauge } from '../panels/fear-greed/gauge.tsx';
import { Overview } from '../panels/fear-greed/overview.tsx';
import { IndexStrip } from '../panels/indices/index-strip.tsx';
import { InsightsPanel } from '../panels/insights/insights-panel.tsx';
import { MetricsPanel } from '../panels/metrics/metrics-panel.tsx';
import { SentimentPanel } from '../panels/sentiment/sentiment-panel.tsx';
import { SignalPanel } from '../panels/signal/signal-panel.tsx';
import { VerdictScale } from './verdict-scale.tsx';

/** The sections of the dashboard without a script: nothing is folded, there are no tabs, and our own chart replaces the widgets. */
export function PastScreen({
  dashboard,
  closes,
}: Readonly<{ dashboard: DashboardView; closes: ClosesView }>) {
  const { indices, signal, sentiment, fearGreed, metrics, advanced, insights } = dashboard;
  return (
    <div className="sections">
      {indices !== null && <IndexStrip view={indices} />}
      <SignalPanel view={signal} scale={<Scale view={signal} />} />
      {sentiment !== null && <SentimentPanel view={sentiment} />}
      <PastCloses view={closes} />
      {fearGreed !== null && <FearGreed view={fearGreed} />}
      {metrics !== null && <MetricsPanel view={metrics} />}
      {advanced !== null && <Advanced view={advanced} />}
      {insights !== null && <InsightsPanel view={insights} />}
    </div>
  );
}

/** A past day has no line of the weeks before it, only its own score. */
function Scale({ view: { score, range } }: { view: SignalView }) {
  if (score.value === null) return null;
  return <VerdictScale score={score.value} low={range?.low ?? null} high={range?.high ?? null} />;
}

function FearGreed({ view }: { view: FearGreedView }) {
  return (
    <section className="card" aria-labelledby="fear-greed-title">
      <div className="panel-head">
        <h2 id="fear-greed-title">Fear &amp; Greed Index</h2>
        <span className="quiet small">{`as of ${view.asOf.text}`}</span>
        {view.mixed && <span className="quiet small">* of an earlier session</span>}
      </div>
      <Overview view={view} isStale Gauge={Gauge} />
    </section>
  );
}

function Advanced({ view }: { view: AdvancedView }) {
  return (
    <section className="card" aria-labelledby="advanced-title">
      <h2 id="advanced-title">{view.title}</h2>
      <div className="past-advanced">
        <AdvancedContent view={view} />
      </div>
    </section>
  );
}

const BOX = { width: 1000, height: 1000 };

function PastCloses({ view }: { view: ClosesView }) {
  const { title, points, change, asOfText, demo, emptyText, levels, ticks, summary } = view;
  const last = points.at(-1);
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
      {last === undefined ? (
        <p className="quiet">{emptyText}</p>
      ) : (
        <Plot
          {...{ summary, levels, ticks }}
          span={view}
          scale={view}
          box={BOX}
          shapes={<path d={plotPath(points, view, view, BOX)} />}
        >
          <circle cx={acrossPlot(last.at, view)} cy={downPlot(last.value, view)} r="4" />
        </Plot>
      )}
    </section>
  );
}
