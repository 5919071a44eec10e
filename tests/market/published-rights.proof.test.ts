import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PROVIDER_NAMES } from '#collector/providers/provider.ts';
import { decideRight, EVERYTHING, type Publishing } from '#collector/providers/rights.ts';
import { checkPublishedRights } from '#collector/publish/published-rights.ts';
import { PUBLISHED_TABLES } from '#collector/publish/row-sets.ts';
import { createLiveSource } from '#collector/sources/live-source.ts';
import { type Database, queryOnce } from '#database/port.ts';
import { lastSessions } from '#domain/calendar/sessions.ts';
import { SERIES, type SeriesName } from '#domain/market-history.ts';
import { enqueueAlerts } from '#mailer/alerts/verdict-changes.ts';
import { makePreview } from '#mailer/decide/preview.ts';
import { readMarket } from '#mailer/decide/read-market.ts';
import { createSignalSchedule } from '#mailer/decide/signal-schedule.ts';
import { gradeDecisions } from '#record/grade-decisions.ts';
import { tilePath, tilesOf } from '#record/ledger/tiles.ts';
import { siteFiles } from '#server/files/site-files.ts';
import { runNow } from '#server/jobs/run-job.ts';
import { cardOf, words } from '#server/page/card/card.ts';
import { drawCard } from '#server/page/card/draw-card.ts';
import { readTables } from '#server/rest/exposed-tables.ts';
import { databaseOfEachTest, databaseOfTheseTests } from '#tests/support/database-of-each-test.ts';
import { DRAW_WORKER_URL } from '#tests/support/embedded.ts';
import { fakeHttp, fakeMembers, fakeProvider } from '#tests/support/fake-providers.ts';
import { KEY, startTestServer } from '#tests/support/gate-server.ts';
import { sendRequest } from '#tests/support/send-request.ts';
import { ROOT } from '../../scripts/set-up.mjs';
import { rightsOf } from '../../src/cli/doctor/check-rights.ts';

const CLIENT_FOLDER = join(ROOT, 'dist', 'client');
const HOME = 'https://market.example/';
/** 19:30 in New York, after the final figures of the session. */
const eveningOf = (day: string) => Date.parse(`${day}T19:30:00-05:00`);
const WEDNESDAY = '2026-11-18';
const THURSDAY = '2026-11-19';
const FRIDAY = '2026-11-20';
const PATHS = [
  ...['/', '/index.html', '/record', '/record.png', '/quality', '/method', '/embed', '/signal.json'],
  ...['/signals.csv', '/fear-greed.csv', '/feed.atom', '/feed.json', '/grades.atom', '/grades.json'],
  ...['/badge.svg', '/badge.json', '/og.png', `/oembed?url=${HOME}`, '/openapi.json', '/risk', '/llms.txt'],
  ...['/healthz', '/readyz', '/metrics', '/mcp', '/unsubscribe/x', '/record/2026-W45.png'],
  ...[WEDNESDAY, THURSDAY, FRIDAY].flatMap((day) => ['', '.json', '.png'].map((end) => `/on/${day}${end}`)),
];

/** Draws no image, but returns all that one is drawn from as text. */
const DRAW_NOTHING = new URL(
  `data:text/javascript,${encodeURIComponent(`import { parentPort } from 'node:worker_threads';
  parentPort.on('message', (card) => parentPort.postMessage(Buffer.from(JSON.stringify(card))));`)}`,
);

/** The tools of /mcp with their arguments. */
const TOOLS: [string, object][] = [
  ...['signal', 'explain', 'record', 'risk', 'verify'].map((name): [string, object] => [name, {}]),
  ...[WEDNESDAY, THURSDAY, FRIDAY].map((date): [string, object] => ['day', { date }]),
];

const INPUTS = ['bars', ...SERIES] as const;
type Name = (typeof INPUTS)[number];

/**
 * Every value of a provider is a number of this form, by input, before and from a session on. No computed figure has it.
 */
