import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { QueryError } from '#queries/query-error.ts';
import { requestOf } from '#queries/read-addresses.ts';
import { FEAR_GREED_ROWS } from '#queries/read-record.ts';
import type { TableRead } from '#queries/table-reads.ts';
import { RECORD_VIEWS, VERDICT_CHANGES_VIEW } from '#schema/tables.ts';
import { fakeMarketWatch } from '#tests/support/fake-market-watch.ts';
import { fearGreedRow, MIDDLING } from '#tests/support/market-tables.ts';
import { toResource } from '../http/response.ts';
import { inlineScriptSources, inlineStyleSources } from '../http/security-headers.ts';
import { createLog } from '../log.ts';
import { createServerCounts, type ServerCounts } from '../metrics/counters.ts';
import { createPageRenderer } from '../page/served-page.ts';
import type { SnapshotReads } from '../rest/read.ts';
import { type CachedValue, WAIT_MS } from './cached-value.ts';
import { createReleases, keyOfRead, type Release } from './release.ts';

const NOW = Date.parse('2026-11-13T21:30:00Z');
const EARLIER = '2026-08-14T20:00:00.000Z';
const HTML = `<html><head><title>B</title><style>.page{}</style><!--static--><script>early()</script><!--/static--></head>
<body><!--page--><div id="root">Loading</div><!--/page--><script type="module" src="./m.js"></script></body></html>`;

type Tables = Readonly<Record<string, readonly unknown[]>>;
const AWAY: Tables = {};

let tables: Tables;
let sent: TableRead[];
let snapshots: number;
let logged: string[];
let time: number;
let watch: ReturnType<typeof fakeMarketWatch>;
let counts: ServerCounts;
let releases: CachedValue<Release>;

/** Responds to each read with all rows of the table that it names. */
const inTables: SnapshotReads = async (read, onResponse) => {
  snapshots += 1;
  if (tables === AWAY) throw Object.assign(new QueryError('failed_to_fetch'), { cause: new Error('gone') });
  return read(async (tableRead) => {
    sent.push(tableRead);
    const data = tables[tableRead.table] ?? [];
    onResponse?.(tableRead, { status: 200, headers: {}, body: JSON.stringify(data) });
    return { data, error: null, status: 200, count: null };
  });
};

function start(
  productName = 'Barometer',
  renderer = createPageRenderer(HTML, { supabaseUrl: 'http://127.0.0.1:1', anonKey: 'k', productName }, null),
): CachedValue<Release> {
  releases?.close();
  releases = createReleases({
    inSnapshot: inTables,
    readInternal: async () => ({ risk: null, gaps: undefined, anchors: { checkpoints: [], places: [] } }),
    renderer,
    productName,
    watch,
    counts,
    now: () => time,
    log: createLog({ write: (line) => logged.push(line), clock: () => time, format: 'json' }),
  });
  return releases;
}

beforeEach(() => {
  tables = MIDDLING;
  sent = [];
  snapshots = 0;
  logged = [];
  time = NOW;
  watch = fakeMarketWatch(() => time);
  counts = createServerCounts();
});

const htmlOf = ({ page }: Release) => page.content.toString();
const current = async () => (await releases.current()).value;
const first = async () => (await start().current()).value;
const pageOf = async (productName?: string) => htmlOf((await start(productName).current()).value);

/** Returns the data from which the browser hydrates the page. */
const dataOf = (html: string): string =>
  /<script type="application\/json" id="barometer-data">(.*?)<\/script>/s.exec(html)?.[1] ?? '';

describe('the page of a release', () => {
  it('shows the rows and the product name', async () => {
    const html = await pageOf('Kompass');
    expect(html).toContain('Kompass Dashboard');
    expect(html).toContain('6,734.11');
    expect(html).not.toContain('Loading');
    const { view, at } = JSON.parse(dataOf(html));
    expect(at).toBe(NOW);
    expect(view.metrics.cards.map(({ description }: { description: string }) => description)).toContain(
      'Kompass score',
    );
  });

  it('does not contain the rows of the timeline', async () => {
    tables = { ...MIDDLING, fear_greed_index: [...MIDDLING.fear_greed_index, fearGreedRow(31.7, EARLIER)] };
    expect(await pageOf()).not.toMatch(/31\.7|2026-08-14/);
  });

  it('allows exactly its inline scripts and styles', async () => {
    const release = await first();
    const policy = String(release.page.headers['Content-Security-Policy']);
    const sources = (html: string) => [...inlineScriptSources(html), ...inlineStyleSources(html)].sort();
    expect(policy.match(/'sha256-[^']+'/g)?.sort()).toEqual(sources(htmlOf(release)));
    expect(policy).not.toContain('unsafe');
  });

  it('has every encoding and no-cache', async () => {
    const { page } = await first();
    expect(page.br?.length).toBeLessThan(page.gzip?.length ?? 0);
    expect(page.headers['Cache-Control']).toBe('no-cache');
  });

  it('is awaited if it takes long to build after its reads', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    let finish = () => {};
    let begin = () => {};
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    start('Barometer', {
      render: () =>
        new Promise((resolve) => {
          finish = () => resolve(toResource(Buffer.from('with data'), {}));
          begin();
        }),
      shell: async () => toResource(Buffer.from('no data'), {}),
    });
    const served = current();
    await begun;
    await vi.advanceTimersByTimeAsync(WAIT_MS);
    finish();
    expect(htmlOf(await served)).toBe('with data');
  });

  it('shows the time of its reads', async () => {
    start();
    const before = await current();
    time += 60_000;
    const second = await current();
    expect(JSON.parse(dataOf(htmlOf(second))).at).toBe(NOW + 60_000);
    expect(second.page.tag).not.toBe(before.page.tag);
  });
});

