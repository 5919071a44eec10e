import { lazy, memo, type ReactNode } from 'react';
import type { DemoView } from '#views/sources-view.ts';
import { useFirstView } from '../../ui/first-view.ts';
import { LoadBoundary } from '../../ui/load-part.tsx';
import { PROVIDER, WIDGETS, type WidgetId } from './specified.ts';

const WidgetContent = lazy(async () => ({ default: (await import('./widget-content.tsx')).WidgetContent }));

// Must equal the value in widgets.css: the attribution under the frame is part of the widget's height.
const ATTRIBUTION_HEIGHT = 32;

/** Reads the rows of the page's own drawing. Throws an error whose message is for visitors. */
export type LoadOwn = () => Promise<readonly unknown[]>;

/** Props of every widget of the page. */
export interface WidgetCommon {
  /** Null on a page of actual data. */
  demo: DemoView | null;
  /** True if the page has its own drawings only, and nothing of the provider. */
  isOwn: boolean;
  load: LoadOwn;
}

interface WidgetProps extends WidgetCommon {
  id: WidgetId;
  /** The configured symbols; null for the defaults. */
  symbols?: string | null;
  /** Further content of a card with a frame. */
  children?: ReactNode;
}

/** The card of a widget. It has its final height from the start, and loads its content when it comes near. */
function Widget({ children, ...content }: WidgetProps) {
  const { id, isOwn } = content;
  const { title, height, path, link } = WIDGETS[id];
  const [place, near] = useFirstView<HTMLDivElement>('400px');
  const inner = isOwn ? height : height - ATTRIBUTION_HEIGHT;
  return (
    <section className="card widget" aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>{title}</h2>
      <div ref={place} className="widget-place">
        <svg className="widget-height" width="1" height={inner} aria-hidden="true" />
        {near && (
          <LoadBoundary className="widget-content quiet">
            <WidgetContent {...content} title={title} height={inner} />
          </LoadBoundary>
        )}
      </div>
      {!isOwn && (
        <>
          <p className="widget-attribution small">
            <a href={PROVIDER.url + path} target="_blank" rel="noopener nofollow">
              {link}
            </a>
            {` on ${PROVIDER.name}`}
          </p>
          {children}
        </>
      )}
    </section>
  );
}

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
