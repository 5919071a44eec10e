import { extname } from 'node:path';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { buildPage } from '../support/build-page.ts';
import { allowComplaints } from '../support/complaints.ts';
import { hasNginx } from '../support/debian.ts';
import { listenOnLoopback } from '../support/loopback.ts';
import { startNginx } from '../support/nginx.ts';
import { openAwake } from '../support/opening.ts';
import { openBrowser } from '../support/pages.ts';
import { shared } from '../support/shared.ts';
import { type Site, TYPES } from '../support/static-host.ts';

const backend = inject('demoUrl');
const ASSET = /^assets\/index-[\w-]+\.js$/;

type Headers = Readonly<Record<string, string>>;

/** The headers that a file `_headers` sets for a path: those of all matching rules. */
function headersFor(rules: string, path: string): Headers {
  const headers: Record<string, string> = {};
  let isTaken = false;
  for (const line of rules.split('\n')) {
    const [, name, value] = /^ {2}([\w-]+): (.+)$/.exec(line) ?? [];
    if (name === undefined || value === undefined) {
      isTaken = line.endsWith('*') ? path.startsWith(line.slice(0, -1)) : path === line;
    } else if (isTaken) headers[name.toLowerCase()] = value;
  }
  return headers;
}

let site: Site;
let rules: string;
let asset: string;
const browser = shared(openBrowser);
const host = shared(async () => {
  const page = await (await fetch(backend)).text();
  const anonKey = /"anonKey":"([^"]+)"/.exec(page)?.[1] ?? '';
  ({ site } = await buildPage({ VITE_SUPABASE_URL: backend, VITE_SUPABASE_ANON_KEY: anonKey }));
  rules = String(site.get('_headers'));
  asset = `/${[...site.keys()].find((path) => ASSET.test(path))}`;
  return listenOnLoopback(({ url = '/' }, response) => {
    const path = url.split('?')[0]?.slice(1) || 'index.html';
    const content = site.get(path);
    const type = TYPES[extname(path)] ?? 'image/png';
    response.writeHead(content === undefined ? 404 : 200, {
      'content-type': type,
      ...headersFor(rules, `/${path}`),
    });
    response.end(content);
  });
});

