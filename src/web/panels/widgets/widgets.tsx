import { memo } from 'react';
import { PROVIDER } from './embed.ts';
import { heatmapSettings, hotlistsSettings, marketOverviewSettings, type WidgetColours } from './settings.ts';
import { Widget } from './widget.tsx';

const priceChartSettings = (colours: WidgetColours) => marketOverviewSettings(colours, '1M');

/** The market overview over one month. */
export const PriceChart = memo(function PriceChart() {
  return (
    <Widget
      id="market-overview"
      title="Price Chart"
      height={500}
      settings={priceChartSettings}
      link={{ url: `${PROVIDER.url}markets/indices/`, text: 'Market overview' }}
    />
  );
});

/** Top gainers and losers, and the heatmap of the S&P 500. */
export const MoreWidgets = memo(function MoreWidgets() {
  return (
    <div className="more-widgets">
      <Widget
        id="hotlists"
        title="Top Gainers and Losers"
        height={550}
        settings={hotlistsSettings}
        link={{ url: `${PROVIDER.url}markets/stocks-usa/market-movers-gainers/`, text: 'Market movers' }}
      />
      <Widget
        id="stock-heatmap"
        title="S&P 500 Heatmap"
        height={600}
        settings={heatmapSettings}
        link={{ url: `${PROVIDER.url}heatmap/stock/`, text: 'Stock heatmap' }}
      />
    </div>
  );
});
