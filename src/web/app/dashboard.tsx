import { memo, type ReactElement, Suspense, useRef } from 'react';
import type { DashboardView } from '#views/model.ts';
import { AdvancedPanel } from '../panels/advanced/advanced-panel.tsx';
import { FearGreedPanel } from '../panels/fear-greed/fear-greed-panel.tsx';
import { IndexStrip } from '../panels/indices/index-strip.tsx';
import { InsightsPanel } from '../panels/insights/insights-panel.tsx';
import { MetricsPanel } from '../panels/metrics/metrics-panel.tsx';
import { Origins } from '../panels/origins/origins.tsx';
import { SentimentPanel } from '../panels/sentiment/sentiment-panel.tsx';
import { SignalPanel } from '../panels/signal/signal-panel.tsx';
import { MoreWidgets, PriceChart } from '../panels/widgets/widgets.tsx';
import { ReadAt } from '../ui/read-at.ts';
import type { Dependencies } from './dependencies.ts';
import { LaidOut } from './laid-out.tsx';

interface DashboardProps {
  view: DashboardView;
  /** When its rows were read, epoch ms. */
  readAt: number;
  loadHistory: Dependencies['loadHistory'];
  loadCloses: Dependencies['loadCloses'];
  loadOrigins: Dependencies['loadOrigins'];
  widgetSymbols: string | null;
}

/**
 * The sections in their specified order, one without data left out, and where their numbers come from. A browser that
 * takes a page over goes about it section by section, each for itself once what is seen first is done: one that does
 * nothing else meanwhile answers late. Memoised, or a change elsewhere would have it take over all at once.
 */
export const Dashboard = memo(function Dashboard(props: DashboardProps) {
  const { view, readAt, loadHistory, loadCloses, loadOrigins, widgetSymbols } = props;
  const place = useRef<HTMLDivElement>(null);
  // Taken over in a step of its own. A component would render with every refresh, whatever it changed.
  const section = (content: ReactElement | false) => (
    <Suspense>
      {content}
      {content !== false && <LaidOut place={place} />}
    </Suspense>
  );
  return (
    <ReadAt value={readAt}>
      <div ref={place} className="sections">
        {view.indices !== null && (
          <>
            <IndexStrip view={view.indices} />
            <LaidOut place={place} />
          </>
        )}
        <SignalPanel view={view.signal} />
        <LaidOut place={place} />
        {section(view.sentiment !== null && <SentimentPanel view={view.sentiment} />)}
        {section(<PriceChart symbols={widgetSymbols} loadCloses={loadCloses} />)}
        {section(
          view.fearGreed !== null && <FearGreedPanel view={view.fearGreed} loadHistory={loadHistory} />,
        )}
        {section(view.metrics !== null && <MetricsPanel view={view.metrics} />)}
        {section(<MoreWidgets />)}
        {section(view.advanced !== null && <AdvancedPanel view={view.advanced} />)}
        {section(view.insights !== null && <InsightsPanel view={view.insights} />)}
        {section(view.sources !== null && <Origins sources={view.sources} load={loadOrigins} />)}
      </div>
    </ReadAt>
  );
});
