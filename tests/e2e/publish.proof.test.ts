import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { openEmbedded } from '#database/embedded/open-embedded.ts';
import { siteFiles } from '#server/files/site-files.ts';
import { writeSite } from '#server/files/site-folder.ts';
import { ROOT } from '../../scripts/set-up.mjs';
import { copyDemonstration } from '../support/demonstration.ts';
import { openAwake } from '../support/opening.ts';
import { pagesForTests } from '../support/pages.ts';
import { plainHost } from '../support/plain-host.ts';
import { runCommand } from '../support/product.ts';
import { folderForTests, shared } from '../support/shared.ts';

const HOME = 'https://market.example/base';
const fresh = pagesForTests();
const folder = folderForTests();
const out = join(folder, 'site', 'public');
/** Stands for each of the 1,400 images, which take most of the time. */
const IMAGE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==',
  'base64',
);

const database = shared(async () => {
  const data = join(folder, 'data');
  await copyDemonstration(data);
  return openEmbedded({ folder: join(data, 'database') });
});
const host = shared(async () => {
  const options = {
    ...{ database, at: Date.now(), url: HOME, clientFolder: join(ROOT, 'dist', 'client'), version: '1' },
    ...{ backend: null, subscribeAt: null, page: { productName: 'Barometer' } },
    ...{ rights: null, publishDelay: 0, draw: async () => IMAGE },
  };
  await writeSite(out, (last) => siteFiles(options, last), Date.now);
  return plainHost(out);
});

/** The addresses in a text: all that are below the site, and in a page also the relative ones. */
function addressesIn(text: string, url: string, isPage: boolean): string[] {
  const absolute = [...text.matchAll(/https:\/\/market\.example\/base[^\s"'<>()\\]*/g)].map(([found]) =>
    found.replace(HOME, host.url),
  );
  const attributes = isPage ? text.matchAll(/\s(?:href|src|action)=(?:"([^"]*)"|([^\s"'>]+))/g) : [];
  const relative = [...attributes].map(([, quoted, plain]) => new URL(quoted ?? plain ?? '', url).href);
  return [...absolute, ...relative].filter((found) => found.startsWith(host.url));
}

describe('the published demonstration', () => {
  it('has no link to a missing file', async () => {
    const sources = new Map([[`${host.url}/`, 'the start']]);
    for (const file of ['signal.json', 'llms.txt', 'openapi.json', 'manifest.webmanifest', 'feed.json'])
      sources.set(`${host.url}/${file}`, 'the start');
    const missing: string[] = [];
    const kinds = new Set<string>();
    for (const [url, source] of sources) {
      const response = await fetch(url);
      if (response.status !== 200) missing.push(`${url} from ${source}`);
      const type = response.headers.get('content-type') ?? '';
      kinds.add(type);
      const text = /html|json|xml|plain|octet|javascript/.test(type) ? await response.text() : '';
      await response.body?.cancel().catch(() => {});
      const isPage = type === 'text/html';
      for (const found of addressesIn(text, response.url, isPage)) {
        const [address = ''] = found.split('#');
        if (!address.includes('{') && !sources.has(address)) sources.set(address, url);
      }
    }
    expect(missing).toEqual([]);
    expect([...kinds].sort()).toEqual(
      expect.arrayContaining([
        'application/atom+xml',
        'application/json',
        'image/png',
        'image/svg+xml',
        'text/html',
      ]),
    );
    const paths = [...sources.keys()].map((url) => url.slice(host.url.length));
    expect(paths.filter((path) => /^\/on\/[\d-]+\/$/.test(path)).length).toBeGreaterThan(1_000);
    expect(paths.filter((path) => /^\/on\/[\d-]+\.png$/.test(path)).length).toBeGreaterThan(1_000);
    expect(paths.filter((path) => /^\/record\/[\dW-]+\/$/.test(path)).length).toBeGreaterThan(100);
    for (const page of ['/record/', '/method/', '/quality/', '/risk/']) expect(paths).toContain(page);
  });

  it('names nothing that needs a server', () => {
    for (const file of ['llms.txt', 'openapi.json']) {
      const text = readFileSync(join(out, file), 'utf8');
      expect(text).not.toMatch(/\bmcp\b|oembed|\/rest\/v1|apikey/i);
    }
    const [day = ''] = readdirSync(join(out, 'on')).filter((name) => /^[\d-]+$/.test(name));
    expect(readFileSync(join(out, 'on', day, 'index.html'), 'utf8')).not.toContain('<form');
  });

  it('has a ledger that outsiders can verify', async () => {
    const first = await runCommand(['ledger', 'verify', host.url]);
    expect([first.code, first.stderr]).toEqual([0, '']);
    expect(first.stdout).toContain('The ledger is complete and unchanged');
    const verifier = join(ROOT, 'tests', 'support', 'second-verifier.mjs');
    const second = await promisify(execFile)(process.execPath, [verifier, host.url]);
    expect(second.stdout).toMatch(/^\d+ entries, \d+ days\n$/);
  });

  it('opens in a browser, refreshes from its file, and shows its folded parts', async () => {
    const page = await fresh();
    await openAwake(page, `${host.url}/`);
    const refreshed = page.waitForResponse(/\/reads\.json$/);
    await page.getByRole('button', { name: 'Refresh' }).click();
    expect((await refreshed).status()).toBe(200);
    await page.getByRole('tab', { name: 'Timeline' }).click();
    await page.getByRole('slider', { name: /^Fear & Greed/ }).waitFor();
    expect(await page.getByText('Failed to fetch').count()).toBe(0);
    await page.getByRole('button', { name: 'Get the Weekly Signal' }).first().click();
    await page.getByText('This copy of the page has no form.').waitFor();
    await page.goto(`${host.url}/record`);
    await page.getByRole('link', { name: 'Past days' }).click();
    await page.waitForURL(/\/on\/[\d-]+\/$/);
  });
});
