import { assetResponse, fillShell, kindOf, pageResponse, removeOldShells, type Shell } from './shell.ts';

/** Inserted by the build. */
declare const __SHELL__: Pick<Shell, 'assets' | 'build'>;

const worker = globalThis as unknown as ServiceWorkerGlobalScope;
const { registration } = worker;

const shell: Shell = {
  ...__SHELL__,
  scope: registration.scope,
  caches,
  fetch: (...request) => fetch(...request),
  wait: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
};

worker.addEventListener('install', (event) => {
  event.waitUntil(fillShell(shell).then(() => worker.skipWaiting()));
});

worker.addEventListener('activate', (event) => {
  const takeOver = async () => {
    await removeOldShells(shell);
    // Sends the request of the page while this worker starts.
    await registration.navigationPreload?.enable();
    await worker.clients.claim();
  };
  event.waitUntil(takeOver());
});

worker.addEventListener('fetch', (event) => {
  const kind = kindOf(event.request, shell.scope);
  if (kind === 'asset') event.respondWith(assetResponse(shell, event.request));
  if (kind === 'page' && event.request.mode === 'navigate') {
    event.respondWith(pageResponse(shell, event.request, event.preloadResponse));
  }
});
