import { join, resolve } from 'node:path';
import { openPostgres } from '#database/postgres/open.ts';
import { startPostgres } from '#tests/support/postgres.ts';
import { startPostgrest } from '#tests/support/postgrest.ts';
import { type AtEnd, temporaryFolder, withEnds } from './ends.ts';
import type { Bound, Figure } from './figure.ts';
import { median } from './median.ts';
import { AS_A_BROWSER, pageReads } from './page-reads.ts';
import { startProduct } from './product.ts';
import { type Answered, type Asked, ensureWrk, runWrk, writeScript } from './wrk.ts';

const CONNECTIONS = 32;
const ROUNDS = 3;
const SECONDS = 2;
/** What the peer and we are held to. */
const TIMES = 10;
const SLOWEST_MS = 10;
const PAGES_PER_SECOND = 30_000;
/** Of the tables in the product; PostgREST has them at its root. */
const PREFIX = '/rest/v1';

/** One server under load: how it is called, where it is, its key and what comes before the name of a table there. */
interface Server {
  readonly name: string;
  readonly url: string;
  readonly apikey: string;
  readonly prefix: string;
}

/** A kind of request, of one server or of all. */
interface Kind {
  readonly name: string;
  readonly asked: readonly Asked[];
}

/**
 * Asks real PostgREST over real Postgres and the built product, over the same Postgres and over its own embedded
 * database, for what a page reads, one after the other in rounds; then the product alone for what else it serves.
 */
export function benchReads(): Promise<Figure[]> {
  return withEnds(async (atEnd) => {
    ensureWrk();
    const folder = temporaryFolder(atEnd);
    const postgres = await startPostgres({ isDurable: true });
    atEnd(postgres.stop);
    const shared = await startProduct(join(folder, 'shared'), atEnd, { DATABASE_URL: postgres.url });
    // As an operator who wants it fast would set it.
    const postgrest = await startPostgrest(postgres.url, { connections: 10, preparesStatements: true });
    atEnd(postgrest.stop);
    const embedded = await startProduct(join(folder, 'embedded'), atEnd);
    await analyse(postgres.url);

    const kinds = kindsOf(await pageReads(shared.url, shared.apikey, Date.now()));
    const peer = { name: 'PostgREST', url: postgrest.url, apikey: 'any', prefix: '' };
    const ours = [
      { ...embedded, name: 'embedded', prefix: PREFIX },
      { ...shared, name: 'over Postgres', prefix: PREFIX },
    ] as const;
    await expectSame(kinds, [peer, ...ours]);
    const others = await othersOf(ours[0], kinds);
    const run = runner(folder, atEnd);
    const figures: Figure[] = [];
    for (const kind of kinds) {
      const measured = await inTurn([peer, ...ours], (server) => run(server, kindAt(kind, server)));
      figures.push(...figuresOf(kind.name, peer, ours, measured));
    }
    return [...figures, ...(await serveOthers(ours[0], others, run))];
  });
}

/** What autovacuum does for a server that runs longer than a minute. */
async function analyse(url: string): Promise<void> {
  const database = await openPostgres({ url, migrationsFolder: resolve('supabase', 'migrations') });
  await database.transaction((transaction) => transaction.script('analyze'));
  await database.close();
}

const withoutPrefix = ({ path, headers }: Asked): Asked => ({ path: path.slice(PREFIX.length), headers });

/** The reads that differ most in what they answer, and all of a page in turn. */
function kindsOf(reads: readonly Asked[]): Kind[] {
  const one = (name: string, isIt: (path: string) => boolean): Kind => {
    const asked = reads.find(({ path }) => isIt(path));
    if (asked === undefined) throw new Error(`The page no longer asks for ${name}.`);
    return { name, asked: [withoutPrefix(asked)] };
  };
  const isOf = (table: string, limit: number) => (path: string) =>
    path.includes(`/${table}?`) && path.endsWith(`limit=${limit}`) && !path.includes('created_at=lt.');
  return [
    one('newest row', isOf('market_metrics', 1)),
    one('3 sentiments', isOf('market_sentiment', 3)),
    one('11 sectors', isOf('sector_strength', 11)),
    one(
      'a close of a week ago',
      (path) => path.includes('/fear_greed_index?') && path.includes('created_at=lt.'),
    ),
    one('timeline of a year, counted', isOf('fear_greed_index', 1000)),
    {
      name: `all ${reads.length} reads of a page`,
      asked: reads.map(withoutPrefix),
    },
  ];
}

const askedAt = ({ path, headers }: Asked, { prefix, apikey }: Server): Asked => ({
  path: `${prefix}${path}`,
  headers: { ...headers, apikey },
});

const kindAt = ({ name, asked }: Kind, server: Server): Kind => ({
  name,
  asked: asked.map((each) => askedAt(each, server)),
});

