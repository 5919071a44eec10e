import { lazy, type ReactElement, StrictMode, useCallback, useEffect, useRef, useState } from 'react';
import type { DemoView } from '#views/sources-view.ts';
import { PageClock } from '../ui/clocks.tsx';
import { LoadBoundary } from '../ui/load-part.tsx';
import type { PageSettings } from './configuration.ts';
import { Dashboard } from './dashboard.tsx';
import type { Dependencies, Loaded } from './dependencies.ts';
import { repeatEarlyInput } from './early-input.ts';
import { Header } from './header.tsx';
import { LoadError, Loading } from './loading.tsx';
import { DismissButton, RefreshNotice, StaleNotice } from './refresh-notice.tsx';
import { useDashboard } from './use-dashboard.ts';

const SubscribeDialog = lazy(async () => ({
  default: (await import('../panels/subscribe/subscribe-dialog.tsx')).SubscribeDialog,
}));

interface AppProps extends PageSettings {
  initial: Loaded | null;
  /** Must be of stable identity: another `load` reads the page again. */
  dependencies: Dependencies;
}

/** The whole page. A server or a browser renders it; clock, storage and network come from `dependencies`. */
export function App(props: AppProps) {
  const { productName, widgetSymbols, ownWidgets, doubleOptIn, initial, dependencies } = props;
  const [state, refresh] = useDashboard(dependencies, initial);
  const [subscribing, setSubscribing] = useState(false);
  const draft = useRef('');
  const stopSubscribing = useCallback(() => setSubscribing(false), []);
  const main = useRef<HTMLElement>(null);
  useEffect(() => {
    // In its own task, because React handles no event inside an effect.
    setTimeout(repeatEarlyInput);
  }, []);

  /** Moves the focus out of a button that is about to disappear, so that a keyboard user does not lose it. */
  const takeFocus = useCallback(() => main.current?.focus({ preventScroll: true }), []);

  function dismissDialog() {
    takeFocus();
    stopSubscribing();
  }

  function retry() {
    takeFocus();
    refresh();
  }

  const loaded = state.phase === 'loaded' ? state.loaded : null;
  const demo = loaded?.view.demo;

  return (
    <div className="page">
      {loaded !== null && (
        <p className="skip">
          <a href="#signal-title">Skip to Market Signal</a>{' '}
          {loaded.view.fearGreed && <a href="#fear-greed-title">Skip to Fear &amp; Greed</a>}
        </p>
      )}
      <Header
        productName={productName}
        ageNote={props.ageNote}
        view={loaded?.view ?? null}
        loadedAt={loaded?.at ?? null}
        nextRefreshAt={state.nextRefreshAt}
        refreshing={state.phase === 'loading' || (state.phase === 'loaded' && state.refreshing)}
        hasServerPages={initial !== null}
        onRefresh={refresh}
        onSubscribe={() => setSubscribing(true)}
      />
      <main ref={main} tabIndex={-1}>
        {loaded !== null && (
          <noscript>
            <p className="quiet">JavaScript is off, so the numbers do not refresh.</p>
          </noscript>
        )}
        {state.phase === 'loaded' && state.loaded.isStale && state.failure === null && (
          <StaleNotice at={state.loaded.at} />
        )}
        {state.phase === 'loaded' && <RefreshNotice state={state} onRetry={retry} onDismiss={takeFocus} />}
        {state.phase === 'loading' && <Loading />}
        {state.phase === 'failed' && <LoadError message={state.failure.message} onRetry={retry} />}
        {loaded !== null && (
          <Dashboard
            view={loaded.view}
            initial={initial}
            readAt={loaded.at}
            dependencies={dependencies}
            widgetSymbols={widgetSymbols}
            ownWidgets={ownWidgets}
          />
        )}
      </main>
      {/* A new footer element does not count as a layout shift when the length of the page changes. */}
      <Footer key={state.phase} productName={productName} demo={demo} />
      {subscribing && (
        <LoadBoundary
          className="card chip-notice notice"
          beside={<DismissButton onDismiss={dismissDialog} />}
        >
          <SubscribeDialog
            subscribe={dependencies.subscribe}
            draft={draft}
            doubleOptIn={doubleOptIn}
            elsewhere={props.subscribeAt}
            demo={demo}
            onClose={stopSubscribing}
          />
        </LoadBoundary>
      )}
    </div>
  );
}

/** The React tree of the page. The server and the hydrating browser must render the same tree. */
export function pageTree(
  settings: PageSettings,
  initial: Loaded | null,
  dependencies: Dependencies,
): ReactElement {
  return (
    <StrictMode>
      <PageClock value={{ now: dependencies.now, readAt: initial?.at ?? null }}>
        <App {...settings} initial={initial} dependencies={dependencies} />
      </PageClock>
    </StrictMode>
  );
}

interface FooterProps {
  productName: string;
  demo: DemoView | null | undefined;
}

/** The footer, with the notice that the page is not financial advice. The data of a real market have no other purpose. */
export function Footer({ productName, demo }: FooterProps) {
  const purpose = demo === null ? 'is' : 'shows this data for demonstration only. It is';
  return (
    <footer className="footer quiet small">
      <p>{`${productName} ${purpose} not financial advice.`}</p>
      {/* The browser waits for this element before its first paint, see index.html. */}
      <i id="page-end" hidden />
    </footer>
  );
}
