import { describe, expect, it } from 'vitest';
import { parseRequest } from './parse-request.ts';
import { insertStatement, readStatement } from './sql.ts';
import type { Table } from './tables.ts';

const TABLE: Table = {
  name: 'market_indices',
  columns: new Map([
    ['id', 'bigint'],
    ['symbol', 'text'],
    ['price', 'double precision'],
    ['created_at', 'timestamp with time zone'],
  ]),
  required: ['id'],
};
const SUBSCRIBERS: Table = {
  name: 'email_subscribers',
  columns: new Map([
    ['email', 'text'],
    ['is_active', 'boolean'],
  ]),
  required: [],
};
const KEY = 'sb_publishable_test';
const TABLES = new Map([TABLE, SUBSCRIBERS].map((table) => [table.name, table]));

/** The error for a request that the gate refuses. */
class Refused extends Error {}

const request = (query: string, headers: Record<string, string>) => ({
  method: 'GET',
  path: '/market_indices',
  query,
  headers: { apikey: KEY, ...headers },
  body: new Uint8Array(),
  client: '203.0.113.9',
});
function read(query: string, headers: Record<string, string> = {}) {
  const parsed = parseRequest({ tables: TABLES, publicKey: KEY }, request(query, headers));
  if (parsed.kind !== 'read') throw new Refused();
  return readStatement(parsed.query);
}
function insert(body: string, query = '') {
  const path = '/email_subscribers';
  const posted = { ...request(query, {}), path, method: 'POST', body: Buffer.from(body) };
  const parsed = parseRequest({ tables: TABLES, publicKey: KEY }, posted);
  if (parsed.kind !== 'insert') throw new Refused();
  return insertStatement(parsed.query);
}

describe('readStatement', () => {
  it('names known columns only and sends every value as a parameter', () => {
    expect(
      read('select=symbol,price&created_at=gte.2026-11-13&order=created_at.desc&limit=3&offset=6'),
    ).toEqual({
      sql:
        `select coalesce(json_agg(_row), '[]')::text as body, count(*) as rows, null::bigint as total ` +
        `from (select "symbol", "price" from public."market_indices" ` +
        `where "created_at" >= $1::timestamp with time zone ` +
        `order by "created_at" desc limit 3 offset $2::bigint) as _row`,
      parameters: ['2026-11-13', '6'],
    });
    expect(read('symbol=in.("a\\"b",c)&price=is.null')).toMatchObject({
      sql: expect.stringContaining('where "symbol" = any ($1::text[]) and "price" is null'),
      parameters: ['{"a\\"b","c"}'],
    });
  });

  it('counts without the range if requested', () => {
    const { sql } = read('select=id&id=gt.1', { prefer: 'count=exact' });
    expect(sql).toContain('(select count(*) from public."market_indices" where "id" > $1::bigint) as total');
  });

  it('lets no hostile text into the statement', () => {
    const hostile = [
      'id"; drop table market_indices; --',
      "id' or '1'='1",
      'id::text',
      'id->>a',
      'pg_sleep(10)',
      'ctid',
      'symbol)from pg_authid--',
      '*,(select 1)',
      'ıd',
      '\u0000',
    ];
    for (const text of hostile) {
      const encoded = encodeURIComponent(text);
      const parts = [`select=${encoded}`, `order=${encoded}`, `${encoded}=eq.1`, `select="${encoded}"`];
      parts.push(`limit=${encoded}`, `offset=${encoded}`);
      for (const part of parts) expect(() => read(part), part).toThrow(Refused);
      for (const part of [`symbol=eq.${encoded}`, `symbol=in.("${encoded.replaceAll('%22', '')}")`]) {
        if (text.includes('\u0000')) expect(() => read(part)).toThrow(Refused);
        else expect(read(part).sql, part).not.toContain(text);
      }
    }
  });
});

describe('insertStatement', () => {
  it('sends the body as its only parameter, for Postgres to parse', () => {
    const body = '{"email":"a@b.co","is_active":1.0}';
    const { sql, parameters } = insert(body);
    expect(parameters).toEqual([`[${body}]`]);
    expect(sql).toBe(
      'insert into public."email_subscribers" ("email", "is_active") select "email", "is_active" ' +
        'from json_to_recordset($1::json) as _row("email" text, "is_active" boolean)',
    );
    expect(insert(`[${body}]`).parameters).toEqual([`[${body}]`]);
  });

  it('has the columns of the query, even if a row lacks one', () => {
    const { sql } = insert('[{"email":"a@b.co"},{"is_active":true}]', 'columns="email"');
    expect(sql).toContain('("email") select "email" from');
  });

  it.each([
    ...['{"x":1}', '[{"email":"a"},{"is_active":true}]', '{"__proto__":1}', '{"constructor":1}', '[[]]', '3'],
    ...[
      '{}',
      '[]',
      '[{}]',
      'null',
      '',
      '\ufeff{"email":"a"}',
      `[${'{"email":""},'.repeat(100)}{"email":""}]`,
    ],
  ])('is not built for unknown columns, rows with different columns or no rows: %s', (body) => {
    expect(() => insert(body)).toThrow(Refused);
  });
});
