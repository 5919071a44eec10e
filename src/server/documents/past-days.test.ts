import { beforeAll, describe, expect, it } from 'vitest';
import { periodsOf } from '#collector/periods.ts';
import { sessionClose, sessionsBetween } from '#domain/calendar/sessions.ts';
import { databaseOfTheseTests } from '#tests/support/database-of-each-test.ts';
import { fakeMarketWatch } from '#tests/support/fake-market-watch.ts';
import { fakeMembers } from '#tests/support/fake-providers.ts';
import { AWAY, failingDatabase, LONG_WAIT } from '#tests/support/gate-server.ts';
import { marketOverTime } from '#tests/support/runs-over-time.ts';
import { servingProcess } from '#tests/support/serving-process.ts';
import { SILENT_LOG } from '../log.ts';
import { TooManyWaiting } from '../queue.ts';
import { createSnapshotReads } from '../rest/read.ts';
import type { Served } from './cached-value.ts';
import { servePastDays } from './past-days.ts';

/** This day is a Sunday. */
const NOW = Date.parse('2024-11-24T12:00:00Z');

const NOT_PAST = 'This date is not past yet. Choose an earlier date.';
const NO_DATE = 'This is not a date. Choose one, such as 5 Oct 2026.';
const ITSELF = 'A session cannot be compared with itself. Choose another date.';

const { database } = databaseOfTheseTests();
let pastDays: ReturnType<typeof create>;
let drawn: number;

/** Creates the documents. Returns a function that serves an address to a client. */
function create(now = () => NOW, watch = fakeMarketWatch(now), over = database) {
  const serve = servePastDays({
    ...{ ...LONG_WAIT, database: over, watch, now, log: SILENT_LOG, productName: 'Barometer' },
    home: 'https://market.example/base/',
    ...{ inSnapshot: createSnapshotReads(over), hasServer: false },
    draw: async ({ node }) => {
      drawn += 1;
      return Buffer.from(JSON.stringify(node));
    },
  });
  return async (path: string, query = '', client = 'a') =>
    (await serve({ path, query, client: () => client })) as Served;
}

beforeAll(async () => {
  drawn = 0;
  const time = { now: sessionClose('2024-11-15') };
  const now = () => time.now;
  const source = marketOverTime({
    members: fakeMembers(6),
    first: '2024-06-03',
    now,
    failing: () => null,
    wrongUntil: (session) => (session === '2024-11-19' ? sessionClose(session) + 12 * 3_600_000 : 0),
  });
  const server = servingProcess(database, source, { now });
  for (const session of sessionsBetween('2024-11-18', '2024-11-22')) {
    const periods = periodsOf(session);
    for (const period of [periods[0] ?? 0, ...periods.slice(-2)]) {
      time.now = period;
      await server.tick();
    }
  }
  pastDays = create();
});

