import { join, resolve } from 'node:path';
import { openPostgres } from '#database/postgres.ts';
import { startPostgres } from '#tests/support/postgres.ts';
import { startPostgrest } from '#tests/support/postgrest.ts';
import { temporaryFolder, withEnds } from './ends.ts';
import type { Figure } from './figure.ts';
import { pageReads } from './page-reads.ts';
import { startProduct } from './product.ts';
import { othersOf, renderAnew, serveOthers } from './reads-others.ts';
import { askedAt, inTurn, type Kind, kindAt, runner, type Server } from './rounds.ts';
import { type Answered, type Asked, ensureWrk } from './wrk.ts';

/** Minimum ratio of Barometer's reads per second to the peer's. */
const TIMES = 10;
const SLOWEST_MS = 10;
/** Path of the tables in the product; PostgREST has them at its root. */
const PREFIX = '/rest/v1';

/**
 * Measures the page's reads on real PostgREST over real Postgres, and on the built product over the same Postgres and over
 * its embedded database, in alternating rounds. Then measures the other resources of the product.
 */
export function benchReads(): Promise<Figure[]> {
  return withEnds(async (atEnd) => {
    ensureWrk();
    const folder = temporaryFolder(atEnd);
    const postgres = await startPostgres({ isDurable: true });
    atEnd(postgres.stop);
    const shared = await startProduct(join(folder, 'shared'), atEnd, { DATABASE_URL: postgres.url });
    // The settings with which PostgREST is fastest.
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
    // Warm up each server before the measurement.
    const [all] = kinds.slice(-1);
    for (const server of [peer, ...ours]) if (all !== undefined) await run(server, kindAt(all, server));
    const figures: Figure[] = [];
    for (const kind of kinds) {
      const measured = await inTurn([peer, ...ours], (server) => run(server, kindAt(kind, server)));
      figures.push(...figuresOf(kind.name, peer, ours, measured));
    }
    const misses = await inTurn([peer, ...ours], (server) => run(server, kindAt(MISS, server)));
    figures.push(...missFigures(peer, ours, misses));
    return [...figures, ...(await serveOthers(ours[0], others, run)), await renderAnew(ours[0])];
  });
}

/** A kind of read that the server does not cache, because each request is different. */
const MISS: Kind = {
  name: 'read outside the release, each distinct',
  asked: [
    {
      path: '/market_metrics?select=market_exposure,created_at&order=created_at.desc&limit=1&id=neq.',
      headers: {},
    },
  ],
  isNumbered: true,
};
/** Minimum ratio of the rate of uncached reads to that of the peer. */
const MISS_TIMES = 1;

function missFigures(
  peer: Server,
  ours: readonly Server[],
  measured: ReadonlyMap<Server, Answered>,
): Figure[] {
  const of = (server: Server) => measured.get(server)?.perSecond ?? Number.NaN;
  return ours.map((server) => ({
    what: `${MISS.name}, ${server.name}`,
    value: of(server),
    unit: '/s',
    peer: { name: peer.name, value: of(peer) },
    bound: { timesPeer: MISS_TIMES },
  }));
}

/** Runs ANALYZE, as autovacuum would on a server that runs longer. */
async function analyse(url: string): Promise<void> {
  const database = await openPostgres({ url, migrationsFolder: resolve('supabase', 'migrations') });
  await database.transaction((transaction) => transaction.script('analyze'));
  await database.close();
}

const withoutPrefix = ({ path, headers }: Asked): Asked => ({ path: path.slice(PREFIX.length), headers });

/** Several reads with very different responses, then all reads of a page in turn. */
function kindsOf(reads: readonly Asked[]): Kind[] {
  const one = (name: string, isIt: (path: string) => boolean): Kind => {
    const asked = reads.find(({ path }) => isIt(path));
    if (asked === undefined) throw new Error(`The page no longer requests ${name}.`);
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

/** Throws unless all servers return the same number of rows for each read. */
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
        throw new Error(
          `The servers return different numbers of rows for ${each.path}: ${counts.join(', ')}.`,
        );
      }
    }
  }
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
