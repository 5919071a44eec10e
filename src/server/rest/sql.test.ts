import { describe, expect, it } from 'vitest';
import { insertStatement, readStatement } from './sql.ts';
import type { Table } from './tables.ts';
import { type Understood, understand } from './understand.ts';

const TABLE: Table = {
  name: 'market_indices',
  columns: new Map([
    ['id', 'bigint'],
    ['symbol', 'text'],
    ['price', 'double precision'],
    ['created_at', 'timestamp with time zone'],
  ]),
};
const SUBSCRIBERS: Table = {
  name: 'email_subscribers',
  columns: new Map([
    ['email', 'text'],
    ['is_active', 'boolean'],
  ]),
  defaults: new Map([['is_active', 'true']]),
};
const KEY = 'sb_publishable_test';
const TABLES = new Map([TABLE, SUBSCRIBERS].map((table) => [table.name, table]));

/** What is thrown here for what the gate refuses. */
class Refused extends Error {}

function statusOf(asked: Understood): number {
  return asked.kind === 'answer' ? asked.response.status : 200;
}

const request = (query: string, headers: Record<string, string>) => ({
  method: 'GET',
  path: '/market_indices',
  query,
  headers: { apikey: KEY, ...headers },
  body: new Uint8Array(),
  client: null,
});
function read(query: string, headers: Record<string, string> = {}) {
  const asked = understand({ tables: TABLES, publicKey: KEY }, request(query, headers));
  if (asked.kind !== 'read') throw new Refused(`${statusOf(asked)}`);
  return readStatement(asked.read.query);
}
function insert(body: string, query = '', headers: Record<string, string> = {}) {
  const path = '/email_subscribers';
  const posted = { ...request(query, headers), path, method: 'POST', body: Buffer.from(body) };
  const asked = understand({ tables: TABLES, publicKey: KEY }, posted);
  if (asked.kind !== 'insert') throw new Refused(`${statusOf(asked)}`);
  return insertStatement(asked.insert.query);
}

describe('readStatement', () => {
  it('names known columns only and sends every value as a parameter', () => {
    expect(
      read('select=symbol,price&created_at=gte.2026-11-13&order=created_at.desc&limit=3&offset=6'),
    ).toEqual({
      sql:
        `select coalesce(json_agg(_row), '[]')::text as body, count(*) as rows, null::bigint as total ` +
        `from (select "symbol", "price" from public."market_indices" ` +
        `where ("created_at" >= $1::timestamp with time zone) ` +
        `order by "created_at" desc limit 3 offset $2::bigint) as _row`,
      parameters: ['2026-11-13', '6'],
    });
  });

  it('counts without the range when asked', () => {
    const { sql } = read('select=id&id=gt.1', { prefer: 'count=exact' });
    expect(sql).toContain(
      '(select count(*) from public."market_indices" where ("id" > $1::bigint)) as total',
    );
  });

  it('never asks for more than a thousand rows', () => {
    for (const query of ['', 'limit=5000', 'limit=99999999999999999999']) {
      expect(read(query).sql).toContain(' limit 1000 ');
    }
    expect(read('', { range: '0-123456' }).sql).toContain(' limit 1000 ');
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
      for (const part of parts) expect(() => read(part), part).toThrow(Refused);
      for (const part of [`symbol=eq.${encoded}`, `symbol=in.("${encoded.replaceAll('%22', '')}")`]) {
        if (text.includes('\u0000')) expect(() => read(part)).toThrow(Refused);
        else expect(read(part).sql, part).not.toContain(text);
      }
      if (text.includes('\u0000')) continue;
      expect(read(`limit=${encoded}`).sql).toContain(' limit 1000 ');
      expect(read(`offset=${encoded}`).parameters).toEqual(['0']);
    }
  });

  it('refuses what is outside the dialect', () => {
    for (const query of [
      'select=s:symbol',
      'select=symbol::text',
      'select=price.sum()',
      'select=sector_strength(id)',
      'or=(id.eq.1,id.eq.2)',
      'and=(id.eq.1)',
      'not.or=(id.eq.1)',
      'other.id=eq.1',
      'symbol=like.S*',
      Array.from({ length: 60 }, () => 'id=gt.1').join('&'),
      `select=${'id,'.repeat(200)}id`,
      `select=${'*,'.repeat(50)}*`,
    ]) {
      expect(() => read(query), query).toThrow(Refused);
    }
  });
});

describe('insertStatement', () => {
  it('has Postgres read the body, which is its one parameter', () => {
    const body = '{"email":"a@b.co","is_active":1.0}';
    const { sql, parameters } = insert(body);
    expect(parameters).toEqual([body]);
    expect(sql).toContain('insert into public."email_subscribers" ("email", "is_active")');
    expect(sql).toContain('as _row("email" text, "is_active" boolean) returning 1');
    expect(sql).toContain('from json_to_recordset(');
  });

  it('takes the default of what is missing only when asked to', () => {
    const body = '[{"email":"a@b.co"},{"email":null,"is_active":true}]';
    const columns = 'columns="email","is_active"';
    const { sql } = insert(body, columns, { prefer: 'missing=default' });
    expect(sql).toContain("jsonb_build_object('is_active', true) || item");
    expect(insert(body, columns).sql).not.toContain('jsonb');
  });

  it('counts rows that have no column at all', () => {
    expect(insert('[{},{}]')).toMatchObject({
      sql: expect.stringContaining('generate_series(1, 2)'),
      parameters: [],
    });
    expect(insert('3').sql).toContain('generate_series(1, 0)');
  });

  it('refuses unknown columns, unlike rows and prototype names', () => {
    for (const body of [
      '{"x":1}',
      '[{"email":"a"},{"is_active":true}]',
      '{"__proto__":1}',
      '{"constructor":1}',
      '\ufeff{"email":"a"}',
      '{"email":"\\ud800"}',
      '{"email":"\\ud800","email":"a"}',
      '[[]]',
    ]) {
      expect(() => insert(body), body).toThrow(Refused);
    }
  });
});