const formOf = (input: Name, digit = 7) =>
  new RegExp(`(?<![\\w.])${digit}${String(INPUTS.indexOf(input)).padStart(2, '0')},?53\\d(?!\\d)`);
const SENTINELS = { before: /(?<![\w.])7[01]\d,?53\d(?!\d)/, from: /(?<![\w.])8[01]\d,?53\d(?!\d)/ };
function sentinel(input: Name, session: string, since: string, day: number): number {
  const value = (session < since ? 700_530 : 800_530) + INPUTS.indexOf(input) * 1_000 + (day % 97) / 10;
  // Counts are whole.
  return input.startsWith('nyse_') ? Math.floor(value) : value;
}

/** The inputs whose values the pages show. */
const SHOWN: readonly Name[] = [
  ...(['sp500_close', 'nasdaq_composite_close', 'dow_jones_close', 'vix_close', 'put_call_total'] as const),
  ...(['nyse_advances', 'nyse_declines', 'nyse_unchanged', 'nyse_trin'] as const),
];
/** A row of a stock. */
const STOCK = /Company \d/;
const WSJ = SERIES.filter((name) => name.startsWith('nyse_'));

function marketOf(publishing: Publishing, since = '9999') {
  const providers = PROVIDER_NAMES.map((name) => {
    const fake = fakeProvider(name);
    const inputs = { wsj: WSJ, ofr: ['ofr_stress_index'] as const };
    const provider = name in inputs ? Object.assign(fake, { inputs: inputs[name as 'wsj' | 'ofr'] }) : fake;
    const dayOf = (session: string) => Date.parse(session) / 86_400_000;
    provider.value = (series, session) =>
      sentinel(series, session, since, dayOf(session) * (3 + SERIES.indexOf(series)));
    provider.bars = (bar) => {
      const close = sentinel('bars', bar.session, since, dayOf(bar.session) * bar.symbol.charCodeAt(2));
      return { ...bar, open: close, high: close, low: close, close };
    };
    return provider;
  });
  return createLiveSource({
    providers,
    publishing,
    readMembers: async () => fakeMembers(6),
    universe: 'S&P 500',
    openHttp: () => fakeHttp(),
  });
}

async function collect(database: Database, source: ReturnType<typeof marketOf>, at: number) {
  await runNow('collect', { database, source, now: () => at });
}

const settingsWith = (publishDelay = 0) => ({
  ...{ productName: 'Barometer', publicUrl: HOME, smtpUrl: null, bounceAddress: null, publishDelay },
  ...{ postalAddress: null, perSecond: 1, outboxFolder: '', doubleOptIn: false },
  from: { name: 'Barometer', address: 'signal@example.org' },
  signalTime: { weekday: 6, minutes: 540 },
});

/** Two weeks until Friday with a weekly signal, its grade and a change of the verdict, with their messages. */
async function collectWeeks(database: Database, source: ReturnType<typeof marketOf>) {
  const settings = settingsWith(source.publishing?.settings.delay);
  await collect(database, source, eveningOf('2026-11-06'));
  // As if earlier runs had collected the counts of the exchange, which has no history of them, and the long history that the
  // risk outlook needs, with larger moves than the sentinels have.
  const valuesOf = (series: SeriesName, count: number, move: number) =>
    lastSessions('2026-11-05', count).map((session, at) => ({
      ...{ name: series, session },
      value: Math.floor(sentinel(series, session, '9999', at) * (1 + move * Math.sin(at * at))),
    }));
  const values = [
    ...WSJ.flatMap((name) => valuesOf(name, 80, 0)),
    ...valuesOf('sp500_close', 3_500, 0.01),
    ...valuesOf('vix_close', 3_500, 0.3),
  ];
  await queryOnce(
    database,
    `insert into collector.series (name, session, value) select name, session, value
       from json_to_recordset($1::json) as values_of (name text, session date, value float8) on conflict do nothing`,
    [JSON.stringify(values)],
  );
  const decidedAt = Date.parse('2026-11-07T09:30:00-05:00');
  await createSignalSchedule({
    ...{ database, settings, began: decidedAt },
    now: () => decidedAt,
  }).byHand({ atOnce: true });
  for (const day of [THURSDAY, FRIDAY]) await collect(database, source, eveningOf(day));
  await gradeDecisions(database, eveningOf(FRIDAY));
  await queryOnce(
    database,
    `insert into archive.verdict_changes (session, at, from_verdict, to_verdict, score, source, formula_version, follows)
       select $1, $2, to_verdict, case to_verdict when 'BUY' then 'SELL' else 'BUY' end, 50, 'live', 'test', id
       from archive.verdict_changes order by id desc limit 1 on conflict do nothing`,
    [WEDNESDAY, new Date(eveningOf(FRIDAY)).toISOString()],
  );
  await enqueueAlerts(database, { frame: settings, webhooks: ['test'], now: eveningOf(FRIDAY) });
}

