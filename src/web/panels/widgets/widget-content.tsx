import './widget-content.css';
import {
  type ComponentType,
  lazy,
  type ReactNode,
  useEffect,
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import type { DemoView } from '#views/sources-view.ts';
import { LoadBoundary } from '../../ui/load-part.tsx';
import { currentChoice, observeChoice, type Theme } from '../../ui/theme.ts';
import { embedUrl, isLoadedMessage, type WidgetLook, widgetSettings } from './embed.ts';
import { PRICE_CHART, type WidgetId } from './specified.ts';
import { DEFAULT_SYMBOLS, parseSymbols } from './symbols.ts';
import type { LoadOwn, WidgetCommon } from './widgets.tsx';

/** The page's own drawing for each widget. */
const OWN = {
  'market-overview': lazy(async () => ({ default: (await import('./closes-chart.tsx')).ClosesChart })),
  hotlists: lazy(async () => ({ default: (await import('./stocks.tsx')).Movers })),
  'stock-heatmap': lazy(async () => ({ default: (await import('./stocks.tsx')).Heatmap })),
} as const;

interface WidgetContentProps extends WidgetCommon {
  id: WidgetId;
  title: string;
  height: number;
  /** The configured symbols; null for the defaults. */
  symbols?: string | null;
}

/** Our drawing, and behind it the provider's frame, which replaces it once loaded. Browser only: the address has colours. */
export function WidgetContent(props: WidgetContentProps) {
  const { id, isOwn, load } = props;
  // The type of a drawing by id is the union of all drawings.
  const Own = OWN[id] as ComponentType<{ load: LoadOwn }>;
  const own = (
    <LoadBoundary className="own quiet">
      <Own load={load} />
    </LoadBoundary>
  );
  return isOwn ? <div className="widget-content">{own}</div> : <Framed {...props}>{own}</Framed>;
}

function Framed(props: WidgetContentProps & { children: ReactNode }) {
  const { id, title, height, symbols, demo, children } = props;
  const theme = useTheme();
  const content = useRef<HTMLDivElement>(null);
  const frame = useRef<HTMLIFrameElement>(null);
  const url = useMemo(() => {
    const chosen = (symbols ? parseSymbols(symbols) : null) ?? DEFAULT_SYMBOLS;
    const look = { theme, colours: widgetColours() };
    return embedUrl(id, widgetSettings(id, look, chosen, PRICE_CHART.dateRange));
  }, [id, theme, symbols]);
  const [attempt, setAttempt] = useState(0);
  // Another theme differs only after the hash, which does not reload a frame.
  const key = `${attempt} ${url}`;
  const [loaded, setLoaded] = useState<string | null>(null);
  const isLoaded = loaded === key;

  useEffect(() => {
    const listen = ({ source, origin, data }: MessageEvent) => {
      const isFromFrame = source !== null && source === frame.current?.contentWindow;
      if (isFromFrame && isLoadedMessage(origin, data)) setLoaded(key);
    };
    const goOnline = () => !isLoaded && setAttempt(attempt + 1);
    window.addEventListener('message', listen);
    window.addEventListener('online', goOnline);
    return () => {
      window.removeEventListener('message', listen);
      window.removeEventListener('online', goOnline);
    };
  }, [key, attempt, isLoaded]);

  // The drawing disappears, so a keyboard user needs another place for the focus.
  useLayoutEffect(() => {
    if (isLoaded && content.current?.contains(document.activeElement))
      frame.current?.focus({ preventScroll: true });
  }, [isLoaded]);

  return (
    <div className="widget-content" data-loaded={isLoaded} ref={content}>
      {children}
      {isLoaded && demo !== null && <p className="widget-demo small">{BESIDE_FRAMES[demo.kind]}</p>}
      <iframe
        key={key}
        ref={frame}
        className="widget-frame"
        title={title}
        src={url}
        height={height}
        loading="lazy"
        sandbox="allow-scripts allow-same-origin allow-popups allow-popups-to-escape-sandbox"
        referrerPolicy="strict-origin-when-cross-origin"
      />
    </div>
  );
}

const BESIDE_FRAMES: Readonly<Record<DemoView['kind'], string>> = {
  simulated: 'This chart shows the real market. The other numbers on this page are invented.',
  replay: 'This chart shows the market of today. The other numbers on this page are past ones.',
};

const SYSTEM_IS_DARK = '(prefers-color-scheme: dark)';

/** Calls `changed` after each change of the choice or of the system's theme. Returns a function that stops this. */
function subscribeBoth(changed: () => void): () => void {
  const system = matchMedia(SYSTEM_IS_DARK);
  const stop = observeChoice(changed, document.documentElement);
  system.addEventListener('change', changed);
  return () => {
    stop();
    system.removeEventListener('change', changed);
  };
}

/** The theme in use, chosen by the visitor or the system; 'dark' while rendering on a server. */
function useTheme(): Theme {
  return useSyncExternalStore<Theme>(
    subscribeBoth,
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
function widgetColours(): WidgetLook['colours'] {
  const style = getComputedStyle(document.documentElement);
  const growth = style.getPropertyValue('--growth').trim();
  const fall = style.getPropertyValue('--fall').trim();
  return { growth, fall, growthFill: growth + FILL, fallFill: fall + FILL, none: growth + NONE };
}
