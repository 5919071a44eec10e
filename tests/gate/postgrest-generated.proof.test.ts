import { describe, expect, it } from 'vitest';
import { type Database, queryOnce } from '#database/port.ts';
import { openPostgres } from '#database/postgres.ts';
import { readTables, type Table } from '#server/rest/exposed-tables.ts';
import { type Asker, type Compared, createAsker, type Exchange } from '#tests/support/compared-responses.ts';
import { createDice } from '#tests/support/dice.ts';
import { MIGRATIONS } from '#tests/support/embedded.ts';
import { KEY, LONG_WAIT, serveGate } from '#tests/support/gate-server.ts';
import { onEach } from '#tests/support/on-each.ts';
import { startPostgres } from '#tests/support/postgres.ts';
import { hasPostgrest, startPostgrest } from '#tests/support/postgrest.ts';
import { shared } from '#tests/support/shared.ts';
import { asOwnerOf } from '#tests/support/subscribing.ts';
import { generateInsert } from './generated-inserts.ts';
import { generateRead, OPERATORS, type Samples } from './generated-reads.ts';
import type { Generated } from './generated-requests.ts';
import { ODD_ROWS } from './odd-rows.ts';

const SEED = Number(process.env.REQUESTS_SEED ?? 20261122);
const READS = 1_500;
const INSERTS = 500;
/** Number of concurrent requests to each server. */
const AT_ONCE = 4;
const SAMPLED = 25;
/** Maximum number of differences to print. */
const SHOWN = Number(process.env.REQUESTS_SHOWN ?? 10);

async function readSamples(database: Database, tables: readonly Table[]): Promise<Samples> {
  const ofTable = async ({ name, columns }: Table) => {
    const texts = [...columns.keys()].map((column) => `${column}::text`).join(', ');
    const rows = await queryOnce(database, `select ${texts} from ${name} order by id limit ${SAMPLED}`);
    const textOf = (value: unknown) => (value === null ? null : String(value));
    const values = [...columns.keys()].map(
      (column) => [column, rows.map((row) => textOf(row[column]))] as const,
    );
    return [name, new Map(values)] as const;
  };
  return new Map(await Promise.all(tables.map(ofTable)));
}

function nameOf({ method = 'GET', path, headers, body }: Exchange): string {
  const written = typeof body === 'string' ? JSON.stringify(body) : Buffer.from(body ?? []).toString('hex');
  return `${method} ${path} ${JSON.stringify(headers ?? {})} ${written}`.slice(0, 600);
}

/** A request with the responses of the gate and of PostgREST. */
interface Outcome extends Generated {
  fromPostgrest: Compared;
  fromGate: Compared;
}

/** Counts of equal items, the most frequent first. */
function countsOf(items: readonly (string | number)[]): string {
  const counts = new Map<string | number, number>();
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1);
  const sorted = [...counts].sort(([, one], [, other]) => other - one);
  return sorted.map(([item, count]) => `${item}: ${count}`).join(', ');
}

const describeResponse = ({ status, headers, body }: Compared) => {
  const there = Object.entries(headers).filter(([, value]) => value !== null);
  return `${status} ${JSON.stringify(Object.fromEntries(there))} ${body.slice(0, 300)}`;
};

/** The differences, with the whole input and output of each for debugging. */
function reportOf(outcomes: readonly Outcome[]): string {
  const different = outcomes.filter(
    ({ fromGate, fromPostgrest }) => JSON.stringify(fromGate) !== JSON.stringify(fromPostgrest),
  );
  const shown = different
    .slice(0, SHOWN)
    .map(
      ({ exchange, fromGate, fromPostgrest }) =>
        `${nameOf(exchange)}\n  PostgREST: ${describeResponse(fromPostgrest)}\n  the gate:  ${describeResponse(fromGate)}`,
    );
  const statuses = countsOf(outcomes.map(({ fromPostgrest }) => fromPostgrest.status));
  return [`REQUESTS_SEED=${SEED}: ${different.length} differ, of ${statuses}`, ...shown].join('\n');
}

interface Sides {
  tables: Table[];
  samples: Samples;
  reads: { postgrest: Asker; gate: Asker };
  inserts: { postgrest: Asker; gate: Asker };
  /** The rows of both databases after the inserts. */
  left: () => Promise<{ postgrest: unknown; gate: unknown }>;
  stop: () => Promise<void>;
}

const LEFT = `select json_build_object(
  'subscribers', (select json_agg(json_build_array(email, is_active, confirmed_at is null, deactivated_because) order by email, is_active)
    from email_subscribers),
  'counted', (select json_agg(json_build_array(encode(client, 'hex'), added) order by client) from mailer.subscription_counts)) as all`;

