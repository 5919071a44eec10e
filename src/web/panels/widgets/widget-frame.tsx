import './widget-frame.css';
import { lazy, type RefObject, Suspense, useMemo, useRef } from 'react';
import { LoadBoundary } from '../../ui/load-boundary.tsx';
import { embedUrl, type WidgetId, widgetUrl } from './embed.ts';
import { Ghost } from './ghost.tsx';
import { widgetSettings } from './settings.ts';
import { DEFAULT_SYMBOLS, parseSymbols } from './symbols.ts';
import { useTheme } from './use-theme.ts';
import { useWidget } from './use-widget.ts';
import type { LoadCloses, WidgetLink } from './widget.tsx';
import { widgetColours } from './widget-colours.ts';
import { WidgetNote } from './widget-note.tsx';

const ClosesChart = lazy(async () => ({ default: (await import('./closes-chart.tsx')).ClosesChart }));

interface WidgetFrameProps {
  id: WidgetId;
  title: string;
  height: number;
  link: WidgetLink;
  /** The configured symbols; null for the defaults. */
  symbols: string | null;
  /** This element gets the focus when the note with the Retry button disappears. */
  place: RefObject<HTMLElement | null>;
  /** Reads the closes for our own chart, for a widget that has one as its fallback. */
  loadCloses: LoadCloses | null;
}

/**
 * The frame of a widget: none of the provider's script runs in this page. Rendered in the browser only, as
 * its address carries the colours of the tokens.
 */
export function WidgetFrame({ id, title, height, link, symbols, place, loadCloses }: WidgetFrameProps) {
  const theme = useTheme();
  const frame = useRef<HTMLIFrameElement>(null);
  const url = useMemo(() => {
    const chosen = (symbols === null ? null : parseSymbols(symbols)) ?? DEFAULT_SYMBOLS;
    return embedUrl(id, widgetSettings(id, { theme, colours: widgetColours() }, chosen));
  }, [id, theme, symbols]);
  const { phase, attempt, standIn, tryAgain, onLoad } = useWidget({
    frame,
    place,
    plainUrl: widgetUrl(id),
    url,
  });

  function retry() {
    place.current?.focus({ preventScroll: true });
    tryAgain();
  }

  const replaced = standIn || phase === 'silent';
  return (
    <div className="widget-content" data-phase={phase} data-stand-in={standIn}>
      {replaced && phase !== 'open' && phase !== 'answered' && (
        <WidgetNote phase={phase} link={link} onRetry={retry} />
      )}
      {replaced && loadCloses !== null && (
        <LoadBoundary className="widget-closes">
          <Suspense fallback={<div className="widget-closes" />}>
            <ClosesChart load={loadCloses} attempt={attempt} />
          </Suspense>
        </LoadBoundary>
      )}
      <iframe
        // Another attempt or theme may differ only after the hash, which does not reload the frame.
        key={attempt}
        ref={frame}
        className="widget-frame"
        title={title}
        src={url}
        height={height}
        loading="lazy"
        sandbox="allow-scripts allow-same-origin allow-popups allow-popups-to-escape-sandbox"
        referrerPolicy="strict-origin-when-cross-origin"
        onLoad={onLoad}
      />
      {(phase === 'waiting' || standIn) && !(standIn && loadCloses !== null) && <Ghost id={id} />}
    </div>
  );
}
