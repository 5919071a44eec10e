import { beforeEach, describe, expect, it } from 'vitest';
import { QueryError } from '#queries/query-error.ts';
import { requestOf } from '#queries/read-addresses.ts';
import { fearGreedRow, MIDDLING, sentimentRow } from '#tests/support/market-tables.ts';
import { toldWatch } from '#tests/support/told-watch.ts';
import { inlineScriptSources, inlineStyleSources } from '../http/security-headers.ts';
import { createLog } from '../log.ts';
import { exposition } from '../metrics/exposition.ts';
import { createPageMetrics, type PageMetrics } from '../metrics/page-metrics.ts';
import { type PageAnswer, servePage } from './serve-page.ts';
import type { SnapshotReads } from './snapshot-reads.ts';
import { readTemplate } from './template.ts';

const NOW = Date.parse('2026-11-13T21:30:00Z');
const HOSTILE = '</script>\u2028<script>alert(1)</script><!--';
const EARLIER = '2026-08-14T20:00:00.000Z';
const HTML = `<html><head><title>B</title><style>.page{}</style><!--static--><script>early()</script><!--/static--></head>
<body><!--page--><div id="root">Loading</div><!--/page--><script type="module" src="./m.js"></script></body></html>`;

type Tables = Readonly<Record<string, readonly unknown[]>>;

let tables: Tables;
let asked: string[];
let logged: string[];
let time: number;
let watch: ReturnType<typeof toldWatch>;
let metrics: PageMetrics;

beforeEach(() => {
  tables = MIDDLING;
  asked = [];
  logged = [];
  time = NOW;
  watch = toldWatch(() => time);
  metrics = createPageMetrics();
});

/** Reads of these tables, whatever rows of them are asked for. */
const inTables: SnapshotReads = async (read) => {
  if (tables === AWAY) throw Object.assign(new QueryError('failed_to_fetch'), { cause: new Error('gone') });
  return read(async (tableRead) => {
    asked.push(`${tableRead.table}?${decodeURIComponent(requestOf(tableRead).query)}`);
    return { data: tables[tableRead.table] ?? [], error: null, status: 200, count: null };
  });
};
const AWAY: Tables = {};

const served = (productName = 'Barometer') =>
  servePage({
    template: readTemplate(HTML),
    config: { supabaseUrl: 'http://127.0.0.1:1', anonKey: 'k', productName },
    publicUrl: null,
    inSnapshot: inTables,
    watch,
    metrics,
    now: () => time,
    log: createLog({ write: (line) => logged.push(line), clock: () => time, format: 'json' }),
  });

const htmlOf = ({ resource }: PageAnswer) => resource.content.toString();

async function pageOf(productName?: string): Promise<string> {
  const pages = await served(productName);
  const html = htmlOf(await pages.page());
  pages.close();
  return html;
}

/** What the page in the browser begins with. */
const dataOf = (html: string): string =>
  /<script type="application\/json" id="barometer-data">(.*?)<\/script>/s.exec(html)?.[1] ?? '';

