import { useEffect, useRef, useState } from 'react';
import { useFirstView } from '../../ui/use-first-view.ts';
import { embedUrl, PROVIDER, type WidgetId, type WidgetSettings } from './embed.ts';
import type { WidgetColours } from './settings.ts';
import { useSilence } from './use-silence.ts';
import { widgetColours } from './widget-colours.ts';

// The attribution under the frame is part of the widget's height.
const ATTRIBUTION_HEIGHT = 32;

interface WidgetProps {
  id: WidgetId;
  title: string;
  /** Pixels, attribution included. */
  height: number;
  settings: (colours: WidgetColours) => WidgetSettings;
  /** Where the same can be seen at the provider, and what the link says. */
  link: { url: string; text: string };
}

/**
 * A widget of the charting provider in a frame of ours: none of its script runs in this page. The frame is
 * made in the browser only, as its address carries the colours of the tokens.
 */
export function Widget({ id, title, height, settings, link }: WidgetProps) {
  const [place, near] = useFirstView<HTMLDivElement>({ margin: '400px' });
  const frame = useRef<HTMLIFrameElement>(null);
  const [attempt, setAttempt] = useState(0);
  const [url, setUrl] = useState<string | null>(null);
  const silent = useSilence(frame, near, attempt);

  useEffect(() => {
    setUrl(embedUrl(id, settings(widgetColours())));
  }, [id, settings]);

  function retry() {
    place.current?.focus({ preventScroll: true });
    setAttempt(attempt + 1);
  }

  return (
    <section className="card widget" aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`}>{title}</h2>
      {/* Takes the focus from Retry, which goes with its note. */}
      <div ref={place} className="widget-place" tabIndex={-1}>
        <svg className="widget-height" width="1" height={height - ATTRIBUTION_HEIGHT} aria-hidden="true" />
        {/* The note takes its room from the frame, which may work after all: neither covers the other. */}
        <div className="widget-content">
          {silent && (
            <div className="widget-note" role="status">
              <p>
                This chart has not answered. It may be blocked or offline.{' '}
                <a href={link.url} target="_blank" rel="noopener nofollow">
                  Open it at {PROVIDER.name}
                </a>
              </p>
              <button type="button" className="button" onClick={retry}>
                Retry
              </button>
            </div>
          )}
          {url !== null && (
            <iframe
              // The address differs after the hash only, which alone would not reload.
              key={`${attempt} ${url}`}
              ref={frame}
              className="widget-frame"
              title={title}
              src={url}
              height={height - ATTRIBUTION_HEIGHT}
              loading="lazy"
              sandbox="allow-scripts allow-same-origin allow-popups allow-popups-to-escape-sandbox"
              referrerPolicy="strict-origin-when-cross-origin"
            />
          )}
        </div>
      </div>
      <p className="widget-attribution small">
        <a href={link.url} target="_blank" rel="noopener nofollow">
          {link.text}
        </a>{' '}
        by {PROVIDER.name}
      </p>
    </section>
  );
}