/** The public texts of a server and of its files: its pages with the pages that they link to, its tables, tools, ledger and mail. */
async function publicTexts(
  database: Database,
  source: ReturnType<typeof marketOf>,
  at: number,
): Promise<Map<string, string>> {
  const server = await startTestServer(database, {
    config: {
      publicUrl: HOME,
      rights: source.publishing === undefined ? null : rightsOf(source.publishing),
      publishDelay: source.publishing?.settings.delay,
    },
    drawWorkerUrl: DRAW_NOTHING,
    now: () => at,
  });
  const texts = new Map<string, string>();
  try {
    const tables = [...(await readTables(database)).keys()];
    const queue = [
      ...PATHS,
      ...tables.map((name) => `/rest/v1/${name}?limit=1000&apikey=${KEY}`),
      ...['/ledger/checkpoint', '/ledger/key'],
    ];
    const [ledger] = await queryOnce<{ size: number }>(
      database,
      'select count(*)::int as size from archive.ledger_entries',
    );
    queue.push(...tilesOf(ledger?.size ?? 0).map((tile) => `/ledger/${tilePath(tile)}`));
    for (const [name, given] of TOOLS) {
      const params = { name, arguments: given };
      const { status, body } = await sendRequest(server.url, '/mcp', {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
      });
      const text = body.toString();
      if (status !== 200 || !text.includes('as_of')) throw new Error(`${name} responds ${status}: ${text}`);
      texts.set(`/mcp ${name} ${JSON.stringify(given)}`, text);
    }
    for (let path = queue.shift(); path !== undefined; path = queue.shift()) {
      if (texts.has(path)) continue;
      const { status, headers, body } = await sendRequest(server.url, path, {
        headers: { accept: 'text/html, */*' },
      });
      if (path.startsWith('/rest/') && status !== 200 && !path.includes('email_subscribers'))
        throw new Error(`${path} responds ${status}.`);
      texts.set(path, body.toString('latin1'));
      if (!String(headers['content-type']).startsWith('text/html')) continue;
      for (const [, href = ''] of body
        .toString()
        .matchAll(/\b(?:href="?|src="?|content="?(?=https))([^"#\s>]+)/g)) {
        const url = new URL(href.replaceAll('&amp;', '&'), `${HOME.slice(0, -1)}${path}`);
        const isPage = url.origin === new URL(HOME).origin && !/^\/(?:assets|on)\//.test(url.pathname);
        if (isPage) queue.push(`${url.pathname}${url.search}`);
      }
    }
    const crawled = [...texts.keys()].map((path) => path.replace(/[ ?].*/, ''));
    const missed = server.paths.filter(
      (path) =>
        !crawled.some((one) => (typeof path === 'string' ? one === path : path.test(one))) &&
        !(typeof path === 'string' && existsSync(join(CLIENT_FOLDER, path))),
    );
    if (missed.length > 0) throw new Error(`These addresses were not searched: ${missed.join(', ')}`);
  } finally {
    await server.close();
  }
  const files = siteFiles(
    {
      ...{ database, at, url: HOME, clientFolder: join(ROOT, 'dist', 'client'), version: '1' },
      ...{ backend: null, subscribeAt: null, page: { productName: 'Barometer' } },
      rights: source.publishing === undefined ? null : rightsOf(source.publishing),
      publishDelay: source.publishing?.settings.delay ?? 0,
      // The texts and numbers of an image cannot be found in a PNG.
      draw: async (card) => Buffer.from(JSON.stringify(card)),
    },
    { drawn: async () => null },
  );
  for await (const { path, content } of files) texts.set(`file ${path}`, content.toString('latin1'));
  const mail = makePreview(await readMarket(database, at), {
    settings: settingsWith(source.publishing?.settings.delay),
    at,
    to: 'reader@example.org',
  });
  texts.set('mail', JSON.stringify(mail));
  const messages = await ask(database, 'select * from mailer.messages');
  texts.set('messages', JSON.stringify(messages));
  texts.set('issued', JSON.stringify(await ask(database, 'select * from mailer.issued_signals')));
  return texts;
}

const placesOf = (texts: ReadonlyMap<string, string>, pattern: RegExp) =>
  [...texts].flatMap(([path, text]) => {
    const found = pattern.exec(text);
    return found === null ? [] : [`${path}: ${text.slice(found.index - 30, found.index + 20)}`];
  });

const ask = (database: Database, sql: string) => queryOnce(database, sql);
const onlyRows = (database: Database, table: string) =>
  ask(database, `select * from ${table} order by id desc limit 1`);

describe('a number without the right to show it', () => {
  const { database } = databaseOfEachTest();
  const licences = (
    list: readonly (readonly ['cboe' | 'fred' | 'ofr' | 'wsj' | 'yahoo', 'derived' | 'value'])[],
  ) => ({
    ...{ audience: 'public' as const, delay: 0 as const },
    licences: new Map(list),
  });

  it('is shown without AUDIENCE, so that the search below would find it', async () => {
    const source = marketOf(EVERYTHING);
    await collectWeeks(database, source);
    const texts = await publicTexts(database, source, eveningOf(FRIDAY));
    for (const input of SHOWN) expect(placesOf(texts, formOf(input)), input).not.toEqual([]);
    const places = placesOf(texts, SENTINELS.before);
    const found = (path: string) => places.some((place) => place.startsWith(path));
    const paths = ['/', '/rest/v1/market_indices', '/rest/v1/advanced_indicators', '/mcp day', '/risk'];
    for (const path of [
      ...paths,
      ...['file index.html', 'file reads.json', `file on/${FRIDAY}/`, 'file ledger/tile'],
      '/ledger/tile',
      `/on/${FRIDAY}`,
      'mail',
      'issued',
      '/rest/v1/signal_grades',
    ])
      expect(found(path), path).toBe(true);
    expect(texts.get('messages')).toMatch(/"channel":"mail".*"channel":"webhook"/);
    expect(texts.get(`/rest/v1/market_stocks?limit=1000&apikey=${KEY}`)).toMatch(STOCK);
    await expect(checkPublishedRights(database, marketOf(licences([])))).rejects.toThrow(
      /its ledger cannot change/,
    );
  });

  const scores = (['yahoo', 'cboe', 'fred', 'ofr', 'wsj'] as const).map((name) => [name, 'derived'] as const);
  it.each([
    ['without a licence', [], false],
    ['with licences for scores', scores, true],
    ['with a licence for the numbers of one provider', [...scores, ['wsj', 'value']] as const, true],
  ] as const)(
    'is on no address, in no table, in no mail and not in the ledger %s [T27]',
    async (_, list, hasIndex) => {
      const source = marketOf(licences(list));
      const { settings, suppliersOf = () => [] } = source.publishing ?? { settings: EVERYTHING };
      await collectWeeks(database, source);
      const texts = await publicTexts(database, source, eveningOf(FRIDAY));
      expect(texts.size).toBeGreaterThan(60);
      for (const input of INPUTS) {
        const suppliers = suppliersOf(input);
        const isShown = suppliers.length > 0 && decideRight(settings, suppliers, input) === 'value';
        const places = placesOf(texts, formOf(input));
        if (!isShown) expect(places, input).toEqual([]);
        else if (SHOWN.includes(input)) expect(places, input).not.toEqual([]);
      }
      expect(placesOf(texts, STOCK)).toEqual([]);
      expect(await onlyRows(database, 'public.advanced_indicators')).toMatchObject([
        { vix: null, vix_change: null, put_call_ratio: null },
      ]);
      expect(
        await ask(database, 'select from public.market_indices where change is not null limit 1'),
      ).toEqual([]);
      for (const table of ['public.market_stocks', 'archive.risk_outlooks'])
        expect(await onlyRows(database, table), table).toEqual([]);
      expect(await onlyRows(database, 'public.fear_greed_index')).toHaveLength(hasIndex ? 1 : 0);
      expect(texts.get('/method')).toContain('scores and words only');
    },
  );

  it('is in no metadata of a share image, because an image has none', async () => {
    const png = await drawCard(DRAW_WORKER_URL, cardOf(words('title', 'HOLD')));
    const chunks: string[] = [];
    for (let at = 8; at < png.length; at += 12 + png.readUInt32BE(at))
      chunks.push(png.toString('latin1', at + 4, at + 8));
    expect(chunks.filter((name) => !['IHDR', 'PLTE', 'tRNS', 'IDAT', 'IEND'].includes(name))).toEqual([]);
  });
});

describe('PUBLISH_DELAY=T+1', () => {
  const { database } = databaseOfTheseTests();

  it('shows nothing of a session before the next session has closed', async () => {
    const source = marketOf({ ...EVERYTHING, delay: 1 }, FRIDAY);
    await collectWeeks(database, source);
    const texts = await publicTexts(database, source, eveningOf(FRIDAY));
    expect(placesOf(texts, SENTINELS.before)).not.toEqual([]);
    expect(placesOf(texts, SENTINELS.from)).toEqual([]);
    expect(texts.has(`file on/${THURSDAY}/index.html`)).toBe(true);
    // The address of the session itself, if a page links to it, leads to the session before.
    const ofFriday = [...texts].filter(([path]) => path.startsWith(`file on/${FRIDAY}`));
    for (const [, text] of ofFriday) expect(text).toContain(`content="0;url=../../on/${THURSDAY}/"`);
    const rowsOfFriday = [...PUBLISHED_TABLES.map(({ name }) => name), 'market_stocks', 'input_origins'].map(
      (name) => `select '${name}' as name from public.${name} where created_at > '${FRIDAY}T14:00:00Z'`,
    );
    expect(await ask(database, rowsOfFriday.join(' union all '))).toEqual([]);
    const dated = ['public.publications', 'public.verdict_changes', 'archive.risk_outlooks'].map(
      (name) => `select '${name}' as name from ${name} where session >= '${FRIDAY}'`,
    );
    expect(await ask(database, dated.join(' union all '))).toEqual([]);
    expect(await onlyRows(database, 'archive.publications')).toMatchObject([
      { session: THURSDAY, origin: 'live' },
    ]);
  });

  it('shows the session after the next close', async () => {
    const source = marketOf({ ...EVERYTHING, delay: 1 }, FRIDAY);
    const monday = eveningOf('2026-11-23');
    await collect(database, source, monday);
    const texts = await publicTexts(database, source, monday);
    expect(placesOf(texts, SENTINELS.from)).not.toEqual([]);
    expect(await onlyRows(database, 'archive.publications')).toMatchObject([
      { session: FRIDAY, origin: 'live' },
    ]);
  });
});
