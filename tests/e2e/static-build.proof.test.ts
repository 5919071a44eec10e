import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { buildPage } from '../support/build-page.ts';
import { allowComplaints } from '../support/complaints.ts';
import { openBrowser } from '../support/pages.ts';
import { shared } from '../support/shared.ts';
import { type Site, type StaticHost, staticHost } from '../support/static-host.ts';

const NOT_CONFIGURED = 'Supabase is not configured. Please check your .env file.';
/** Text that only the analytics package contains. */
const ANALYTICS = /_vercel\/insights|window\.va\b|@vercel\/analytics/;
const SCRIPT = '/_vercel/insights/script.js';

const browser = shared(openBrowser);

const counting = (site: Site) =>
  [...site].filter(([, content]) => ANALYTICS.test(content.toString('utf8'))).map(([path]) => path);

async function open(host: StaticHost, before?: (page: Page) => Promise<unknown>): Promise<Page> {
  const page = await browser.newPage();
  await before?.(page);
  await page.goto(host.url);
  await page.getByText(NOT_CONFIGURED).waitFor();
  return page;
}

describe('a static build without settings', () => {
  let site: Site;
  let page: Page;
  const host = shared(async () => {
    ({ site } = await buildPage());
    return staticHost(site, {}, '/some/folder/');
  });
  beforeAll(async () => {
    page = await open(host);
  });

  it('names the missing settings at every path [S8.2] [R14]', async () => {
    expect(await page.title()).toBe('Barometer Dashboard');
    expect(await page.getByRole('heading', { name: 'Failed to load market data' }).count()).toBe(1);
  });

  it('links only existing files in its head', async () => {
    const links = await page
      .locator('head link')
      .evaluateAll((elements) => elements.map((element) => (element as HTMLLinkElement).href));
    expect(links.length).toBeGreaterThanOrEqual(5);
    const manifest = await (await fetch(`${host.url}manifest.webmanifest`)).json();
    const named = [...manifest.icons.map(({ src }: { src: string }) => src), manifest.start_url];
    for (const link of [...links, ...named.map((path) => new URL(path, host.url).href)]) {
      expect(link.startsWith(host.url)).toBe(true);
      expect([link, (await fetch(link)).status]).toEqual([link, 200]);
    }
  });

  it('has its name and description, without an address or a picture', () => {
    const html = String(site.get('index.html'));
    expect(html).toContain('<meta property="og:title" content="Barometer Dashboard" />');
    expect(
      html.match(/<meta\s+(?:name="description"|property="og:description")\s+content="One screen/g),
    ).toHaveLength(2);
    expect(html).not.toMatch(/canonical|og:image|og:url|https?:/);
    expect(html).not.toMatch(/(?:href|src)="\//);
  });

  it('contains no file of the analytics', () => {
    expect(counting(site)).toEqual([]);
  });
});

describe('a build that counts page views', () => {
  let site: Site;
  const host = shared(async () => {
    ({ site } = await buildPage({ VITE_ANALYTICS: 'vercel' }));
    return staticHost(site, {}, '/some/folder/');
  });

  it('has the analytics in one file that the page loads later', () => {
    const [file = '', ...others] = counting(site);
    expect(others).toEqual([]);
    expect(String(site.get('index.html'))).not.toContain(file);
  });

  it('counts the route and the path of the visit [S2.1] [S7.8]', async () => {
    const page = await open(host, (opened) =>
      opened.route(`**${SCRIPT}`, (route) => route.fulfill({ contentType: 'text/javascript', body: '' })),
    );
    await page.locator(`head script[src="${SCRIPT}"]`).waitFor({ state: 'attached' });
    const queue = await page.evaluate(() => JSON.stringify(Reflect.get(window, 'vaq')));
    expect(JSON.parse(queue)).toEqual([['pageview', { route: '/', path: '/some/folder/' }]]);
    await page.close();
  });

  it.each([
    ['its own file', '**/assets/analytics-*.js'],
    ["the host's script", `**${SCRIPT}`],
  ])('works without an error when %s is blocked', async (_what, pattern) => {
    const thrown: string[] = [];
    let blocked = () => {};
    const refused = new Promise<void>((resolve) => {
      blocked = resolve;
    });
    const page = await open(host, async (opened) => {
      opened.on('pageerror', ({ message }) => thrown.push(message));
      allowComplaints(opened, /Failed to load resource: .*(\/assets\/analytics-|_vercel)/);
      await opened.route(pattern, async (route) => {
        await route.abort();
        blocked();
      });
    });
    await refused;
    await page.getByRole('button', { name: 'Retry' }).click();
    await page.getByText(NOT_CONFIGURED).waitFor();
    expect(thrown).toEqual([]);
    await page.close();
  });
});

it.each([
  [{ VITE_ANALYTICS: 'google' }, 'VITE_ANALYTICS is "google"; it must be vercel, or empty for none.'],
  [
    { VITE_SUBSCRIBE_CONFIRM: 'yes' },
    'VITE_SUBSCRIBE_CONFIRM is "yes"; it must be true or false, or empty for false.',
  ],
  [{ VITE_WIDGET_SYMBOLS: 'SPY' }, 'VITE_WIDGET_SYMBOLS is "SPY"; it must be up to 12 symbols'],
  [
    { VITE_SUPABASE_URL: 'project.supabase.co', VITE_SUPABASE_ANON_KEY: 'key' },
    'VITE_SUPABASE_URL is "project.supabase.co", which is not an http or https address. Set it to the address of the backend.',
  ],
  [
    { VITE_SUPABASE_URL: 'https://project.supabase.co' },
    'VITE_SUPABASE_URL is set and VITE_SUPABASE_ANON_KEY is not. Set both for a static page, or neither.',
  ],
  [{ VITE_SUPABASE_ANON_KEY: 'key' }, 'VITE_SUPABASE_ANON_KEY is set and VITE_SUPABASE_URL is not.'],
])('a build with %j stops with a sentence', async (settings, sentence) => {
  const { output, site } = await buildPage(settings);
  expect(output).toContain(sentence);
  expect(site.size).toBe(0);
});
