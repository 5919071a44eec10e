/**
 * Has the browser keep the page itself, for a reload without network. Only of a production build, and where the
 * browser offers it; a browser that refuses shows the page all the same.
 */
export function registerServiceWorker(): void {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return;
  navigator.serviceWorker.register(new URL('service-worker.js', document.baseURI)).catch(() => {});
}
