import { type ComponentType, memo, useDeferredValue, useState } from 'react';
import type { AdvancedView } from '#views/advanced-view.ts';
import { Icon } from '../../ui/icons.tsx';
import { LoadBoundary } from '../../ui/load-part.tsx';
import { sameProps } from '../../ui/page-context.tsx';
import type { LoadFigure } from '../history/figure-history.tsx';

/** The content of the panel: at once on the server, and code of its own in a browser. */
export type AdvancedContentOf = ComponentType<{ view: AdvancedView; load: LoadFigure }>;

interface AdvancedPanelProps {
  view: AdvancedView;
  Content: AdvancedContentOf;
  load: LoadFigure;
}

/** The panel with all inputs of the signal, closed until its header is clicked. */
export const AdvancedPanel = memo(function AdvancedPanel({ view, Content, load }: AdvancedPanelProps) {
  const [open, setOpen] = useState(false);
  // Deferred, so that the button responds first: the content is a third of the page.
  const shown = useDeferredValue(open);
  return (
    <section className="card advanced" aria-labelledby="advanced-title">
      <h2>
        <button
          type="button"
          className="advanced-toggle"
          aria-expanded={open}
          aria-controls="advanced-content"
          onClick={() => setOpen(!open)}
        >
          <span id="advanced-title">{view.title}</span>
          <span className="chip">{view.metricCountText}</span>
          <Icon name="chevron" className="chevron" />
        </button>
      </h2>
      <div id="advanced-content" className="advanced-content" hidden={!shown}>
        <LoadBoundary>
          <Content view={view} load={load} />
        </LoadBoundary>
      </div>
    </section>
  );
}, sameProps);