/** Throws unless all servers answer each read with as many rows. */
async function expectSame(kinds: readonly Kind[], servers: readonly Server[]): Promise<void> {
  for (const { asked } of kinds) {
    for (const each of asked) {
      const counts = await Promise.all(
        servers.map(async (server) => {
          const { path, headers } = askedAt(each, server);
          const rows: unknown = await (await fetch(`${server.url}${path}`, { headers })).json();
          return Array.isArray(rows) ? rows.length : Number.NaN;
        }),
      );
      if (!(counts[0] !== undefined && counts.every((count) => count === counts[0]))) {
        throw new Error(`The servers answer ${each.path} with ${counts.join(', ')} rows.`);
      }
    }
  }
}

type Run = (server: Server, kind: Kind) => Promise<Answered>;

function runner(folder: string, atEnd: AtEnd): Run {
  let scripts = 0;
  return async ({ name, url }, kind) => {
    scripts += 1;
    const script = writeScript(folder, `requests-${scripts}`, kind.asked);
    const answered = await runWrk({ url, connections: CONNECTIONS, seconds: SECONDS, script }, atEnd);
    if (answered.failed > 0) throw new Error(`${name} failed ${answered.failed} requests: ${kind.name}.`);
    return answered;
  };
}

/** The medians of rounds in which each has its turn, so that a slow minute of the machine is one for all. */
async function inTurn<T>(
  each: readonly T[],
  measure: (one: T) => Promise<Answered>,
): Promise<Map<T, Answered>> {
  const rounds = new Map(each.map((one) => [one, [] as Answered[]]));
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [one, answers] of rounds) answers.push(await measure(one));
  }
  const middle = (answers: Answered[], of: keyof Answered) => median(answers.map((answered) => answered[of]));
  return new Map(
    [...rounds].map(([one, answers]) => [
      one,
      {
        requests: middle(answers, 'requests'),
        perSecond: middle(answers, 'perSecond'),
        p50: middle(answers, 'p50'),
        p99: middle(answers, 'p99'),
        failed: 0,
      },
    ]),
  );
}

function figuresOf(
  what: string,
  peer: Server,
  ours: readonly Server[],
  measured: ReadonlyMap<Server, Answered>,
): Figure[] {
  const of = (server: Server, column: keyof Answered) => measured.get(server)?.[column] ?? Number.NaN;
  return ours.flatMap((server) => {
    const figure = (more: string, column: keyof Answered, unit: string): Figure => ({
      what: `${what}, ${server.name}${more}`,
      value: of(server, column),
      unit,
      peer: { name: peer.name, value: of(peer, column) },
    });
    return [
      { ...figure('', 'perSecond', '/s'), bound: { timesPeer: TIMES } },
      figure(', p50', 'p50', 'ms'),
      { ...figure(', p99', 'p99', 'ms'), bound: { atMost: SLOWEST_MS } },
    ];
  });
}

interface Other extends Kind {
  readonly bound?: Bound;
}

/** What the product serves beside tables: the rendered page, a file, and what has not changed. */
async function othersOf(server: Server, kinds: readonly Kind[]): Promise<Other[]> {
  const page = { path: '/', headers: AS_A_BROWSER };
  const read = askedAt(kinds[0]?.asked[0] ?? page, server);
  const html = await (await fetch(server.url)).text();
  const script = /src="\.?(\/[^"]+\.js)"/.exec(html)?.[1];
  if (script === undefined) throw new Error('The page has no script.');
  return [
    { name: 'rendered page', asked: [page], bound: { atLeast: PAGES_PER_SECOND } },
    { name: 'rendered page, uncompressed', asked: [{ path: '/', headers: {} }] },
    { name: 'rendered page, not changed (304)', asked: [await revalidating(server.url, page)] },
    { name: 'newest row, not changed (304)', asked: [await revalidating(server.url, read)] },
    { name: 'script of the page', asked: [{ path: script, headers: AS_A_BROWSER }] },
  ];
}

async function serveOthers(server: Server, others: readonly Other[], run: Run): Promise<Figure[]> {
  const measured = await inTurn(others, (kind) => run(server, kind));
  return [...measured].flatMap(([{ name, bound }, { perSecond, p99 }]): Figure[] => [
    { what: name, value: perSecond, unit: '/s', ...(bound && { bound }) },
    { what: `${name}, p99`, value: p99, unit: 'ms', bound: { atMost: SLOWEST_MS } },
  ]);
}

/** The request of whoever has the answer. Throws where that is not told that it holds. */
async function revalidating(url: string, { path, headers }: Asked): Promise<Asked> {
  const tag = (await fetch(`${url}${path}`, { headers })).headers.get('etag');
  const asked = { path, headers: { ...headers, 'if-none-match': tag ?? '' } };
  const { status } = await fetch(`${url}${path}`, { headers: asked.headers });
  if (status !== 304) throw new Error(`${path} with its own tag is answered with ${status}.`);
  return asked;
}
