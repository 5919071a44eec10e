import type { ClosesView } from '#views/closes-view.ts';
import type { AdvancedView, DashboardView, FearGreedView } from '#views/model.ts';
import { Breadth } from '../panels/advanced/breadth.tsx';
import { Indicators } from '../panels/advanced/indicators.tsx';
import { Sectors } from '../panels/advanced/sectors.tsx';
import { Overview } from '../panels/fear-greed/overview.tsx';
import { IndexStrip } from '../panels/indices/index-strip.tsx';
import { InsightsPanel } from '../panels/insights/insights-panel.tsx';
import { MetricsPanel } from '../panels/metrics/metrics-panel.tsx';
import { SentimentPanel } from '../panels/sentiment/sentiment-panel.tsx';
import { SignalPanel } from '../panels/signal/signal-panel.tsx';
import { PastCloses } from './past-closes.tsx';

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
