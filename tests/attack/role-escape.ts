import { describe, expect, it } from 'vitest';
import { EXPOSED_TABLES } from '#server/rest/exposed-tables.ts';
import { onEach } from '../support/on-each.ts';
import { askTables, READABLE, rowsOf, type Target } from './target.ts';

/** Values that would have an effect as a part of a statement. */
const INJECTED = [
  "'; set role postgres; --",
  "x'; reset role; select * from email_subscribers; --",
  "') or 1=1 --",
  '" or true --',
  '$1',
  '$$; set local role service_role; $$',
  "\\'; commit; --",
  "' union select email from email_subscribers --",
  '(select email from email_subscribers limit 1)',
  'current_user',
  'x::text; set session authorization default',
  "'||(select signing_key from mailer.settings)||'",
] as const;
const OPERATORS = ['eq', 'neq', 'gt', 'gte', 'lt', 'lte', 'in', 'is', 'not.eq'] as const;

const enc = encodeURIComponent;

/** Functions with side effects, tested beside all functions of the product. */
const DANGEROUS = [
  'set_config',
  'current_setting',
  'pg_read_file',
  'pg_read_binary_file',
  'pg_ls_dir',
  'pg_stat_file',
  'pg_sleep',
  'pg_terminate_backend',
  'pg_reload_conf',
  'lo_import',
  'lo_export',
  'query_to_xml',
  'database_to_xml',
  'table_to_xml',
  'dblink',
  'version',
  'pg_notify',
  'nextval',
  'txid_current',
] as const;

