import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FEAR_GREED_SESSIONS_VIEW, RECORD_VIEWS, VERDICT_CHANGES_VIEW } from '#schema/tables.ts';
import { databaseOfTheseTests } from '#tests/support/database-of-each-test.ts';
import { ROOT } from '../../scripts/set-up.mjs';
import { findFaults, promisedLines, readTestSources } from './tagged-tests.ts';

const model = readFileSync(join(ROOT, 'docs', 'maintainers', 'threat-model.md'), 'utf8');

/** The rights of the public role to a table, as the document writes them. */
interface Right {
  readonly table: string;
  readonly reads: string;
  readonly inserts: string;
  readonly changes: string;
}

const RIGHT = /^\| `(\w+\.[^|]+)` \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$/gm;
const told: Right[] = [...model.matchAll(RIGHT)].flatMap(
  ([, tables = '', reads = '', inserts = '', changes = '']) =>
    tables.split('`, `').map((table) => ({ table, reads, inserts, changes })),
);

const SYSTEM = "('pg_catalog', 'information_schema', 'pg_toast')";
/** The role of visitors, and PUBLIC, whose rights every role has. */
const VISITOR = "('anon', 'PUBLIC')";

const { run: ask } = databaseOfTheseTests();

/** The columns of each grant by table, and the number of columns of each table. */
async function grantedColumns() {
  const columns = await ask<{ table: string; column: string; privilege: string | null }>(`
    select c.table_schema || '.' || c.table_name as table, c.column_name::text as column, p.privilege_type::text as privilege
    from information_schema.columns c
    left join information_schema.column_privileges p
      on (p.table_schema, p.table_name, p.column_name) = (c.table_schema, c.table_name, c.column_name)
      and p.grantee in ${VISITOR}
    where c.table_schema not in ${SYSTEM}
    order by c.table_schema, c.table_name, c.ordinal_position`);
  const byTable = new Map<string, typeof columns>();
  for (const column of columns) byTable.set(column.table, [...(byTable.get(column.table) ?? []), column]);
  return byTable;
}

function inWords(
  columns: readonly { column: string; privilege: string | null }[],
  privilege: string,
): string {
  const all = new Set(columns.map(({ column }) => column));
  const granted = new Set(columns.filter((each) => each.privilege === privilege).map(({ column }) => column));
  if (granted.size === 0) return 'nothing';
  return granted.size === all.size
    ? 'every column'
    : [...granted].map((column) => `\`${column}\``).join(', ');
}

/** The rights in a real database, as the document has to list them. */
async function granted(): Promise<Right[]> {
  const changing = await ask<{ table: string }>(`
    select distinct table_schema || '.' || table_name as table from information_schema.table_privileges
    where grantee in ${VISITOR} and table_schema not in ${SYSTEM} and privilege_type not in ('SELECT', 'INSERT')
    union select distinct table_schema || '.' || table_name from information_schema.column_privileges
    where grantee in ${VISITOR} and table_schema not in ${SYSTEM} and privilege_type not in ('SELECT', 'INSERT')`);
  return [...(await grantedColumns())].map(([table, columns]) => ({
    table,
    reads: inWords(columns, 'SELECT'),
    inserts: inWords(columns, 'INSERT'),
    changes: changing.some((each) => each.table === table) ? 'something' : 'nothing',
  }));
}

const byTable = (one: Right, other: Right) => (one.table < other.table ? -1 : 1);
const NOTHING = { reads: 'nothing', inserts: 'nothing', changes: 'nothing' };

describe('the rights of the public key', () => {
  it('equal the document, table by table', async () => {
    const real = (await granted()).sort(byTable);
    const isPublic = ({ table }: Right) => table.startsWith('public.');
    expect(real.filter(isPublic)).toEqual(told.filter(isPublic).sort(byTable));
    const closed = told.filter((right) => !isPublic(right));
    const schemas = [
      ...new Set(real.filter((right) => !isPublic(right)).map(({ table }) => table.split('.')[0])),
    ];
    expect(closed.map(({ table }) => table).sort()).toEqual(schemas.map((schema) => `${schema}.*`).sort());
    for (const { table, ...rights } of [...closed, ...real.filter((right) => !isPublic(right))]) {
      expect(rights, table).toEqual(NOTHING);
    }
  });

  it('include no function, no sequence and no other schema', async () => {
    expect(
      await ask(`
        select oid::regprocedure::text as what from pg_proc
        where pronamespace::regnamespace::text not in ${SYSTEM} and has_function_privilege('anon', oid, 'execute')
        union all select oid::regclass::text from pg_class
        where relkind = 'S' and relnamespace::regnamespace::text not in ${SYSTEM}
          and (has_sequence_privilege('anon', oid, 'usage') or has_sequence_privilege('anon', oid, 'select')
            or has_sequence_privilege('anon', oid, 'update'))
        union all select nspname::text from pg_namespace
        where nspname not in ('public', 'pg_catalog', 'information_schema') and has_schema_privilege('anon', oid, 'usage')
        union all select 'making tables' where has_schema_privilege('anon', 'public', 'create')`),
    ).toEqual([]);
  });

  it('are limited by row level security on every table', async () => {
    const open = await ask(`
      select oid::regclass::text as table from pg_class
      where relkind in ('r', 'p', 'm') and relnamespace = 'public'::regnamespace and not relrowsecurity`);
    expect(open).toEqual([]);
    const views = await ask(`
      select relname::text as name from pg_class
      where relkind = 'v' and relnamespace = 'public'::regnamespace order by 1`);
    expect(views.map(({ name }) => name)).toEqual(
      [...RECORD_VIEWS, VERDICT_CHANGES_VIEW, FEAR_GREED_SESSIONS_VIEW, 'publications'].sort(),
    );
  });

  it('include no membership in another role', async () => {
    const roles = await ask(`
      select rolname::text as role from pg_roles where rolname <> 'anon' and pg_has_role('anon', oid, 'member')
      union all select 'itself, with more' from pg_roles
      where rolname = 'anon' and (rolsuper or rolcreaterole or rolcreatedb or rolbypassrls or rolreplication or rolcanlogin)`);
    expect(roles).toEqual([]);
  });
});

it('every threat has the tests that its line promises', () => {
  const threats = promisedLines(model);
  expect(threats.map(({ id }) => id)).toEqual(threats.map((_, index) => `T${index + 1}`));
  expect(threats.length).toBeGreaterThan(20);
  expect(findFaults(threats, readTestSources().tags, /^T\d/)).toEqual([]);
});