async function get(path: string, query = '') {
  const { status, headers, content, br } = (await pastDays(path, query)).value;
  const html = content.toString();
  const text = html
    .replace(/<style>.*?<\/style>/s, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ');
  return { status, headers, html, text, bytes: br?.length ?? content.length };
}

describe('the page of a past session', () => {
  it('shows the time of its publication and the figures of that time', async () => {
    const { status, text, headers, html } = await get('/on/2024-11-22');
    expect(status).toBe(200);
    expect(text).toContain('As published Fri 22 Nov 2024, 20:00 New York time');
    expect(text).toContain('Previous: Thu 21 Nov 2024');
    expect(text).not.toContain('Next:');
    expect(headers).toMatchObject({
      'Memento-Datetime': 'Sat, 23 Nov 2024 01:00:00 GMT',
      Link: '<https://market.example/base/>; rel="original"',
      'X-Robots-Tag': 'noindex',
    });
    expect(html).toContain('<meta name="robots" content="noindex"/>');
    expect(html).toContain('<title>Fri 22 Nov 2024 – Barometer</title>');
    expect(html).toContain('content="https://market.example/base/on/2024-11-22.png"');
    expect(html.match(/<script[^>]*>/g)).toEqual(['<script>']);
  });

  it('has the sections of the dashboard in their order, with our chart in place of the widgets', async () => {
    const { html, text } = await get('/on/2024-11-22');
    const titles = [...html.matchAll(/<h2[^>]*>(.*?)<\/h2>/g)].map(([, title]) =>
      title?.replace('\u00a0', ' '),
    );
    expect(titles).toEqual([
      'Market Signal',
      'Market Sentiment Analysis',
      'S&amp;P 500 closes, 23 Oct to 22 Nov 2024',
      'Market Exposure',
      'Overall Strength',
      'Advanced Market Indicators, Sectors &amp; Breadth',
      'Market Insights',
    ]);
    expect(html).toMatch(
      /role="img" aria-label="S&amp;P\u00a0500 from Wed 23 Oct 2024 to Fri 22 Nov 2024: lowest/,
    );
    expect(html).not.toContain('iframe');
    expect(text).toContain('Market Signal as of Fri 22 Nov 2024, close');
  });

  it('draws the closes up to its session only', async () => {
    const { text } = await get('/on/2024-10-01');
    expect(text).toContain('S&amp;P 500 closes, 3 Sep to 1 Oct 2024');
  });

  it('shows the old and the new value of a figure that was corrected later', async () => {
    const { text } = await get('/on/2024-11-19');
    expect(text).toMatch(/Corrected since: \d+ values/);
    expect(text).toContain('Figure Published Now');
    expect(text).toContain('Exposure and strength Market Exposure 50.0% Moderate 33.3% Low');
  });

  it('states that no visitor saw the page of a session that was computed later', async () => {
    const { text, headers } = await get('/on/2024-10-01');
    expect(text).toContain('Computed later from stored data; nobody saw this page at the time');
    expect(headers).not.toHaveProperty('Memento-Datetime');
    expect(text).toContain('Next: Wed 2 Oct 2024');
  });

  it('shows only the figures that differ from another session', async () => {
    const { text, status } = await get('/on/2024-11-21', 'with=2024-11-20');
    expect(status).toBe(200);
    expect(text).toContain('Numbers that differ');
    expect(text).toContain('Figure Its own scale ○ Wed 20 Nov 2024 ● Thu 21 Nov 2024 Difference');
    expect(text).toContain('Indices S&amp;P 500 5,000.70 5,000.80 +0.10');
  });

  it('is built once for all queries that do not change it', async () => {
    const days = create();
    const queries = ['', 'at=1', 'at=2', 'utm_source=x', 'for=x', 'for=2024-11-20', 'for=2030-01-01'];
    const served = await Promise.all(queries.map((query, at) => days('/on/2024-11-21', query, `${at}`)));
    expect(new Set(served.map(({ value }) => value)).size).toBe(1);
  });

  it('is refused to a client that waits for too many others, and not to another client', async () => {
    const days = create();
    const sessions = ['18', '19', '20', '21', '22'].map((day) => `/on/2024-11-${day}`);
    const requests = [...sessions.map((path) => days(path)), days('/on/2024-10-01', '', 'b')];
    const outcomes = await Promise.allSettled(requests);
    expect(outcomes.map(({ status }) => status)).toEqual([
      ...Array(4).fill('fulfilled'),
      'rejected',
      'fulfilled',
    ]);
    expect((outcomes[4] as PromiseRejectedResult).reason).toBeInstanceOf(TooManyWaiting);
  });

  it('needs a turn and the database only for sessions', async () => {
    const data = failingDatabase(database);
    data.failure = AWAY;
    const days = create(undefined, undefined, data.database);
    for (const [path, status] of [
      ['/on/2024-11-23', 302],
      ['/on/2024-11-23.png', 404],
      ['/on/2024-11-28', 404],
      ['/on/0000-01-03', 404],
      ['/on/0000-01-03.png', 404],
    ] as const) {
      expect([path, (await days(path)).value.status]).toEqual([path, status]);
    }
    expect((await days('/on/2024-11-22', 'with=0000-01-03')).value.status).toBe(400);
    expect((await days('/on', 'date=0000-01-03')).value.status).toBe(400);
    await expect(days('/on')).rejects.toThrow(AWAY);
    await expect(days('/on/2024-11-22')).rejects.toThrow(AWAY);
  });

  it('is served with its age while the database is unavailable', async () => {
    let time = NOW;
    const data = failingDatabase(database);
    const watch = fakeMarketWatch(() => NOW);
    const days = create(() => time, watch, data.database);
    const shown = async (path: string) => {
      const { value, age } = await days(path);
      return { value, age: age?.() };
    };
    const page = await shown('/on/2024-11-21');
    const newest = await shown('/on');
    expect(newest.value.headers.Location).toBe('./on/2024-11-22');
    data.failure = AWAY;
    watch.version += 1;
    time += 120_000;
    expect(await shown('/on/2024-11-21')).toEqual({ ...page, age: 120 });
    expect(await shown('/on')).toEqual({ ...newest, age: 120 });
    await expect(days('/on/2024-11-20')).rejects.toThrow(AWAY);
    watch.isWatching = false;
    expect(await shown('/on/2024-11-21')).toEqual({ ...page, age: 120 });
  });
});

it('the share image of a past session shows its session', async () => {
  const { status, headers, html } = await get('/on/2024-11-20.png');
  expect([status, headers['Content-Type'], drawn]).toEqual([200, 'image/png', 1]);
  expect(html).toContain('Past day: Wed 20 Nov 2024');
});

describe('an address without a session', () => {
  it.each([
    ['/on/2024-11-23', '', '2024-11-22?for=2024-11-23'],
    ['/on/2024-11-17', 'with=2024-11-20', '2024-11-15?for=2024-11-17&with=2024-11-20'],
    ['/on', '', './on/2024-11-22'],
    ['/on', 'date=2024-11-20', './on/2024-11-20'],
    ['/on/', 'date=2024-11-20', '../on/2024-11-20'],
  ])('%s?%s redirects to %s', async (path, query, location) => {
    const { status, headers } = await get(path, query);
    expect([status, headers.Location]).toEqual([302, location]);
  });

  it('redirects to the newest session with data, not to one that is not published yet', async () => {
    const { value: resource } = await create(() => sessionClose('2024-11-25') + 60_000)('/on');
    expect(resource.headers.Location).toBe('./on/2024-11-22');
  });

  it('is named only on the page that it redirects to', async () => {
    expect((await get('/on/2024-11-22', 'for=2024-11-23')).text).toContain(
      'There is no data of Sat 23 Nov 2024. This is Fri 22 Nov 2024.',
    );
    for (const other of ['2024-11-20', '2024-11-22', '2030-01-01', 'x', '<b>']) {
      expect((await get('/on/2024-11-21', `for=${other}`)).text).not.toContain('There is no data');
    }
  });

  it.each([
    ['/on/2024-11-25', '', 404, NOT_PAST],
    ['/on/2030-01-01', '', 404, NOT_PAST],
    ['/on/1990-01-02', '', 404, 'the history begins later. Choose a later date.'],
    ['/on/2024-02-30', '', 404, NO_DATE],
    ['/on/20241120', '', 404, NO_DATE],
    ['/on/20.11.2024', '', 404, NO_DATE],
    ['/on/%E0%A5%A8%E0%A5%A6', '', 404, NO_DATE],
    ['/on/2024-11-20/', '', 404, NO_DATE],
    ['/on', 'date=soon', 400, 'Choose a date, such as 5 Oct 2026.'],
    ['/on/2024-11-21', 'with=2024-11-21', 400, ITSELF],
    ['/on/2024-11-22', 'with=2024-11-23', 400, ITSELF],
    ['/on/2024-11-21', 'with=x', 400, 'is invalid or not past. Choose a past date, such as 5 Oct 2026.'],
    ['/on/2024-11-21', 'with=1990-01-02', 404, 'There is no data of the date to compare with.'],
    ['/on/2024-11-23.png', '', 404, 'There is no data of this date. Choose another date.'],
  ])('%s?%s is refused with %i and one sentence', async (path, query, code, sentence) => {
    const { status, text, html } = await get(path, query);
    expect(status).toBe(code);
    expect(text.replaceAll(' .', '.')).toContain('Nothing to show');
    expect(text.replaceAll(' .', '.')).toContain(sentence);
    expect(html).toContain('<input type="date"');
    expect(html).toContain('noindex');
  });

  it('counts as a session that has not closed until its closing bell', async () => {
    pastDays = create(() => sessionClose('2024-11-22') - 1);
    expect((await get('/on/2024-11-22')).status).toBe(404);
    pastDays = create(() => sessionClose('2024-11-22'));
    expect((await get('/on/2024-11-22')).status).toBe(200);
  });
});