/** Checks that no request can change its database role. */
export function roleEscape(target: () => Target): void {
  describe('role escape', () => {
    it('no value of a filter, an order or a list becomes part of a statement [T3]', async () => {
      const asked = INJECTED.flatMap((value) => [
        ...OPERATORS.map(
          (operator) =>
            `/market_indices?symbol=${operator}.${enc(operator === 'in' ? `("${value.replaceAll(/[\\"]/g, '\\$&')}")` : value)}`,
        ),
        `/market_indices?select=${enc(value)}`,
        `/market_indices?select=${enc(`"${value.replaceAll('"', '')}"`)}`,
        `/market_indices?order=${enc(value)}`,
        `/market_indices?${enc(value)}=eq.1`,
        `/market_indices?limit=${enc(value)}`,
        `/market_indices?offset=${enc(`0;${value}`)}`,
        `/${enc(value)}`,
      ]);
      const statuses = await onEach(asked, async (path) => (await askTables(target(), path)).status);
      expect(statuses.filter((status) => ![200, 206, 400, 404, 416].includes(status))).toEqual([]);
      // The attack has not changed the database role of the next request.
      expect((await askTables(target(), '/email_subscribers?select=email')).status).toBe(401);
      expect(rowsOf(await askTables(target(), '/market_metrics?limit=1'))).toHaveLength(1);
    });

    it('no value of an insert becomes part of a statement', async () => {
      const bodies = INJECTED.flatMap((value) => [
        { email: value, is_active: true },
        { email: 'role@example.org', is_active: value },
        { email: 'role@example.org', is_active: true, [value]: 'x' },
        { 'email") values (current_user); --': value },
      ]);
      const statuses = await onEach(bodies, async (body) => {
        const headers = [['Content-Type', 'application/json']] as const;
        const asked = { method: 'POST', headers, body: JSON.stringify(body) };
        return (await askTables(target(), '/email_subscribers', asked)).status;
      });
      expect(statuses.filter((status) => status < 400 || status >= 500)).toEqual([]);
    });

    it('only the public tables, views and sequences are accessible', async () => {
      const { relations } = target().inventory;
      expect(relations.length).toBeGreaterThan(100);
      const paths = relations.flatMap(([schema, name]) => [
        // A table of another schema may have the name of a public view.
        ...(READABLE.some((readable) => readable === name) ? [] : [`/${name}`]),
        `/${schema}.${name}`,
        ...(schema === 'pg_catalog' || schema === 'information_schema'
          ? []
          : [
              `/${enc(`"${schema}"."${name}"`)}`,
              `/${name.toUpperCase()}`,
              `/${schema}%2F${name}`,
              `/${schema}%2e${name}?select=*`,
            ]),
      ]);
      const given = await onEach(
        paths,
        async (path) => [path, (await askTables(target(), path)).status] as const,
      );
      expect(given.filter(([, status]) => status !== 404 && status !== 401)).toEqual([]);
      // The page's own code names these paths, so their existence is no secret.
      const refused = given.filter(([, status]) => status === 401).map(([path]) => path);
      expect(refused.filter((path) => !path.endsWith('_id_seq'))).toEqual(['/email_subscribers']);
      if (target().isOurs) expect(refused).toEqual(['/email_subscribers']);
    });

    it('no profile header selects a schema other than public', async () => {
      const names = [...target().inventory.schemas, 'public, mailer', 'PUBLIC', '"public"', '', '*'];
      const asked = names
        .filter((name) => name !== 'public')
        .flatMap((name) => [
          { path: '/market_metrics', headers: [['Accept-Profile', name]] as const },
          {
            path: '/email_subscribers',
            method: 'POST',
            body: '{"email":"profile@example.org"}',
            headers: [['Content-Profile', name]] as const,
          },
        ]);
      const statuses = await onEach(
        asked,
        async ({ path, ...more }) => (await askTables(target(), path, more)).status,
      );
      expect(statuses.filter((status) => status !== 406)).toEqual([]);
    });

    it('no function of any schema can be called', async () => {
      const names = [...target().inventory.functions, ...DANGEROUS];
      expect(names).toContain('client_network');
      const asked = names.flatMap((name) => [
        { path: `/rpc/${name}` },
        { path: `/rpc/${name}`, method: 'POST', body: '{}' },
        { path: `/rpc/mailer.${name}`, method: 'POST', body: '{}' },
        { path: `/rpc/${name}?setting_name=role&new_value=postgres&is_local=false` },
        { path: `/market_metrics?select=${name}()` },
        { path: `/market_metrics?select=x:${name}(id)` },
        { path: `/market_metrics?${name}(id)=eq.1` },
      ]);
      const statuses = await onEach(
        asked,
        async ({ path, ...more }) => (await askTables(target(), path, more)).status,
      );
      expect(statuses.filter((status) => status < 400 || status >= 500)).toEqual([]);
    });

    it('no header changes the role of a request [T2]', async () => {
      const headers = [
        ...[
          'Role',
          'X-Role',
          'X-Hasura-Role',
          'X-Supabase-Role',
          'X-Postgrest-Role',
          'X-User',
          'X-Forwarded-User',
          'Remote-User',
          'X-Remote-User',
          'request.jwt.claims',
          'request.jwt.claim.role',
        ].flatMap((name) =>
          ['postgres', 'service_role', '{"role":"service_role"}'].map((value) => [name, value] as const),
        ),
        ['Cookie', 'sb-access-token=service_role; role=postgres'] as const,
        ['Prefer', 'role=service_role'] as const,
        ['Prefer', 'tx=rollback, params=single-object, return=representation'] as const,
        ['X-Client-Info', "x'; set role postgres; --"] as const,
        ['X-Forwarded-For', "'; set role postgres; --"] as const,
        ['X-Forwarded-For', '127.0.0.1'] as const,
        ['X-Http-Method-Override', 'DELETE'] as const,
      ];
      const statuses = await onEach(headers, async (header) => [
        header.join(': '),
        (await askTables(target(), '/email_subscribers', { headers: [header] })).status,
      ]);
      expect(statuses.filter(([, status]) => status !== 401)).toEqual([]);
    });

    it('no write succeeds that the policies forbid', async () => {
      const headers = [['Content-Type', 'application/json']] as const;
      const prefers = [
        'return=representation',
        'resolution=merge-duplicates',
        'resolution=ignore-duplicates',
        'return=headers-only',
      ];
      const rows = ['{}', '[{}]', '{"source":"simulated"}', '{"id":1}', '{"created_at":"2030-01-01"}'];
      const writes = EXPOSED_TABLES.flatMap((table) => [
        ...['PATCH', 'DELETE', 'PUT'].flatMap((method) =>
          ['', '?id=eq.1', '?id=gt.0', '?created_at=gt.2000-01-01'].map((query) => ({
            method,
            path: `/${table}${query}`,
            headers,
            body: '{"created_at":"2030-01-01"}',
          })),
        ),
        ...rows.map((body) => ({ method: 'POST', path: `/${table}`, headers, body })),
        ...prefers.map((prefer) => ({
          method: 'POST',
          path: `/${table}`,
          headers: [...headers, ['Prefer', prefer] as const],
          body: '{"id":1,"source":"simulated"}',
        })),
      ]);
      const subscribing = [
        { email: 'chosen@example.org', is_active: true, id: 1 },
        { email: 'chosen@example.org', is_active: true, created_at: '2000-01-01' },
        { email: 'chosen@example.org', is_active: true, reference: '00000000-0000-0000-0000-000000000000' },
        { email: 'chosen@example.org', is_active: true, confirmed_at: '2000-01-01' },
        { email: 'chosen@example.org', is_active: true, deactivated_because: 'left' },
        { email: 'chosen@example.org', is_active: false },
        { email: 'chosen@example.org', is_active: null },
        { email: null, is_active: true },
      ].map((row) => ({ method: 'POST', path: '/email_subscribers', headers, body: JSON.stringify(row) }));
      const reading = prefers
        .map((prefer) => ({
          method: 'POST',
          path: '/email_subscribers?on_conflict=email&select=*',
          headers: [...headers, ['Prefer', prefer] as const],
          body: '{"email":"chosen@example.org","is_active":true}',
        }))
        .filter(({ headers: given }) => !given.some(([, value]) => value === 'return=headers-only'));
      const given = await onEach([...writes, ...subscribing, ...reading], async ({ path, ...more }) => ({
        path,
        more,
        status: (await askTables(target(), path, more)).status,
      }));
      expect(given.filter(({ status }) => status < 400 || status >= 500)).toEqual([]);
    });

    it('no request reads subscribers or their number [T1]', async () => {
      const asked = [
        '?select=email',
        '?select=*',
        '?select=id',
        '?select=count',
        '?select=count()',
        '?email=eq.canary.of.the.attack@example.org',
        '?is_active=is.true',
        '?limit=0',
        '?order=email',
        '?email=like.c*',
      ].flatMap((query) =>
        ['GET', 'HEAD'].flatMap((method) =>
          ['count=exact', 'count=planned', 'count=estimated'].map((prefer) => ({
            path: `/email_subscribers${query}`,
            method,
            headers: [
              ['Prefer', prefer],
              ['Range', '0-0'],
            ] as const,
          })),
        ),
      );
      const given = await onEach(asked, async ({ path, ...more }) => {
        const { status, headers } = await askTables(target(), path, more);
        return { status, range: headers.find(([name]) => name === 'content-range')?.[1] };
      });
      expect(given.filter(({ status }) => status < 400 || status >= 500)).toEqual([]);
      expect(given.filter(({ range }) => range !== undefined && !range.endsWith('/*'))).toEqual([]);
    });
  });
}
