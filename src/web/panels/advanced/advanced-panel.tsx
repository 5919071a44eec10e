import { memo, useDeferredValue, useState } from 'react';
import type { AdvancedView } from '#views/model.ts';
import { ChevronIcon } from '../../ui/icons.tsx';
import { StillWhileHidden, sameProps } from '../../ui/still-while-hidden.tsx';
import { Breadth, Indicators, Sectors } from './advanced-sections.tsx';

/** The panel with all inputs of the signal, closed until its header is clicked. */
export const AdvancedPanel = memo(function AdvancedPanel({ view }: { view: AdvancedView }) {
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
          <ChevronIcon className="advanced-chevron" />
        </button>
      </h2>
      <div id="advanced-content" className="advanced-content" hidden={!shown}>
        <StillWhileHidden hidden={!shown}>
          {view.indicators !== null && <Indicators view={view.indicators} />}
          {view.sectors !== null && <Sectors view={view.sectors} />}
          {view.breadth !== null && <Breadth view={view.breadth} />}
        </StillWhileHidden>
      </div>
    </section>
  );
}, sameProps);
