import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sessionsBetween } from '#domain/calendar/sessions.ts';
import { decideSignal, SIGNAL_FORMULA } from '#domain/signal/decide-signal.ts';
import { FULL } from '#tests/support/dashboard-rows.ts';
import { databaseOfTheseTests } from '#tests/support/database-of-each-test.ts';
import { fakeMarketWatch } from '#tests/support/fake-market-watch.ts';
import { failingDatabase, LONG_WAIT } from '#tests/support/gate-server.ts';
import { MIDDLING } from '#tests/support/market-tables.ts';
import { writeTables } from '#tests/support/page-over-rows.ts';
import { recordOf } from '#tests/support/record-rows.ts';
import { dashboardView } from '#views/dashboard-view.ts';
import { currentInputs } from '#views/signal-inputs.ts';
import { signalView } from '#views/signal-view.ts';
import { SILENT_LOG } from '../log.ts';
import type { Served } from './cached-value.ts';
import { cachedRisk, pageDocuments } from './documents.ts';
import type { Release } from './release.ts';

const NOW = Date.parse('2026-11-21T12:00:00Z');
const MOST_BYTES = 14_600;

const { database, run, script } = databaseOfTheseTests();
const data = failingDatabase(database);
let time: number;
let drawn: string[];
let release: Release;
const watch = fakeMarketWatch(() => time);

const releaseOf = (weeks: number) =>
  ({ rows: { view: dashboardView(FULL, NOW), record: recordOf(weeks) } }) as unknown as Release;

/** Creates the documents. Returns a function that serves the one with a path. */
function create() {
  const parts = { database: data.database, watch, now: () => time, log: SILENT_LOG, ...LONG_WAIT };
  const place = { productName: 'Kompass', home: 'https://market.example/base/' };
  const draw = async ({ node }: { node: unknown }) => {
    drawn.push(JSON.stringify(node));
    return Buffer.from('image');
  };
  const releases = { current: () => version };
  const documents = pageDocuments({ ...parts, ...place, draw }, releases, cachedRisk(parts));
  let version = { value: release, age: null };
  return async (path: string): Promise<Served> => {
    if (version.value !== release) version = { value: release, age: null };
    const document = documents.find((row) =>
      typeof row.path === 'string' ? row.path === path : row.path.test(path),
    );
    return (await document?.serve({ path, query: '', client: () => 'a' })) as Served;
  };
}
const textOf = ({ value }: Served) => value.content.toString();

beforeAll(async () => {
  await writeTables(database, MIDDLING);
  const rows = sessionsBetween('2026-07-20', '2026-11-20').flatMap((session) =>
    ['bars', 'vix_close', 'put_call_total'].map(
      (input) =>
        `('${session}T21:00:00Z', '${session}', 'late', '${input}', 'newest value of the day before', 'late ${session} ${input}')`,
    ),
  );
  await script(
    `insert into public.quality_events (at, session, kind, input, detail, event_key) values ${rows.join(', ')}`,
  );
});
beforeEach(() => {
  [data.transactions, time, drawn, release] = [0, NOW, [], releaseOf(12)];
});

describe('a share image', () => {
  it.each([
    ['/og.png', 'Kompass Dashboard'],
    ['/record.png', '12 weeks, '],
    ['/record/2020-W05.png', 'Signal of week 2020-W05, decided '],
  ])(
    'is drawn once from the release, as a PNG that may be cached for five minutes: %s',
    async (path, shown) => {
      const serve = create();
      const image = await serve(path);
      expect(image.value.headers).toMatchObject({
        'Content-Type': 'image/png',
        'Cache-Control': 'public, max-age=300',
      });
      expect(textOf(image)).toBe('image');
      expect((await serve(path)).value).toBe(image.value);
      expect(drawn).toEqual([expect.stringContaining(shown)]);
    },
  );

  it.each([
    ['/record', 'record.png'],
    ['/record/2020-W05', 'record/2020-W05.png'],
  ])('is named on its page: %s', async (path, image) => {
    expect(textOf(await create()(path))).toContain(
      `<meta property="og:image" content="https://market.example/base/${image}"/>`,
    );
  });

  it('claims no skill if it shows the record', async () => {
    await create()('/record.png');
    expect(drawn[0]).toContain('this record claims no skill');
  });
});