describe('the reads of a release', () => {
  it('are all reads of the page in one snapshot', async () => {
    const { responses } = await first();
    // The outputs for programs have the changes of the verdict and the whole history. A browser reads neither.
    expect(sent.pop()).toMatchObject({ table: VERDICT_CHANGES_VIEW, limit: 50 });
    expect(sent.pop()).toMatchObject(FEAR_GREED_ROWS);
    expect([sent.pop()?.table, sent.pop()?.table]).toEqual(RECORD_VIEWS.toReversed());
    expect([snapshots, responses.size]).toEqual([1, new Set(sent.map(keyOfRead)).size]);
    const tablesRead = new Set(sent.map(({ table }) => table));
    expect([...tablesRead].sort()).toEqual(
      [...Object.keys(MIDDLING), 'input_origins', 'fear_greed_sessions', 'market_stocks']
        .filter((name, at, all) => all.indexOf(name) === at)
        .sort(),
    );
    expect(sent.some(({ isCounted }) => isCounted)).toBe(true);
    for (const read of sent) {
      const response = responses.get(keyOfRead(read));
      expect(response?.content.toString(), requestOf(read).query).toBe(
        JSON.stringify(tables[read.table] ?? []),
      );
      expect(response?.br).not.toBe(
        response !== undefined && response.content.length > 1_000 ? null : undefined,
      );
    }
  });

  it('include the history once for each version of the data', async () => {
    await first();
    const isOfHistory = ({ table }: TableRead) =>
      [...RECORD_VIEWS, VERDICT_CHANGES_VIEW].some((name) => name === table);
    expect(sent.splice(0).filter(isOfHistory)).toHaveLength(3);
    time += 60_000;
    const { rows } = await current();
    expect(sent.splice(0).filter(isOfHistory)).toEqual([]);
    watch.version += 1;
    expect((await current()).rows?.record).not.toBe(rows?.record);
    expect(sent.filter(isOfHistory)).toHaveLength(3);
  });

  it.each([
    ['the day', '2026-11-14T04:59:30Z'],
    ['the session', '2026-11-13T14:29:30Z'],
  ])('are repeated when %s begins, also within the minute of the page', async (_, instant) => {
    time = Date.parse(instant);
    start();
    const before = await current();
    time += 29_999;
    expect([await current(), snapshots]).toEqual([before, 1]);
    time += 1;
    const after = await current();
    expect(after).not.toBe(before);
    expect([...after.responses.keys()]).not.toEqual([...before.responses.keys()]);
  });
});

describe('while the database is unavailable', () => {
  it('page and reads have the age of their data', async () => {
    start();
    const before = await current();
    expect(htmlOf(before)).not.toContain('The database is not responding.');
    expect((await releases.current()).age).toBeNull();
    time += 600_000;
    expect(watch.knownAt).toBe(time);
    watch.isWatching = false;
    tables = AWAY;
    time += 264_900;
    const { value: stale, age } = await releases.current();
    const html = htmlOf(stale);
    expect(age?.()).toBe(264);
    expect(stale.responses).toBe(before.responses);
    expect(stale.rows).toBe(before.rows);
    expect(JSON.parse(dataOf(html))).toMatchObject({ at: NOW + 600_000, isStale: true });
    const needScript =
      /<!-- -->|<\/?time[^>]*>|<span class="clock-unknown">00:00<\/span>|<span class="needs-script"> your time<\/span>/g;
    const words = html.replaceAll(needScript, '');
    const readAt = '<noscript>Fri 13 Nov 2026 21:40 UTC</noscript>';
    expect(words).toContain(`The database is not responding. Showing what was read on ${readAt}.`);
    expect(words).toContain(`Last updated ${readAt}`);
  });

  it('the first page has no data and must not be stored', async () => {
    tables = AWAY;
    const release = await first();
    expect(htmlOf(release)).toContain('<div id="root">Loading</div>');
    expect(release.page.headers['Cache-Control']).toBe('no-store');
    expect([release.rows, release.responses.size]).toEqual([null, 0]);
    const early = inlineScriptSources('<script>early()</script>')[0] ?? '';
    expect(release.page.headers['Content-Security-Policy']).toContain(early);
    expect(logged.map((line) => JSON.parse(line))).toMatchObject([{ event: 'page failed', reason: 'gone' }]);

    tables = MIDDLING;
    time += 1_000;
    releases.current();
    await expect.poll(async () => htmlOf(await current())).toContain('6,734.11');
    expect(logged.at(-1)).toContain('page is current again');
    expect(counts).toMatchObject({ pages: { made: 1, failed: 1 }, pageSeconds: 0 });
  });
});
