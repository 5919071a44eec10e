import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { launchBrowser } from '#tests/support/browser.ts';
import { fearGreedRow, MIDDLING } from '#tests/support/market-tables.ts';
import { builtSite, type StaticHost, staticHost } from '#tests/support/static-host.ts';
import type { Figure } from './figure.ts';
import { median } from './median.ts';
import { aimAt, type Seen, seen, untilIdle, watchRendering } from './render-watch.ts';

const SLOWDOWN = 4;
const ROUNDS = 5;
const HOUR = 3_600_000;
/** Stocks of the heatmap. */
const STOCKS = 500;

/** Fear & Greed rows of the year up to now, ascending, one every `every` hours. */
function yearOfRows(every: number): Record<string, unknown>[] {
  const last = Math.floor(Date.now() / HOUR) * HOUR;
  const count = Math.floor((365 * 24) / every) + (every === 24 ? 1 : 0);
  const [newest] = MIDDLING.fear_greed_index;
  return Array.from({ length: count }, (_, at) => {
    const ago = count - 1 - at;
    const value = 50 + 35 * Math.sin(at / (720 / every)) + 14 * Math.sin(at * 1.7);
    const created_at = new Date(last - ago * every * HOUR).toISOString();
    return fearGreedRow(Math.round(value * 100) / 100, created_at, ago === 0 ? newest : {});
  });
}

/** The rows that a backend returns for the bounds of time, order and paging of a request. */
function selected(rows: readonly unknown[], asked: URLSearchParams): readonly unknown[] {
  const at = (row: unknown) => Date.parse((row as { created_at: string }).created_at);
  let found = [...rows];
  for (const bound of asked.getAll('created_at')) {
    const [word = '', time = ''] = bound.split(/\.(.*)/s);
    const limit = Date.parse(time);
    if (word === 'gte') found = found.filter((row) => at(row) >= limit);
    if (word === 'lte') found = found.filter((row) => at(row) <= limit);
    if (word === 'lt') found = found.filter((row) => at(row) < limit);
  }
  if (asked.get('order')?.startsWith('created_at.desc')) found.reverse();
  const offset = Number(asked.get('offset') ?? 0);
  return found.slice(offset, offset + Number(asked.get('limit') ?? found.length));
}

/** The last session's rows of stocks of eleven sectors, with weights from 1 to 1,000. */
const stocksOf = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    ...{ symbol: `ST${index}`, name: `Stock ${index} Incorporated`, sector: `Sector ${index % 11}` },
    ...{ change_percent: ((index * 7) % 90) / 10 - 4.5, weight: 1000 / (1 + index / 5), volume: 1.5 },
    ...{ source: 'live', created_at: MIDDLING.fear_greed_index[0]?.created_at },
  }));

/** An action: the element to press, and the content to wait for. */
interface Press {
  readonly what: string;
  readonly on: string;
  readonly at?: { x: number; y: number };
  readonly until?: string;
}

const THEME = 'switching the theme';
/** The root gets the choice last. */
const WHOLE_PAGE = 'html[data-theme="light"] body:not([data-theme])';

/** The actions on the heatmap of a page with its own widgets, in order. */
const HEATMAP_PRESSES: readonly Press[] = [
  { what: 'pointing at a stock', on: '.heatmap .chart-walk', at: { x: 300, y: 200 } },
  { what: 'pointing at another one', on: '.heatmap .chart-walk', at: { x: 700, y: 400 } },
  { what: 'walking to the next one by key', on: 'ArrowLeft' },
  { what: 'opening Advanced', on: '.advanced-toggle' },
];

/** The actions on the page, in order. */
const PRESSES: readonly Press[] = [
  { what: 'opening the timeline', on: '#fear-greed-tab-timeline', until: '.timeline-place .chart-line' },
  { what: 'pointing into it', on: '.timeline-place .chart-walk', at: { x: 200, y: 80 } },
  { what: 'walking along it by key', on: 'ArrowLeft' },
  { what: 'opening its table', on: '.timeline-place summary', until: '.timeline-place tbody tr' },
  { what: 'closing its table', on: '.timeline-place summary' },
  { what: 'going back to the overview', on: '#fear-greed-tab-overview' },
  { what: 'opening Advanced', on: '.advanced-toggle' },
  { what: 'opening where the numbers come from', on: '#origins > summary', at: { x: 60, y: 20 } },
  { what: 'asking what a number means', on: '.signal .about >> nth=0' },
  { what: 'refreshing', on: '.header-tools button' },
  { what: 'opening the dialog', on: '.header-subscribe', until: 'dialog[open] input[type=email]' },
  { what: 'typing an address', on: 'v' },
  { what: 'closing the dialog', on: 'Escape' },
];