describe('the pages of weeks', () => {
  it('are stored until their week changes', async () => {
    const serve = create();
    const page = await serve('/record/2020-W05');
    expect(page.value.status).toBe(200);
    expect(textOf(page)).toContain('<title>Signal of week 2020-W05 – Kompass</title>');
    expect((await serve('/record/2020-W05')).value).toBe(page.value);
    release = releaseOf(13);
    expect((await serve('/record/2020-W12')).value.status).toBe(200);
  });

  it('show the breakdown only if the stored inputs give the score by the current formula', async () => {
    const inputs = currentInputs(FULL);
    const { score } = decideSignal(inputs);
    const { rows } = release;
    const weeks = (rows?.record.weeks ?? []).map((week, at) => ({ ...week, score: at === 1 ? 12.3 : score }));
    release = { rows: { ...rows, record: { ...rows?.record, weeks } } } as unknown as Release;
    const names = ['2020-W02', '2020-W03', '2020-W04', '2020-W05', '2020-W06'];
    const stored = weeks.slice(0, 4).map((week, at) => ({
      ...{ ...week, verdict: 'HOLD', score: 50, weights: {} },
      formula_version: at === 2 ? '1' : SIGNAL_FORMULA,
      inputs: at === 3 ? { ...inputs, breadth: null } : inputs,
    }));
    await run(
      `insert into mailer.issued_signals
           (week, status, decided_at, session, source, verdict, score, formula_version, weights, inputs)
         select week, status, decided_at, session, source, verdict, score, formula_version, weights, inputs
         from json_populate_recordset(null::mailer.issued_signals, $1::json)`,
      [JSON.stringify(stored)],
    );
    const serve = create();
    const pages = await Promise.all(names.map(async (name) => textOf(await serve(`/record/${name}`))));
    expect(pages.map((html) => html.includes('Signal Breakdown'))).toEqual([
      true,
      false,
      false,
      false,
      false,
    ]);
    for (const { name, points } of signalView(FULL, NOW).rows) {
      const row = pages[0]?.match(
        new RegExp(`<tr><th scope="row" abbr="${name.replace('&', '&amp;')}">.*?</tr>`),
      )?.[0];
      expect(row?.replace(/<[^>]+>/g, '')).toContain(points.text);
    }
  });

  it.each([
    ['2020-W30.png', 'The week 2020-W30 has no decision on record.'],
    ['2020-W54', 'There is no week 54 in 2020.'],
    ['2020-W30', 'The week 2020-W30 has no decision on record.'],
    ['garbage', 'This address names no week. Write a week as in 2026-W47.'],
    ['', 'This address names no week. Write a week as in 2026-W47.'],
  ])('respond 404 to %s', async (name, sentence) => {
    const page = await create()(`/record/${name}`);
    expect(page.value.status).toBe(404);
    expect(textOf(page)).toContain(`<p>${sentence}</p>`);
  });
});

describe.each([
  // The history of publications needs another role than the tables.
  ['/method', 2],
  ['/quality', 1],
  ['/risk', 1],
] as const)('the page %s', (path, reads) => {
  it('is read once for all requests of a version of the data', async () => {
    const serve = create();
    const pages = await Promise.all(Array.from({ length: 50 }, () => serve(path)));
    expect([new Set(pages.map(({ value }) => value)).size, data.transactions]).toEqual([1, reads]);
    watch.version += 1;
    expect((await serve(path)).value).toBe(pages[0]?.value);
    expect(data.transactions).toBe(2 * reads);
  });

  it('fits the first ten packets with its headers', async () => {
    const { br, headers, content } = (await create()(path)).value;
    expect((br?.length ?? content.length) + JSON.stringify(headers).length).toBeLessThan(MOST_BYTES);
    expect(content.toString().match(/<script[^>]*>/g)).toEqual(['<script>']);
  });
});

it('the page about the method updates the age of its data without another read', async () => {
  const serve = create();
  expect(textOf(await serve('/method'))).toContain('The verdict is HOLD at 50.0 points');
  time = Date.parse('2026-11-23T23:00:00Z');
  expect(textOf(await serve('/method'))).toContain('sessions behind');
  expect(data.transactions).toBe(2);
});

describe('the page about the quality of the data', () => {
  it('lists every gap, and is read again after a minute', async () => {
    const serve = create();
    const html = textOf(await serve('/quality'));
    expect(html).toMatch(/0 of 90 sessions checked, \d+ open gaps\./);
    expect(html).toContain('href="on/2026-11-20"');
    time += 60_000;
    await serve('/quality');
    expect(data.transactions).toBe(2);
  });

  it('names a session whose stored copy was changed', async () => {
    await run(
      `insert into archive.publications (created_at_batch, session, kind, published_at, origin, rows, sha256)
         values ('2026-11-13T21:00:00Z', '2026-11-13', 'final', now(), 'live', '{"a": 2}', sha256('{"a": 1}'))`,
    );
    const page = await create()('/quality');
    expect(page.value.status).toBe(200);
    expect(textOf(page)).toContain(
      'The stored copy of a session was changed after it was published: Fri 13 Nov 2026.',
    );
  });
});
