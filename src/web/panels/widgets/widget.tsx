import { lazy, type ReactNode, Suspense } from 'react';
import type { IndexClose } from '#views/closes-view.ts';
import { useFirstView } from '../../ui/first-view.ts';
import { LoadBoundary } from '../../ui/load-boundary.tsx';
import type { WidgetId } from './embed.ts';
import { PROVIDER } from './specified.ts';

const WidgetFrame = lazy(async () => ({ default: (await import('./widget-frame.tsx')).WidgetFrame }));

// Must equal the value in widgets.css: the attribution under the frame is part of the widget's height.
const ATTRIBUTION_HEIGHT = 32;

/** Reads a month of S&P 500 closes. Throws an error whose message is for visitors. */
export type LoadCloses = () => Promise<readonly IndexClose[]>;

/** Address of the same content at the provider, and the text of the link. */
export interface WidgetLink {
  url: string;
  text: string;
}

interface WidgetProps {
  id: WidgetId;
  title: string;
  /** Pixels, attribution included. */
  height: number;
  link: WidgetLink;
  symbols?: string | null;
  /** Sentence for a page of demonstration data; null on any other page. */
  demoNote: string | null;
  loadCloses?: LoadCloses;
  /** Further content of the card. */
  children?: ReactNode;
}

/**
 * The card of a widget of the charting provider. It has its final height from the start, and loads its frame when it
 * comes near.
 */
export function Widget({ id, title, height, link, symbols, demoNote, loadCloses, children }: WidgetProps) {
  const [place, near] = useFirstView<HTMLDivElement>('400px');
  const inner = height - ATTRIBUTION_HEIGHT;
  return (
    <section className="card widget" aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>{title}</h2>
      <div ref={place} className="widget-place" tabIndex={-1}>
        <svg className="widget-height" width="1" height={inner} aria-hidden="true" />
        {near && (
          <LoadBoundary className="widget-content quiet">
            <Suspense>
              <WidgetFrame
                {...{ id, title, link, place }}
                height={inner}
                symbols={symbols ?? null}
                loadCloses={loadCloses ?? null}
              />
            </Suspense>
          </LoadBoundary>
        )}
      </div>
      <p className="widget-attribution small">
        <a href={link.url} target="_blank" rel="noopener nofollow">
          {link.text}
        </a>
        {` by ${PROVIDER.name}`}
      </p>
      {demoNote !== null && <p className="widget-demo small">{demoNote}</p>}
      {children}
    </section>
  );
}