const isKey = (on: string) => /^(v|[A-Z]\w+)$/.test(on);

/** A visit by a new visitor who waits for the content and performs each action once, with a slowed CPU. */
async function visit(
  browser: Browser,
  host: StaticHost,
  presses: readonly Press[],
  content: string | null = null,
): Promise<Map<string, Seen>> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    serviceWorkers: 'block',
    // The first choice after the system's theme is the light one. It then changes every colour.
    colorScheme: 'dark',
  });
  try {
    const page = await context.newPage();
    const session = await context.newCDPSession(page);
    await watchRendering(page);
    await page.goto(host.url);
    await page.getByText('Signal Breakdown').waitFor();
    if (content !== null) {
      await page.locator('#stock-heatmap-title').scrollIntoViewIfNeeded();
      await page.locator(content).waitFor();
    }
    // Other benchmarks measure loading and entrance animations.
    await untilIdle(page);
    await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN });
    const found = new Map<string, Seen>();
    for (const { what, on, at, until } of presses) {
      const press = isKey(on) ? () => page.keyboard.press(on) : await aimAt(page.locator(on), at);
      found.set(what, await seen(page, press, until));
    }
    await page.getByLabel('Colour theme').focus();
    found.set(THEME, await seen(page, () => page.keyboard.press('ArrowDown'), WHOLE_PAGE));
    return found;
  } finally {
    await context.close();
  }
}

/**
 * Opens the built page over a year of rows, and with its own widgets over 500 stocks, in a real browser, four times
 * slower than this machine. Times the timeline until it is painted, and every interaction until the next paint: medians
 * of five visits.
 */
export async function benchRender(): Promise<Figure[]> {
  const { status } = spawnSync(process.execPath, [join('scripts', 'build.mjs'), '--quiet']);
  if (status !== 0) throw new Error('The build failed. Run npm run build to see its error.');
  const browser = await launchBrowser();
  const host = await staticHost(builtSite(join('dist', 'client')), MIDDLING);
  host.select = selected;
  const figures: Figure[] = [];
  const visitsOf = async (presses: readonly Press[], content?: string) => {
    const visits: Map<string, Seen>[] = [];
    for (let round = 0; round < ROUNDS; round += 1) visits.push(await visit(browser, host, presses, content));
    return visits;
  };
  const medianOf = (visits: readonly Map<string, Seen>[], name: string, what: keyof Seen) =>
    median(visits.map((each) => each.get(name)?.[what] ?? Number.NaN));
  const addNextPaints = (visits: readonly Map<string, Seen>[], over: string) => {
    for (const name of visits[0]?.keys() ?? []) {
      const bound = { atMost: 56 };
      figures.push({
        what: `${name}, ${over}`,
        ...{ value: medianOf(visits, name, 'nextPaint'), unit: 'ms', bound },
      });
      const task = medianOf(visits, name, 'longestTask');
      if (task > 0) figures.push({ what: `longest task of ${name}, ${over}`, value: task, unit: 'ms' });
    }
    const whole = `${THEME} until the whole page has it, ${over}`;
    figures.push({ what: whole, value: medianOf(visits, THEME, 'painted'), unit: 'ms' });
  };
  try {
    for (const { rows, bound } of [
      { rows: yearOfRows(24), bound: 80 },
      { rows: yearOfRows(1), bound: 150 },
    ]) {
      host.tables = { ...MIDDLING, fear_greed_index: rows };
      const visits = await visitsOf(PRESSES);
      const over = `over ${rows.length.toLocaleString('en-US')} rows`;
      figures.push({
        what: `timeline ${over}, from click to painted`,
        value: medianOf(visits, 'opening the timeline', 'painted'),
        unit: 'ms',
        bound: { atMost: bound },
      });
      addNextPaints(visits, over);
    }
    const page = String(host.site.get('index.html')).replace(
      '"supabaseUrl"',
      '"widgets":"own","supabaseUrl"',
    );
    host.site = new Map(host.site).set('index.html', page);
    host.tables = { ...MIDDLING, market_stocks: stocksOf(STOCKS) };
    addNextPaints(await visitsOf(HEATMAP_PRESSES, '.heatmap svg'), `with ${STOCKS} stocks in the heatmap`);
    return figures;
  } finally {
    await browser.close();
    await host.close();
  }
}
