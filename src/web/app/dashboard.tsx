import { memo, type ReactNode, Suspense, useEffect, useRef, useState } from 'react';
import type { DashboardView } from '#views/dashboard-view.ts';
import { AdvancedPanel } from '../panels/advanced/advanced-panel.tsx';
import { FearGreedPanel } from '../panels/fear-greed/fear-greed-panel.tsx';
import { IndexStrip } from '../panels/indices/index-strip.tsx';
import { InsightsPanel } from '../panels/insights/insights-panel.tsx';
import { MetricsPanel } from '../panels/metrics/metrics-panel.tsx';
import { Origins } from '../panels/origins/origins.tsx';
import { SentimentPanel } from '../panels/sentiment/sentiment-panel.tsx';
import { SignalPanel } from '../panels/signal/signal-panel.tsx';
import { MoreWidgets, PriceChart } from '../panels/widgets/widgets.tsx';
import { ReadAt } from '../ui/load-part.tsx';
import { HasServerPages } from '../ui/page-context.tsx';
import { layOut } from './after-load.ts';
import type { PageSettings } from './configuration.ts';
import type { Dependencies, Loaded } from './dependencies.ts';

interface DashboardProps extends Pick<PageSettings, 'widgetSymbols' | 'ownWidgets'> {
  view: DashboardView;
  /** The page's own data; null if it has none, as on a static host, which has no other pages either. */
  initial: Loaded | null;
  /** Time at which the rows of the page were read (epoch ms). */
  readAt: number;
  dependencies: Dependencies;
}

/** A section that hydrates separately, after the first visible part, so that the browser stays responsive. */
const inSlice = (section: ReactNode) => <Suspense>{section}</Suspense>;

/** The sections that have data, in their order. Memoised: another change would hydrate all sections at once. */
export const Dashboard = memo(function Dashboard(props: DashboardProps) {
  const { view, initial, readAt, dependencies, widgetSymbols, ownWidgets } = props;
  const place = useRef<HTMLDivElement>(null);
  const [sticky, setSticky] = useState<typeof import('./sticky-line.tsx') | null>(null);
  useEffect(() => {
    // The page is complete without the line, so a failure needs no message.
    const load = () => import('./sticky-line.tsx').then(setSticky, () => {});
    addEventListener('scroll', load, { once: true });
    return () => removeEventListener('scroll', load);
  }, []);
  const widget = { demo: view.demo, isOwn: ownWidgets };
  // A refresh may add a section.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs again for each new view
  useEffect(() => layOut(place.current), [view]);
  return (
    <HasServerPages value={initial !== null}>
      <ReadAt value={readAt}>
        {sticky && <sticky.StickyLine view={view} />}
        <div ref={place} className="sections">
          {view.indices !== null && <IndexStrip view={view.indices} />}
          <SignalPanel
            view={view.signal}
            record={initial?.record}
            risk={initial?.risk}
            trail={initial?.trail}
            age={view.age}
          />
          {inSlice(view.sentiment && <SentimentPanel view={view.sentiment} />)}
          {inSlice(<PriceChart {...widget} symbols={widgetSymbols} load={dependencies.loadCloses} />)}
          {inSlice(
            view.fearGreed && (
              <FearGreedPanel
                view={view.fearGreed}
                age={view.age}
                Gauge={dependencies.Gauge}
                loadHistory={dependencies.loadHistory}
                loadComponents={dependencies.loadComponents}
              />
            ),
          )}
          {inSlice(view.metrics && <MetricsPanel view={view.metrics} load={dependencies.loadFigure} />)}
          {inSlice(<MoreWidgets {...widget} load={dependencies.loadStocks} />)}
          {inSlice(
            view.advanced && (
              <AdvancedPanel
                view={view.advanced}
                Content={dependencies.AdvancedContent}
                load={dependencies.loadFigure}
              />
            ),
          )}
          {inSlice(view.insights && <InsightsPanel view={view.insights} />)}
          {inSlice(
            view.sources && (
              <Origins sources={view.sources} advanced={view.advanced} load={dependencies.loadOrigins} />
            ),
          )}
        </div>
      </ReadAt>
    </HasServerPages>
  );
});
