import { pageMarkup } from '#web/page-markup.tsx';
import type { Bound, Figure } from './figure.ts';
import { AS_A_BROWSER } from './page-reads.ts';
import { askedAt, inTurn, type Kind, type Run, type Server } from './rounds.ts';
import type { Asked } from './wrk.ts';

const PAGES_PER_SECOND = 25_000;
/**
 * Minimum rate of the outputs for programs: this rate, or this share of the rate of the rendered page in the same run.
 */
const OUTPUTS = { perSecond: 20_000, ofPage: 0.9 } as const;
const SLOWEST_MS = 10;
const PAGE = 'rendered page';
/** Number of pages that are rendered to warm up, and of those that are timed. */
const RENDERED = { first: 100, timed: 300 } as const;

export interface Other extends Kind {
  readonly bound?: Bound;
  readonly isOutput?: boolean;
}

const OUTPUT_PATHS = [
  ...['/signal.json', '/signals.csv', '/fear-greed.csv', '/feed.atom', '/feed.json'],
  ...['/badge.svg', '/badge.json', '/embed', '/openapi.json'],
];

/** Resources besides tables: the rendered page, a file, unchanged resources, and the outputs for programs. */
export async function othersOf(server: Server, kinds: readonly Kind[]): Promise<Other[]> {
  const page = { path: '/', headers: AS_A_BROWSER };
  const read = askedAt(kinds[0]?.asked[0] ?? page, server);
  const html = await (await fetch(server.url)).text();
  // An inline script of the page loads this file, so its path is searched in the whole HTML.
  const script = /src=["']\.?(\/[^"']+\.js)["']/.exec(html)?.[1];
  if (script === undefined) throw new Error('The page has no script.');
  return [
    { name: PAGE, asked: [page], bound: { atLeast: PAGES_PER_SECOND } },
    { name: 'rendered page, uncompressed', asked: [{ path: '/', headers: {} }] },
    { name: 'rendered page, not changed (304)', asked: [await revalidating(server.url, page)] },
    { name: 'newest row, not changed (304)', asked: [await revalidating(server.url, read)] },
    { name: 'script of the page', asked: [{ path: script, headers: AS_A_BROWSER }] },
    ...OUTPUT_PATHS.map((path) => ({ name: path, asked: [{ path, headers: AS_A_BROWSER }], isOutput: true })),
  ];
}

/** Responses per second for each resource, and their p99 (ms). */
export async function serveOthers(server: Server, others: readonly Other[], run: Run): Promise<Figure[]> {
  const measured = await inTurn(others, (kind) => run(server, kind));
  const page = [...measured].find(([{ name }]) => name === PAGE)?.[1].perSecond ?? Number.NaN;
  const outputs = { atLeast: Math.min(OUTPUTS.perSecond, OUTPUTS.ofPage * page) };
  return [...measured].flatMap(
    ([{ name, isOutput, bound = isOutput ? outputs : undefined }, { perSecond, p99 }]) => [
      { what: name, value: perSecond, unit: '/s', ...(bound && { bound }) },
      { what: `${name}, p99`, value: p99, unit: 'ms', bound: { atMost: SLOWEST_MS } },
    ],
  );
}

/** The conditional request of a client that has the response. Throws unless the server responds 304. */
async function revalidating(url: string, { path, headers }: Asked): Promise<Asked> {
  const tag = (await fetch(`${url}${path}`, { headers })).headers.get('etag');
  const asked = { path, headers: { ...headers, 'if-none-match': tag ?? '' } };
  const { status } = await fetch(`${url}${path}`, { headers: asked.headers });
  if (status !== 304) throw new Error(`${path} with its own ETag has status ${status} instead of 304.`);
  return asked;
}

/** Pages per second that this process renders from the data of the served page: only the markup, uncompressed. */
export async function renderAnew({ url }: Server): Promise<Figure> {
  const html = await (await fetch(url)).text();
  const data = /id="barometer-data">(.*?)<\/script>/s.exec(html)?.[1];
  if (data === undefined) throw new Error('The page has no data.');
  const loaded = JSON.parse(data);
  const settings = {
    productName: 'Barometer',
    widgetSymbols: null,
    ownWidgets: false,
    doubleOptIn: false,
  };
  const render = (times: number) => {
    for (let at = 0; at < times; at += 1) pageMarkup(settings, loaded);
  };
  render(RENDERED.first);
  const began = performance.now();
  render(RENDERED.timed);
  const perSecond = RENDERED.timed / ((performance.now() - began) / 1000);
  return { what: 'page rendered anew each time, on one core', value: perSecond, unit: '/s' };
}
