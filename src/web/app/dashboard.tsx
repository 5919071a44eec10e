import { memo, Suspense, useEffect, useRef } from 'react';
import type { DashboardView } from '#views/model.ts';
import { widgetsDemoNote } from '#views/page-texts.ts';
import { AdvancedPanel } from '../panels/advanced/advanced-panel.tsx';
import { FearGreedPanel } from '../panels/fear-greed/fear-greed-panel.tsx';
import { IndexStrip } from '../panels/indices/index-strip.tsx';
import { InsightsPanel } from '../panels/insights/insights-panel.tsx';
import { MetricsPanel } from '../panels/metrics/metrics-panel.tsx';
import { Origins } from '../panels/origins/origins.tsx';
import { SentimentPanel } from '../panels/sentiment/sentiment-panel.tsx';
import { SignalPanel } from '../panels/signal/signal-panel.tsx';
import { MoreWidgets, PriceChart } from '../panels/widgets/widgets.tsx';
import { HasServerPages, NewestAt, ReadAt } from '../ui/page-context.tsx';
import { layOut } from './after-load.ts';
import type { Dependencies } from './dependencies.ts';

interface DashboardProps {
  view: DashboardView;
  record: string | null | undefined;
  hasServerPages: boolean;
  /** Time at which the rows of the page were read (epoch ms). */
  readAt: number;
  dependencies: Dependencies;
  widgetSymbols: string | null;
}

/**
 * The sections in their specified order, without those that have no data, and the origins of their numbers. Each
 * section hydrates separately after the first visible part, so that the browser stays responsive. Memoised: a change
 * elsewhere would otherwise hydrate all sections at once.
 */
export const Dashboard = memo(function Dashboard(props: DashboardProps) {
  const { view, record, hasServerPages, readAt, dependencies, widgetSymbols } = props;
  const place = useRef<HTMLDivElement>(null);
  const demoNote = widgetsDemoNote(view.demo);
  // A refresh may add a section.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs again for each new view
  useEffect(() => layOut(place.current), [view]);
  return (
    <HasServerPages value={hasServerPages}>
      <ReadAt value={readAt}>
        <div ref={place} className="sections">
          {view.indices !== null && <IndexStrip view={view.indices} />}
          <SignalPanel view={view.signal} record={record} />
          <Suspense>{view.sentiment !== null && <SentimentPanel view={view.sentiment} />}</Suspense>
          <Suspense>
            <NewestAt value={view.age?.asOf.instant ?? null}>
              <PriceChart symbols={widgetSymbols} demoNote={demoNote} loadCloses={dependencies.loadCloses} />
            </NewestAt>
          </Suspense>
          <Suspense>
            {view.fearGreed !== null && (
              <FearGreedPanel
                view={view.fearGreed}
                loadHistory={dependencies.loadHistory}
                loadComponents={dependencies.loadComponents}
              />
            )}
          </Suspense>
          <Suspense>{view.metrics !== null && <MetricsPanel view={view.metrics} />}</Suspense>
          <Suspense>
            <MoreWidgets demoNote={demoNote} />
          </Suspense>
          <Suspense>{view.advanced !== null && <AdvancedPanel view={view.advanced} />}</Suspense>
          <Suspense>{view.insights !== null && <InsightsPanel view={view.insights} />}</Suspense>
          <Suspense>
            {view.sources !== null && <Origins sources={view.sources} load={dependencies.loadOrigins} />}
          </Suspense>
        </div>
      </ReadAt>
    </HasServerPages>
  );
});
