import { describe, expect, it } from 'vitest';
import { parseInsert } from './insert.ts';
import { parseRead } from './read.ts';
import { Refusal } from './refusal.ts';
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
};
const SUBSCRIBERS: Table = {
  name: 'email_subscribers',
  columns: new Map([
    ['email', 'text'],
    ['is_active', 'boolean'],
  ]),
};

const request = (query: string, headers: Record<string, string> = {}) => ({
  method: 'GET',
  path: '/market_indices',
  query,
  headers,
  body: new Uint8Array(),
  client: null,
});
const read = (query: string, headers?: Record<string, string>) =>
  readStatement(parseRead(TABLE, request(query, headers)).query);
const insert = (body: string, query = '', headers: Record<string, string> = {}) =>
  insertStatement(
    parseInsert(SUBSCRIBERS, { ...request(query, headers), method: 'POST', body: Buffer.from(body) }).query,
  );

describe('readStatement', () => {
  it('names known columns only and sends every value as a parameter', () => {
    expect(
      read('select=symbol,price&created_at=gte.2026-11-13&order=created_at.desc&limit=3&offset=6'),
    ).toEqual({
      sql:
        `select coalesce(json_agg(_row), '[]')::text as body, count(*) as rows, null::bigint as total ` +
        `from (select "symbol", "price" from public."market_indices" ` +
        `where ("created_at" >= $1::text::timestamp with time zone) ` +
        `order by "created_at" desc limit 3 offset $2::text::bigint) as _row`,
      parameters: ['2026-11-13', '6'],
    });
  });

  it('counts without the range when asked', () => {
    const { sql } = read('select=id&id=gt.1', { prefer: 'count=exact' });
    expect(sql).toContain(
      '(select count(*) from public."market_indices" where ("id" > $1::text::bigint)) as total',
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
      for (const part of parts) expect(() => read(part), part).toThrow(Refusal);
      for (const part of [`symbol=eq.${encoded}`, `symbol=in.("${encoded.replaceAll('%22', '')}")`]) {
        expect(read(part).sql, part).not.toContain(text);
      }
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
      expect(() => read(query), query).toThrow(Refusal);
    }
  });
});

describe('insertStatement', () => {
  it('sends every value as a parameter of its column type', () => {
    expect(insert('{"email":"a@b.co","is_active":true}')).toEqual({
      sql: 'insert into public."email_subscribers" ("email", "is_active") values ($1::text::text, $2::text::boolean)',
      parameters: ['a@b.co', 'true'],
    });
  });

  it('takes the default of what is missing only when asked to', () => {
    const body = '[{"email":"a@b.co"},{"email":null,"is_active":true}]';
    const columns = 'columns="email","is_active"';
    expect(insert(body, columns, { prefer: 'missing=default' }).sql).toContain(
      '($1::text::text, default), (',
    );
    expect(insert(body, columns).parameters).toEqual(['a@b.co', null, null, 'true']);
  });

  it('refuses unknown columns, unlike rows and prototype names', () => {
    for (const body of [
      '{"x":1}',
      '[{"email":"a"},{"is_active":true}]',
      '{"__proto__":1}',
      '{"constructor":1}',
      '3',
    ]) {
      expect(() => insert(body), body).toThrow(Refusal);
    }
  });
});