describe('a static build with its shipped headers', () => {
  // One visit with a service worker.
  let page: Page;
  const said: string[] = [];

  beforeAll(async () => {
    page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
    page.on('console', (message) => said.push(`${message.type()}: ${message.text()}`));
    page.on('pageerror', (error) => said.push(`thrown: ${error}`));
    await openAwake(page, host.url);
  });

  it('runs and requests only the named scripts, the backend and the widgets', () => {
    const policy = headersFor(rules, '/')['content-security-policy'] ?? '';
    expect(policy).not.toMatch(/unsafe|\*|\bhttps?:(?!\/\/)|\bdata:/);
    expect(policy).toMatch(/script-src 'self'( 'sha256-[\w+/]+=')+;/);
    expect(policy).toMatch(/style-src 'self'( 'sha256-[\w+/]+=')+;/);
    expect(policy).toMatch(new RegExp(`connect-src 'self' (http://)?${new URL(backend).host}(;|$)`));
    // The longest line that static hosts accept.
    for (const line of rules.split('\n')) expect(line.length).toBeLessThan(2_000);
  });

  it('works completely, including its service worker, with an empty console', async () => {
    await page.getByText('Signal Breakdown').waitFor();
    for (const widget of await page.locator('.widget').all()) {
      await widget.scrollIntoViewIfNeeded();
      await widget.locator('.own-drawing, .own-words').first().waitFor();
    }
    await page.getByRole('tab', { name: 'Timeline' }).click();
    await page.getByText('Values as a table').first().click();
    await page.getByRole('button', { name: 'Advanced Market Indicators' }).click();
    await page.getByRole('combobox', { name: 'Colour theme' }).selectOption('Light');
    await page.getByRole('button', { name: 'Refresh', exact: true }).click();
    await page
      .getByRole('status')
      .filter({ hasText: /^Updated/ })
      .waitFor({ state: 'attached' });
    await page.getByRole('button', { name: 'Get the Weekly Signal' }).click();
    await page.getByLabel('Email Address').waitFor();
    const worker = await page.evaluate(async () => (await navigator.serviceWorker.ready).active?.scriptURL);
    expect(worker).toBe(`${host.url}/service-worker.js`);
    expect(said).toEqual([]);
  });

  it('blocks injected scripts and styles', async () => {
    allowComplaints(page, /Content Security Policy/);
    const refused = await page.evaluate(async () => {
      const violations: string[] = [];
      const both = new Promise<void>((resolve) => {
        document.addEventListener('securitypolicyviolation', ({ effectiveDirective }) => {
          if (violations.push(effectiveDirective) === 3) resolve();
        });
      });
      const script = document.createElement('script');
      script.textContent = 'window.hasRun = true';
      const style = document.createElement('style');
      style.textContent = 'body { display: none }';
      document.body.append(script, style);
      await fetch('https://elsewhere.invalid/').catch(() => undefined);
      await both;
      return {
        violations: violations.sort(),
        hasRun: 'hasRun' in window,
        display: getComputedStyle(document.body).display,
      };
    });
    expect(refused).toEqual({
      violations: ['connect-src', 'script-src-elem', 'style-src-elem'],
      hasRun: false,
      display: 'block',
    });
  });

  it('gives Vercel the same headers as Netlify and Cloudflare', () => {
    const { headers } = JSON.parse(String(site.get('vercel.json'))) as {
      headers: { source: string; headers: { key: string; value: string }[] }[];
    };
    for (const path of ['/', asset]) {
      const taken = headers.filter(({ source }) => new RegExp(`^${source}$`).test(path));
      const told = taken.flatMap((rule) => rule.headers.map(({ key, value }) => [key.toLowerCase(), value]));
      expect(Object.fromEntries(told)).toEqual(headersFor(rules, path));
    }
  });
});

describe.runIf(hasNginx())('a static build on nginx by our recipe', () => {
  const root = '/var/www/barometer';
  const nginx = shared(() =>
    startNginx({
      files: { '/etc/nginx/conf.d/barometer-static.conf': 'deploy/static/nginx.conf' },
      contents: new Map([...site].map(([path, content]) => [`${root}/${path}`, content])),
    }),
  );

  it.each(['/', '/index.html', '/service-worker.js', '/icon.svg', '/nothing'])(
    'sends %s with the same headers as other hosts',
    async (path) => {
      const { status, headers } = await nginx.ask(path);
      expect(status).toBe(path === '/nothing' ? 404 : 200);
      expect(headers).toMatchObject(headersFor(rules, path));
    },
  );

  it('caches each file for as long as possible', async () => {
    const kept = async (path: string) => (await nginx.ask(path)).headers['cache-control'];
    for (const path of ['/', '/index.html', '/service-worker.js']) expect(await kept(path)).toBe('no-cache');
    expect(await kept(asset)).toBe('public, max-age=31536000, immutable');
    expect(await kept('/icon.svg')).toBe('public, max-age=3600');
    expect(await kept('/assets/nothing.js')).toBeUndefined();
  });

  it('sends a manifest with its type, hides the header files and accepts no writes', async () => {
    const { headers } = await nginx.ask('/manifest.webmanifest');
    expect(headers).toMatchObject({
      'content-type': 'application/manifest+json',
      ...headersFor(rules, '/m'),
    });
    for (const path of ['/_headers', '/vercel.json', '/vercel.json.gz', '/nginx-headers.conf']) {
      expect([path, (await nginx.ask(path)).status]).toEqual([path, 404]);
    }
    expect((await nginx.ask('/', { method: 'POST', body: 'x' })).status).toBe(405);
    expect((await nginx.askPlain('/x')).headers.location).toBe('https://example.org/x');
  });
});
