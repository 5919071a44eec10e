import type { Page } from 'playwright-core';

export const PROVIDER_ORIGIN = 'https://www.tradingview-widget.com';
const LOADED = `{ name: 'tv-widget-load' }`;

/** Pages of a widget that reports its load at once, never, or after a click inside it. */
const WIDGETS = {
  answers: `<script>parent.postMessage(${LOADED}, '*')</script>`,
  silent: '',
  late: `<button onclick="parent.postMessage(${LOADED}, '*')">Speak</button>`,
} as const;

/** Behaviour of the provider. 'blocked' aborts its requests; 'hanging' never responds. */
export type ProviderWay = keyof typeof WIDGETS | 'blocked' | 'hanging';

/** Replaces the charting provider: the page's requests get the response of `way`, which may change between requests. */
export async function standInForProvider(page: Page, way: () => ProviderWay): Promise<void> {
  await page.route(`${PROVIDER_ORIGIN}/**`, async (route) => {
    const now = way();
    if (now === 'hanging') return;
    if (now === 'blocked') await route.abort('blockedbyclient');
    else {
      const body = `<!doctype html><title>${now}</title><p>Widget</p>${WIDGETS[now]}`;
      await route.fulfill({ contentType: 'text/html', body });
    }
  });
}
