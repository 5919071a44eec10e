import { memo, useCallback, useDeferredValue, useState } from 'react';
import type { DataAgeView } from '#views/data-age-view.ts';
import type { FearGreedView } from '#views/fear-greed-view.ts';
import { staleText } from '#views/page-texts.ts';
import { About } from '../../ui/about.tsx';
import { useMarkupClock } from '../../ui/clocks.tsx';
import { sameProps } from '../../ui/page-context.tsx';
import { OriginsLink } from '../origins/origins.tsx';
import { fetchTimeline, type LoadComponents, LoadedTimeline, type LoadHistory } from './loaded-timeline.tsx';
import { type GaugeOf, Overview } from './overview.tsx';
import { TabList, type TabName, tabPanelProps } from './tabs.tsx';

interface FearGreedPanelProps {
  view: FearGreedView;
  age: DataAgeView | null;
  Gauge: GaugeOf;
  loadHistory: LoadHistory;
  loadComponents: LoadComponents;
}

export const FearGreedPanel = memo(function FearGreedPanel(props: FearGreedPanelProps) {
  const { view, age, Gauge, loadHistory, loadComponents } = props;
  const [tab, setTab] = useState<TabName>('overview');
  const read = useCallback((time: number) => age && staleText(age, time), [age]);
  const isStale = useMarkupClock(read) !== null;
  // Hiding a timeline with an open table is faster than removing it.
  const lastTab = useDeferredValue(tab);
  return (
    <section className="card" aria-labelledby="fear-greed-title">
      <div className="panel-head">
        <h2 id="fear-greed-title">Fear &amp; Greed Index</h2>
        <About of="fearGreed" name="Fear & Greed" />
        <span className="quiet small">{`as of ${view.asOf.text}`}</span>
        {view.mixed && (
          <span className="quiet small">
            * of <OriginsLink>an earlier session</OriginsLink>
          </span>
        )}
        <div className="fear-greed-tabs">
          <TabList selected={tab} onSelect={setTab} onNear={fetchTimeline} />
        </div>
      </div>
      <div {...tabPanelProps('overview', tab)}>
        <Overview view={view} isStale={isStale} Gauge={Gauge} load={loadComponents} />
      </div>
      <div {...tabPanelProps('timeline', tab)} className="timeline-place">
        {(tab === 'timeline' || lastTab === 'timeline') && <LoadedTimeline load={loadHistory} />}
      </div>
    </section>
  );
}, sameProps);
