import './advanced-content.css';
import type { AdvancedView } from '#views/model.ts';
import { FigureHistory, type LoadFigure } from '../history/figure-history.tsx';
import { Breadth, Indicators, Sectors } from './advanced-sections.tsx';

/** In this file, which the page fetches anyway, because a file of its own would cost a request. */
export { FigureHistory };

interface AdvancedContentProps {
  view: AdvancedView;
  /** Absent on a page without histories. */
  load?: LoadFigure;
}

/** The parts of the panel. A browser fetches this code after the first paint and until then shows the markup. */
export function AdvancedContent({ view: { indicators, sectors, breadth }, load }: AdvancedContentProps) {
  return (
    <>
      {indicators !== null && <Indicators view={indicators} load={load} />}
      {sectors !== null && <Sectors view={sectors} load={load} />}
      {breadth !== null && <Breadth view={breadth} />}
    </>
  );
}
