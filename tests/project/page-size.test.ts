import { readdirSync, readFileSync, statSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { GICS_SECTORS } from '#domain/sectors/absent-sectors.ts';
import { listen } from '#server/http/listen.ts';
import { fileHeaders } from '#server/http/page-files.ts';
import { encode, sendResource, toResource } from '#server/http/response.ts';
import { HstsResponse, pageHeaders } from '#server/http/security-headers.ts';
import { pageTemplate } from '#server/page/served-page.ts';
import { CLOSE, FULL } from '#tests/support/dashboard-rows.ts';
import { type DashboardRows, dashboardView } from '#views/dashboard-view.ts';
import type { TrailView } from '#views/trail-view.ts';
import { pageMarkup } from '#web/page-markup.tsx';
import { ROOT } from '../../scripts/set-up.mjs';

const CLIENT = join(ROOT, 'dist', 'client');
const KIB = 1024;
/**
 * Limits of a first load, compressed (KiB): the page's script, its styles, the page with its data (which must fit into
 * the first ten packets), and for a page without data the code of its reads and the script that starts them.
 */
const BUDGET = { script: 70, styles: 6, page: 14, reads: 25, earlyReads: 2.75 } as const;

/** Bytes that a server sends before it waits for the first acknowledgement: ten packets. */
const FLIGHT = 14_600;

const html = readFileSync(join(CLIENT, 'index.html'), 'utf8');
const CONFIG = {
  supabaseUrl: 'https://market.example.org',
  anonKey: 'sb_publishable_q7XbW0nTfK2vRzJd9LmYcEhUaPs4Gt1o',
  productName: 'Barometer',
};
const withoutData = pageTemplate(html, CONFIG, null).around;

/** The files that the page's elements refer to, such as './assets/index-….js'. */
function referred(page: string, element: RegExp): string[] {
  return (page.match(new RegExp(element, 'g')) ?? []).map(
    (tag) => /(?:src|href)="\.\/([^"]+)"/.exec(tag)?.[1] ?? '',
  );
}

const codeOf = (file: string) => readFileSync(join(CLIENT, file), 'utf8');

