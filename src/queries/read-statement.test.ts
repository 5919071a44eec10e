import { describe, expect, it } from 'vitest';
import { type AnyRead, readStatement, sendInto } from './read-statement.ts';

const READ = { table: 'market_indices', columns: 'id,symbol', limit: 3 };
const sqlOf = (read: Partial<AnyRead>) => readStatement({ ...READ, ...read });

describe('readStatement', () => {
  it('sends every value as a parameter', () => {
    const filters = [['created_at', 'gte', '2026-11-13'] as const, ['symbol', 'eq', "' or 1=1 --"] as const];
    expect(sqlOf({ filters, order: ['created_at.desc', 'id.asc'], offset: 6 })).toEqual({
      sql:
        `select coalesce(json_agg(_row), '[]')::text as body, count(*) as rows, null::bigint as total ` +
        `from (select "id", "symbol" from public."market_indices" where "created_at" >= $1 and "symbol" = $2 ` +
        `order by "created_at" desc, "id" asc limit 3 offset 6) as _row`,
      parameters: ['2026-11-13', "' or 1=1 --"],
    });
  });

  it.each<[Partial<AnyRead>, sql: string, parameters?: (string | string[])[]]>([
    [{ filters: [['id', 'neq', '1']] }, 'where "id" <> $1 limit', ['1']],
    [{ filters: [['id', 'lte', '1']] }, 'where "id" <= $1 limit', ['1']],
    [{ filters: [['symbol', 'is', 'null']] }, 'where "symbol" is null limit'],
    [{ filters: [['symbol', 'in', ['a"b\\', 'c,d', '']]] }, '= any ($1) limit', [['a"b\\', 'c,d', '']]],
    [{ filters: [['symbol', 'in', []]] }, '= any ($1) limit', [[]]],
    [{ columns: 'a"b' }, 'select "a""b" from'],
    [
      { order: ['id', 'a.nullsfirst', 'b.desc.nullslast'] },
      'by "id", "a" nulls first, "b" desc nulls last l',
    ],
    [{ isCounted: true }, '(select count(*) from public."market_indices") as total'],
    [
      { isCounted: true, filters: [['id', 'gt', '1']] },
      '(select count(*) from public."market_indices" where "id" > $1) as total',
      ['1'],
    ],
  ])('of %j has %s', (read, sql, parameters = []) => {
    expect(sqlOf(read)).toEqual({ sql: expect.stringContaining(sql), parameters });
  });
});

it('sends a read into a transaction and returns its rows and their total', async () => {
  const query = async () => [{ body: '[{"id":1}]', rows: 1, total: 7 }];
  expect(await sendInto({ query })(READ)).toEqual({ data: [{ id: 1 }], error: null, status: 200, count: 7 });
});
