import { memo } from 'react';
import { HEATMAP, HOTLISTS, PRICE_CHART, PROVIDER } from './specified.ts';
import { Widget, type WidgetCommon } from './widget.tsx';

interface PriceChartProps extends WidgetCommon {
  /** The configured symbols; null for the defaults. */
  symbols: string | null;
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
export const MoreWidgets = memo(function MoreWidgets(props: WidgetCommon) {
  return (
    <div className="more-widgets">
      <Widget
        id="hotlists"
        title="Top Gainers and Losers"
        height={HOTLISTS.height}
        link={{ url: `${PROVIDER.url}markets/stocks-usa/market-movers-gainers/`, text: 'Market movers' }}
        {...props}
      >
        <p className="widget-privacy small">
          {`Frames from ${PROVIDER.name} replace our own drawings once they have loaded. ${PROVIDER.name} then sees your IP address, your browser and this site’s address and may set cookies. Nothing else reaches it.`}
        </p>
      </Widget>
      <Widget
        id="stock-heatmap"
        title="S&P 500 Heatmap"
        height={HEATMAP.height}
        link={{ url: `${PROVIDER.url}heatmap/stock/`, text: 'Stock heatmap' }}
        {...props}
      />
    </div>
  );
});
