import './widget-frame.css';
import { lazy, type RefObject, Suspense, useMemo, useRef, useSyncExternalStore } from 'react';
import { LoadBoundary } from '../../ui/load-boundary.tsx';
import { currentChoice, SYSTEM_IS_DARK, subscribe, type Theme } from '../../ui/theme.ts';
import { embedUrl, type WidgetColours, type WidgetId, widgetSettings, widgetUrl } from './embed.ts';
import { PROVIDER } from './specified.ts';
import { DEFAULT_SYMBOLS, parseSymbols } from './symbols.ts';
import { type Phase, useWidget } from './use-widget.ts';
import type { LoadCloses, WidgetLink } from './widget.tsx';

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

const rows = (count: number, height: number) =>
  Array.from({ length: count }, (_, row) => `M0 ${row * height}h46v6h-46zm78 0h22v6h-22z`).join('');

/** Outlines of the widgets, in a box of 100 by 100. */
const SHAPES: Record<WidgetId, string> = {
  'market-overview': 'M0 24h100v.4H0zm0 22h100v.4H0zm0 22h100v.4H0zm0 22h100v.4H0zM0 0h60v8H0z',
  hotlists: rows(9, 11.6),
  'stock-heatmap':
    'M0 0h38v58H0zM39 0h24v36H39zM64 0h36v36H64zM39 37.5h34V70H39zM74 37.5h26V70H74zM0 59.5h38V100H0zM39 71.5h28V100H39zM68 71.5h18V100H68zM87 71.5h13V100H87z',
};

/** The placeholder of a widget that is not loaded. */
export function Ghost({ id }: { id: WidgetId }) {
  return (
    <svg className="widget-ghost" viewBox="0 0 100 100" preserveAspectRatio="none" aria-hidden="true">
      <path d={SHAPES[id]} />
    </svg>
  );
}

const WORDS: Record<Exclude<Phase, 'open' | 'answered'>, string> = {
  waiting: 'Trying again…',
  silent: 'This chart has not responded yet. It may be slow or blocked.',
  blocked: `${PROVIDER.name} does not respond. This network or browser may block it.`,
  offline: 'You are offline. This chart returns when the network does.',
};

interface WidgetNoteProps {
  phase: keyof typeof WORDS;
  link: WidgetLink;
  onRetry: () => void;
}

/** Shows why a widget is missing, with a link to the same content and a Retry button. */
export function WidgetNote({ phase, link, onRetry }: WidgetNoteProps) {
  return (
    <div className="widget-note">
      <p role="status">
        {WORDS[phase]}{' '}
        <a href={link.url} target="_blank" rel="noopener nofollow">
          Open it at {PROVIDER.name}
        </a>
      </p>
      <button type="button" className="button" onClick={onRetry} disabled={phase === 'waiting'}>
        Retry
      </button>
    </div>
  );
}

/** The theme in use, chosen by the visitor or the system; 'dark' while rendering on a server. */
export function useTheme(): Theme {
  return useSyncExternalStore<Theme>(
    subscribe,
    () => {
      const choice = currentChoice();
      if (choice !== 'system') return choice;
      return matchMedia(SYSTEM_IS_DARK).matches ? 'dark' : 'light';
    },
    () => 'dark',
  );
}

/** Opacity of the area under a line: parts of 255 in hex. */
const FILL = '1f';
const NONE = '00';

/** Reads the page's growth and fall colours (`#rrggbb`). Call it only in a React effect, because it needs computed styles. */
export function widgetColours(): WidgetColours {
  const style = getComputedStyle(document.documentElement);
  const growth = style.getPropertyValue('--growth').trim();
  const fall = style.getPropertyValue('--fall').trim();
  return {
    growth,
    fall,
    growthFill: growth + FILL,
    fallFill: fall + FILL,
    none: growth + NONE,
  };
}
