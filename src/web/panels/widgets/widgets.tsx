import { memo } from 'react';
import { HEATMAP, HOTLISTS, PRICE_CHART, PROVIDER } from './specified.ts';
import { type LoadCloses, Widget } from './widget.tsx';

interface PriceChartProps {
  /** The configured symbols; null for the defaults. */
  symbols: string | null;
  demoNote: string | null;
  loadCloses: LoadCloses;
}

/** The market overview over one month. */
export const PriceChart = memo(function PriceChart(props: PriceChartProps) {
  return (
    <Widget
      id="market-overview"
      title="Price Chart"
      height={PRICE_CHART.height}
      link={{ url: `${PROVIDER.url}markets/indices/`, text: 'Market overview' }}
      {...props}
    />
  );
});

/** Top gainers and losers, and the heatmap of the S&P 500. */
export const MoreWidgets = memo(function MoreWidgets({ demoNote }: Pick<PriceChartProps, 'demoNote'>) {
  return (
    <div className="more-widgets">
      <Widget
        id="hotlists"
        title="Top Gainers and Losers"
        height={HOTLISTS.height}
        link={{ url: `${PROVIDER.url}markets/stocks-usa/market-movers-gainers/`, text: 'Market movers' }}
        demoNote={demoNote}
      >
        <p className="widget-privacy small">
          {`Price chart, movers and heatmap are frames from ${PROVIDER.name}, which sees your IP address, your browser and this site’s address and may set cookies. Nothing else reaches it from here.`}
        </p>
      </Widget>
      <Widget
        id="stock-heatmap"
        title="S&P 500 Heatmap"
        height={HEATMAP.height}
        link={{ url: `${PROVIDER.url}heatmap/stock/`, text: 'Stock heatmap' }}
        demoNote={demoNote}
      />
    </div>
  );
});
