import { memo } from 'react';
import { PROVIDER } from './specified.ts';
import { Widget, type WidgetCommon } from './widget.tsx';

/** The market overview over one month, with the configured symbols. */
export const PriceChart = memo(function PriceChart(props: WidgetCommon & { symbols: string | null }) {
  return <Widget id="market-overview" {...props} />;
});

export const MoreWidgets = memo(function MoreWidgets(props: WidgetCommon) {
  return (
    <div className="more-widgets">
      <Widget id="hotlists" {...props}>
        <p className="widget-privacy small">
          {`Frames from ${PROVIDER.name} replace our own drawings once they have loaded. ${PROVIDER.name} then sees your IP address, your browser and this site’s address and may set cookies. Nothing else reaches it.`}
        </p>
      </Widget>
      <Widget id="stock-heatmap" {...props} />
    </div>
  );
});