/** Returns the files with all files that they import statically, because a browser fetches those too. */
function withImports(files: readonly string[], found = new Set<string>()): Set<string> {
  for (const file of files) {
    if (found.has(file)) continue;
    found.add(file);
    const imports = [...codeOf(file).matchAll(/(?:from|import)\s*["'`]\.\/([\w.-]+\.js)["'`]/g)];
    withImports(
      imports.map(([, name]) => `assets/${name}`),
      found,
    );
  }
  return found;
}

const kibOf = (text: string) => brotliCompressSync(text).length / KIB;
/** Compressed size of the files as the server sends them (KiB). */
const kibOfFiles = (files: Iterable<string>) =>
  [...files].reduce((sum, file) => sum + statSync(join(CLIENT, `${file}.br`)).size, 0) / KIB;

const stylesOf = (page: string) =>
  [...page.matchAll(/<style>([\s\S]*?)<\/style>/g)].map(([, style]) => style);
const MODULE = /<script[^>]*type="module"[^>]*>/;
const scripts = withImports(referred(html, MODULE));

/** A trail whose numbers do not repeat. */
const TRAIL: TrailView = {
  path: `M${Array.from({ length: 26 }, (_, week) => `${week} ${((week * 137 + 251) % 600) / 10 + 20}`).join(' ')}`,
  ...{ weeks: 26, low: 20.1, high: 79.3, text: '26 weeks' },
  stabilityText: 'The next week had another verdict in 36% of the weeks on record.',
};

/** Data with all values and the longest texts. */
const FULL_DAY: DashboardRows = {
  ...FULL,
  fearGreed: {
    ...FULL.fearGreed,
    current: FULL.fearGreed.current && {
      ...FULL.fearGreed.current,
      market_volatility: 41.7,
      earlier_components: 'put_call_options,junk_bond_demand',
    },
    oneMonthAgo: { index_value: 44.1, index_label: null, created_at: '2026-10-14T20:00:00.000Z' },
  },
  sectors: GICS_SECTORS.map((sector, index) => ({
    sector,
    strength: 91.3 - 7.7 * index,
    source: 'live',
    created_at: CLOSE,
  })),
  sentiment: (['short', 'medium', 'long'] as const).map((timeframe, index) => ({
    timeframe,
    signal: 'Very Bullish',
    score: 61.4 + 7.3 * index,
    description: `Over the past ${timeframe} the trend is up, buyers are in charge and fewer shares are changing hands than usual.`,
    rsi: 58.44 - 3.1 * index,
    macd: -1.135 + index,
    moving_avg_trend: 'bullish',
    volume_trend: 'decreasing',
    source: 'live',
    created_at: CLOSE,
  })),
};

it('a first load has one script file within its budget', () => {
  expect([...scripts]).toEqual([expect.stringMatching(/^assets\/index-/)]);
  expect(kibOfFiles(scripts)).toBeGreaterThan(40);
  expect(kibOfFiles(scripts)).toBeLessThanOrEqual(BUDGET.script);
});

it('the script replaces Error before it evaluates React', () => {
  const code = [...scripts].map(codeOf).join('');
  const replaced = code.indexOf('globalThis.Error=');
  expect(replaced).toBeGreaterThan(0);
  expect(code.indexOf('react.transitional.element')).toBeGreaterThan(replaced);
});

it('a first load has inline styles within their budget', () => {
  expect(html.includes('rel="stylesheet"')).toBe(false);
  expect(stylesOf(withoutData)).toHaveLength(1);
  const styles = stylesOf(html).join('');
  expect(styles.includes('.skeleton')).toBe(true);
  expect(kibOf(styles)).toBeGreaterThan(3);
  expect(kibOf(styles)).toBeLessThanOrEqual(BUDGET.styles);
});

it('the page with its data and the TLS handshake fit into the first ten packets', async () => {
  const at = Date.parse(CLOSE) + 5 * 24 * 3_600_000;
  const record =
    'On record since 22 Nov 2025: 43 weeks; 11 four-week results after BUY, 14 after SELL: too few to say';
  const risk = '4-week S&P 500 outlook of 20 Nov: volatility 2.1% a week (80% range 1.4%\u00a0to\u00a03.6%).';
  const data = { view: dashboardView(FULL_DAY, at), at, record, risk, trail: TRAIL };
  const settings = {
    productName: 'Barometer',
    widgetSymbols: null,
    ownWidgets: false,
    doubleOptIn: false,
  };
  const markup = pageMarkup(settings, data);
  expect(
    ['sessions behind', 'Utilities', 'an earlier session'].filter((words) => !markup.includes(words)),
  ).toEqual([]);
  expect(markup).toContain(`<a class="to-server" href="risk">${risk.replace('&', '&amp;')}</a>`);
  const served = pageTemplate(html, CONFIG, CONFIG.supabaseUrl);
  const page = served.withData(markup, data, { open: 12, checked: 78, sessions: 90 });
  const size = kibOf(page);
  expect(size).toBeGreaterThan(9);
  expect(size).toBeLessThanOrEqual(BUDGET.page);
  const bytes = await bytesOverTls(served.around, page, CONFIG.supabaseUrl);
  expect(bytes, 'bytes of the page; shorten names and texts in it').toBeLessThanOrEqual(FLIGHT);
});

/** Size of a server's response for a page over TLS, its headers included (bytes). */
async function bytesOverTls(around: string, page: string, publicUrl: string): Promise<number> {
  const content = Buffer.from(page);
  const headers = {
    ...fileHeaders('/index.html'),
    ...pageHeaders(around, [publicUrl]),
  };
  const resource = toResource(content, headers, { encoded: await encode(content, 'best') });
  const answer: RequestListener = (_request, response) => {
    response.removeHeader('Connection');
    sendResource(response, resource);
  };
  const server = await listen(answer, '127.0.0.1', 0, { Response: HstsResponse });
  const asked = 'GET / HTTP/1.1\r\nHost: x\r\nAccept-Encoding: br\r\n\r\n';
  const socket = connect(Number(new URL(server.url).port), '127.0.0.1', () => socket.end(asked));
  const sent = Buffer.concat(await socket.toArray());
  await server.close();
  expect(sent.toString('latin1').toLowerCase()).toContain('strict-transport-security');
  return sent.length;
}

it('the page requests only its icon and, after the first paint, its script', () => {
  expect(withoutData).not.toMatch(/<script[^>]*\bsrc=/);
  const [, last = ''] = /<script>((?:(?!<script)[\s\S])*)<\/script>\s*<\/body>/.exec(withoutData) ?? [];
  expect(last.match(/assets\/[\w-]+\.js/g)).toEqual([...scripts]);
  expect(last).toContain("observe({type:'paint',buffered:true})");
  expect(withoutData.match(/preload|preconnect|<img|@font-face|url\(/g)).toBeNull();
  // A browser does not load these links when the page opens.
  const unasked = /rel="(?:icon|apple-touch-icon|expect|alternate)"/;
  expect((withoutData.match(/<link[^>]*>/g) ?? []).filter((link) => !unasked.test(link))).toEqual([]);
});

const first = withoutData + [...scripts].map(codeOf).join('');
const later = readdirSync(join(CLIENT, 'assets'))
  .map((name) => `assets/${name}`)
  .filter((file) => file.endsWith('.js') && !scripts.has(file))
  .map(codeOf);

it.each([
  ['the timeline', 'on a day of the last year'],
  ['charts', 'chart-walk'],
  ['the folded section', 'Advance/decline ratio'],
  ['the dialog', 'you@example.com'],
  ['the table client', 'Accept-Profile'],
  ['the wording of the page', 'nothing holds it back'],
  ['the explanations', 'standard deviations'],
  ['the frames of widgets', 'tv-widget-load'],
  ['the heatmap', 'heatmap-tile'],
])('a first load does not contain %s', (_, words) => {
  expect(first.includes(words)).toBe(false);
  expect(later.some((code) => code.includes(words))).toBe(true);
});

it('the code of the reads is one file within its budget', () => {
  const reads = referred(html, /<link rel="modulepreload"[^>]*>/);
  expect(reads).toEqual([expect.stringMatching(/^assets\/reads-/)]);
  const more = [...withImports(reads)].filter((file) => !scripts.has(file));
  expect(more).toEqual(reads);
  expect(kibOfFiles(more)).toBeLessThanOrEqual(BUDGET.reads);
});

it('the script that starts the reads is small and absent from a page with data', () => {
  const inline = /<script>(\(function[\s\S]*?)<\/script>/;
  const early = inline.exec(html)?.[1] ?? '';
  expect(early.includes('/rest/v1/')).toBe(true);
  expect(kibOf(early), 'KiB of the early reads; shorten column names').toBeLessThanOrEqual(BUDGET.earlyReads);
  expect(withoutData.includes('/rest/v1/')).toBe(false);
});