async function startSides(): Promise<Sides> {
  const server = await startPostgres();
  const urls = await Promise.all([
    server.createDatabase('asked_by_both'),
    server.createDatabase('asked_by_gate'),
  ]);
  const databases: Database[] = [];
  for (const url of urls) databases.push(await openPostgres({ url, migrationsFolder: MIGRATIONS }));
  const [shared, own] = databases as [Database, Database];
  const owners = databases.map(asOwnerOf);
  for (const { stopAt } of owners) await stopAt(0);
  await shared.transaction((transaction) => transaction.script(ODD_ROWS));
  // Clients are counted by a digest with this key, so that both can be compared.
  const [key] = await asOwnerOf(shared).run('select signing_key::text as key from mailer.settings');
  await asOwnerOf(own).run('update mailer.settings set signing_key = $1::text::uuid[]', [String(key?.key)]);
  const postgrest = await startPostgrest(urls[0] ?? '', { connections: AT_ONCE });
  const gates = [await serveGate(shared, LONG_WAIT), await serveGate(own, LONG_WAIT)];
  const tables = [...(await readTables(shared)).values()];
  const gateAskers = gates.map(({ url }) =>
    createAsker(`${url}/rest/v1`, { headers: { apikey: KEY }, connections: AT_ONCE }),
  );
  const [sharedGate, ownGate] = gateAskers as [Asker, Asker];
  const postgrestAsker = createAsker(postgrest.url, { connections: AT_ONCE });
  return {
    tables,
    samples: await readSamples(shared, tables),
    reads: { postgrest: postgrestAsker, gate: sharedGate },
    inserts: { postgrest: postgrestAsker, gate: ownGate },
    left: async () => {
      const [ofPostgrest, ofGate] = await Promise.all(owners.map(({ run }) => run(LEFT)));
      return { postgrest: ofPostgrest, gate: ofGate };
    },
    stop: async () => {
      for (const asker of [postgrestAsker, ...gateAskers]) asker.close();
      for (const gate of gates) await gate.close();
      await postgrest.stop();
      for (const database of databases) await database.close();
      await server.stop();
    },
  };
}

async function askBoth(sides: { postgrest: Asker; gate: Asker }, generated: Generated): Promise<Outcome> {
  const [fromPostgrest, fromGate] = await Promise.all([
    sides.postgrest.ask(generated.exchange),
    sides.gate.ask(generated.exchange),
  ]);
  return { ...generated, fromPostgrest, fromGate };
}

const hasRows = ({ body }: Compared) => body.length > 2 && /^[[{]/.test(body) && !body.startsWith('{"code":');

describe.skipIf(!hasPostgrest())('generated requests, beside real PostgREST on real Postgres', () => {
  const sides = shared(startSides);
  const outcomes: Outcome[] = [];
  it(`${READS} reads get exactly the response of PostgREST`, async () => {
    const dice = createDice(SEED);
    const requests = Array.from({ length: READS }, () => generateRead(dice, sides.tables, sides.samples));
    outcomes.push(...(await onEach(requests, (generated) => askBoth(sides.reads, generated), AT_ONCE)));
    const reads = outcomes.slice();
    expect(
      reads.map(({ fromGate }) => fromGate),
      reportOf(reads),
    ).toEqual(reads.map(({ fromPostgrest }) => fromPostgrest));
  });

  it(`${INSERTS} consecutive inserts leave the same rows as PostgREST`, async () => {
    const dice = createDice(SEED);
    const earlier = { addresses: [] };
    const inserts: Outcome[] = [];
    for (let at = 0; at < INSERTS; at += 1) {
      inserts.push(await askBoth(sides.inserts, generateInsert(dice, earlier)));
    }
    outcomes.push(...inserts);
    expect(
      inserts.map(({ fromGate }) => fromGate),
      reportOf(inserts),
    ).toEqual(inserts.map(({ fromPostgrest }) => fromPostgrest));
    const left = await sides.left();
    expect(left.gate).toEqual(left.postgrest);
  });

  it('the generated requests cover every table, operator, type and status', () => {
    const covered = countsOf(outcomes.flatMap(({ of }) => of));
    const tables = [...sides.tables.map(({ name }) => name), 'absent'];
    for (const each of [
      ...['GET', 'HEAD', 'POST', 'one object'],
      ...tables.map((name) => `table:${name}`),
      ...OPERATORS.map((operator) => `operator:${operator}`),
    ]) {
      expect(covered).toContain(`${each}: `);
    }
    const types = new Set(sides.tables.flatMap(({ columns }) => [...columns.values()]));
    for (const type of types) expect(covered).toContain(` on ${type}: `);
    const statuses = countsOf(outcomes.map(({ fromPostgrest }) => fromPostgrest.status));
    for (const status of [200, 201, 206, 400, 401, 404, 406, 409, 415, 416, 429])
      expect(statuses).toContain(`${status}: `);
    const codes = countsOf(
      outcomes.flatMap(({ fromPostgrest: { body } }) => /^{"code":"(\w+)"/.exec(body)?.[1] ?? []),
    );
    for (const code of [
      '22P02',
      '22007',
      '22008',
      '22003',
      '42703',
      '42804',
      '42501',
      '23505',
      '23514',
      'PGRST116',
    ]) {
      expect(codes).toContain(`${code}: `);
    }
    expect(outcomes.filter(({ fromPostgrest }) => hasRows(fromPostgrest)).length).toBeGreaterThan(
      outcomes.length / 3,
    );
  });
});