describe('the page with its data', () => {
  it('shows the numbers of the rows, under the name of the product, and carries what it was made of', async () => {
    const html = await pageOf('Kompass');
    expect(html).toContain('Kompass<!-- --> Dashboard');
    expect(html).toContain('6,734.11');
    expect(html).not.toContain('Loading');
    const { view, at } = JSON.parse(dataOf(html));
    expect(at).toBe(NOW);
    expect(view.metrics.cards.map(({ description }: { description: string }) => description)).toContain(
      'Kompass score',
    );
  });

  it('neither reads the rows of the timeline nor carries them', async () => {
    tables = { ...MIDDLING, fear_greed_index: [...MIDDLING.fear_greed_index, fearGreedRow(31.7, EARLIER)] };
    const html = await pageOf();
    expect(html).not.toMatch(/31\.7|2026-08-14/);
    const spans = asked.filter((read) => read.startsWith('fear_greed_index') && !/limit=1$/.test(read));
    expect(spans).toEqual([]);
  });

  it('lets nothing of the rows out of the text it stands in', async () => {
    const sentiment = [sentimentRow('short', { description: HOSTILE }), sentimentRow('medium')];
    const indices = MIDDLING.market_indices.map((row) => ({ ...row, name: HOSTILE }));
    tables = { ...MIDDLING, market_sentiment: sentiment, market_indices: indices };
    const html = await pageOf(HOSTILE);
    expect(html.match(/<script/g)).toHaveLength(3);
    expect(html).not.toContain('<script>alert');
    expect(html).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(dataOf(html)).not.toMatch(/[<\u2028\u2029]/);
    expect(JSON.parse(dataOf(html)).view.sentiment.cards[0].description).toContain('</script>');
  });

  it('allows exactly the scripts and styles that are written into it, and none by a general word', async () => {
    const pages = await served();
    const answer = await pages.page();
    const policy = String(answer.headers['Content-Security-Policy']);
    const sources = (html: string) => [...inlineScriptSources(html), ...inlineStyleSources(html)].sort();
    expect(policy.match(/'sha256-[^']+'/g)?.sort()).toEqual(sources(htmlOf(answer)));
    expect(policy).not.toContain('unsafe');
    pages.close();
  });

  it('is ready in every encoding, and to be asked for again', async () => {
    const pages = await served();
    const { resource } = await pages.page();
    expect(resource.br?.length).toBeLessThan(resource.gzip?.length ?? 0);
    expect(resource.cacheControl).toBe('no-cache');
    pages.close();
  });

  it('says when it was read', async () => {
    const pages = await served();
    const first = await pages.page();
    time += 60_000;
    const second = await pages.page();
    expect(JSON.parse(dataOf(htmlOf(second))).at).toBe(NOW + 60_000);
    expect(second.resource.tag).not.toBe(first.resource.tag);
    pages.close();
  });
});

describe('while the database is away', () => {
  it('the page carries when its data were last current, and says so with and without a script', async () => {
    const pages = await served();
    expect(htmlOf(await pages.page())).not.toContain('The database is not answering.');
    expect((await pages.page()).age).toBeUndefined();
    time += 600_000;
    expect(watch.knownAt).toBe(time);
    watch.isTold = false;
    tables = AWAY;
    time += 264_900;
    const { resource, age } = await pages.page();
    const html = resource.content.toString();
    expect(age?.()).toBe(264);
    expect(JSON.parse(dataOf(html))).toMatchObject({ at: NOW + 600_000, isStale: true });
    const words = html.replaceAll(/<!-- -->|<\/?time[^>]*>|<span class="clock-unknown">00:00<\/span>/g, '');
    const readAt = '<noscript>Fri 13 Nov 2026 21:40 UTC</noscript>';
    expect(words).toContain(`The database is not answering. These numbers are from ${readAt}.`);
    expect(words).toContain(`Last updated ${readAt}`);
    pages.close();
  });

  it('the page is the one that reads for itself, kept by nobody, with its own scripts allowed', async () => {
    tables = AWAY;
    const pages = await served();
    const answer = await pages.page();
    expect(htmlOf(answer)).toContain('<div id="root">Loading</div>');
    expect(answer.resource.cacheControl).toBe('no-store');
    const early = inlineScriptSources('<script>early()</script>')[0] ?? '';
    expect(answer.headers['Content-Security-Policy']).toContain(early);
    expect(logged.map((line) => JSON.parse(line))).toMatchObject([{ event: 'page failed', reason: 'gone' }]);

    tables = MIDDLING;
    time += 1_000;
    pages.page();
    await expect.poll(async () => htmlOf(await pages.page())).toContain('6,734.11');
    expect(logged.at(-1)).toContain('page is current again');
    expect(exposition(metrics.families())).toMatch(
      /_total\{outcome="made"\} 1\n.*_total\{outcome="failed"\} 1\n.*_seconds 0\n/s,
    );
    pages.close();
  });
});
