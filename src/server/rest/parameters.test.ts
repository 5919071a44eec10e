import { describe, expect, it } from 'vitest';
import { parseInsertColumns, parseParameters, parseRead } from './parameters.ts';
import { Refusal } from './refusal.ts';

const TABLE = {
  name: 'market_indices',
  columns: new Map([
    ['id', 'bigint'],
    ['symbol', 'text'],
    ['name', 'text'],
  ]),
  required: [],
};
const read = (query: string, range?: string) => parseRead(TABLE, query, range);
/** Parses a filter on the column `name`. The argument is the decoded text of the filter. */
const filterOf = (text: string) => read(`name=${encodeURIComponent(text)}`).filters?.[0];
const valuesOf = (text: string) => filterOf(text)?.[2];
const rangeOf = (query: string, header?: string) => {
  const { offset, limit } = read(query, header);
  return { offset, limit };
};

function refusalOf(query: string, header?: string): Refusal {
  try {
    read(query, header);
  } catch (error) {
    if (error instanceof Refusal) return error;
  }
  throw new Error(`${query} was not refused`);
}

describe('a query string', () => {
  it('has parameters in their order, decoded', () => {
    expect(parseParameters('n=eq.%C3%BC+%2B&&%6e==&d=')).toEqual([
      ['n', 'eq.ü +'],
      ['n', '='],
      ['d', ''],
    ]);
    expect(parseParameters('')).toEqual([]);
  });

  it.each([
    'a=%ff',
    'a=%c0%af',
    'a=%ed%a0%80',
    'a=%zz',
    '%00=1',
    'a=\u00e9',
    'a=1;b=2',
    'a',
    'a=1&'.repeat(41),
  ])('is refused if it is not encoded as name=value, or too long: %s', (query) => {
    expect(() => parseParameters(query)).toThrow(Refusal);
  });
});

describe('a filter', () => {
  it('has one of eight operators', () => {
    for (const operator of ['eq', 'neq', 'gt', 'gte', 'lt', 'lte']) {
      expect(filterOf(`${operator}.a.b`)).toEqual(['name', operator, 'a.b']);
    }
    expect(filterOf('in.(1,2)')).toEqual(['name', 'in', ['1', '2']]);
    for (const value of ['null', 'true', 'false', 'unknown']) {
      expect(filterOf(`is.${value}`)).toEqual(['name', 'is', value]);
    }
  });

  it('can be repeated for one column', () => {
    expect(read('id=gt.1&id=lt.5').filters).toEqual([
      ['id', 'gt', '1'],
      ['id', 'lt', '5'],
    ]);
  });

  it('keeps its value unchanged', () => {
    for (const value of ["' or 1=1 --", '"; drop table x', 'a.b.c', '😀 \u202e', '', '$1', '\\', 'a\nb']) {
      expect(valuesOf(`eq.${value}`)).toBe(value);
    }
  });

  it.each([
    ['in.("a,b","c)d","e\\"f\\\\",g)', ['a,b', 'c)d', 'e"f\\', 'g']],
    ['in.(" a", b,c "d")', [' a', ' b', 'c "d"']],
    ['in.()', []],
    ['in.("")', ['']],
    ['in.(,)', ['', '']],
  ])('keeps commas, brackets and escapes in the quoted values of a list: %s', (text, values) => {
    expect(valuesOf(text)).toEqual(values);
  });

  it.each([
    ...[
      'like.a*',
      'ilike.a',
      'match.a',
      'fts.a',
      'cs.{a}',
      'ov.(1)',
      'isdistinct.1',
      'eq(any).{1}',
      'not.eq.1',
    ],
    ...[
      '',
      '1',
      'eq',
      'EQ.1',
      'eqq.1',
      'is.',
      'is.NULL',
      'is.nul',
      'in',
      'in.1',
      'in.(1',
      'in. (1)',
      'in.(1)x',
    ],
    ...['in.("1)', 'in.("a"b)', `in.(${'1,'.repeat(100)}1)`, `in.("${'\\"'.repeat(5000)}`],
  ])('is refused with a hint if it is not such an operator: %s', (text) => {
    expect(() => filterOf(text)).toThrow(expect.objectContaining({ status: 400, code: 'PGRST100' }));
    expect(refusalOf(`name=${encodeURIComponent(text)}`).response.body).toMatch(
      /"hint":"Write (column=operator\.value|in\.\()/,
    );
  });

  it.each(['or=(id.eq.1,id.eq.2)', 'and=(id.eq.1)', 'not.or=(id.eq.1)', 'on_conflict=id', 'columns=id'])(
    'needs a column, so that %s is refused',
    (query) => {
      expect(refusalOf(query).code).toBe('PGRST100');
    },
  );
});

describe('a selection and an order', () => {
  it('name columns, plain or in quotes', () => {
    expect(read('select=symbol,+"id"').columns).toBe('symbol,id');
    for (const query of ['', 'select=*']) expect(read(query).columns).toBe('id,symbol,name');
    const order = 'id.desc.nullslast,symbol.asc,name.nullsfirst';
    expect(read(`order=${order}`).order).toEqual(order.split(','));
  });

  it.each(['select=absent', 'select=a-b', 'select=id,ID', 'order=absent', 'absent=eq.1'])(
    'are refused for an unknown column with the error of Postgres: %s',
    (query) => {
      expect(refusalOf(query)).toMatchObject({ status: 400, code: '42703' });
    },
  );

  it.each([
    ...[
      'select=',
      'select=id,',
      'select=id,id',
      'select=*,id',
      'select=s:id',
      'select=id::text',
      'select=id.sum()',
    ],
    ...[
      'select=sectors(id)',
      'select=id->a',
      'select="',
      'select=id&select=id',
      'order=',
      'order=id,',
      'order=id,id',
    ],
    ...[
      'order=*',
      'order=id.',
      'order=id.up',
      'order=id.DESC',
      'order=id.asc.desc',
      'order=id.nullsfirst.desc',
    ],
  ])('are refused with more than names: %s', (query) => {
    expect(refusalOf(query)).toMatchObject({ status: 400, code: 'PGRST100' });
  });
});

describe('a range', () => {
  it('is the first thousand rows by default, and never more', () => {
    for (const query of ['', 'limit=1000', 'limit=5000', 'limit=999999999999999']) {
      expect(rangeOf(query)).toEqual({ offset: 0, limit: 1000 });
    }
    expect(rangeOf('', '5-123456')).toEqual({ offset: 5, limit: 1000 });
  });

  it('is taken from limit and offset, or from a Range header', () => {
    expect(rangeOf('limit=3&offset=5')).toEqual({ offset: 5, limit: 3 });
    expect(rangeOf('limit=0')).toEqual({ offset: 0, limit: 0 });
    expect(rangeOf('', '10-19')).toEqual({ offset: 10, limit: 10 });
    expect(rangeOf('', '10-')).toEqual({ offset: 10, limit: 1000 });
  });

  it('ignores a Range header of another unit, as HTTP requires', () => {
    expect(rangeOf('limit=3', 'bytes=0-1')).toEqual({ offset: 0, limit: 3 });
  });

  it.each<[string, string | undefined]>([
    ['limit=-1', undefined],
    ['limit=', undefined],
    ['limit=1.5', undefined],
    ['limit=abc', undefined],
    ['limit=(5)', undefined],
    ['limit=0x5', undefined],
    ['limit=+5', undefined],
    ['offset=-1', undefined],
    ['offset=9999999999999999', undefined],
    ['', '5-2'],
    ['', '-1'],
    ['', 'abc'],
    ['', '0-0,2-2'],
    ['', '0-0\n1-1'],
    ['limit=1', '0-0'],
  ])('is refused if it is written in another way: %s %s', (query, header) => {
    expect(refusalOf(query, header)).toMatchObject({ status: 416, code: 'PGRST103' });
  });
});

describe('the columns of an insert', () => {
  it('are those that the table client sends, or null', () => {
    expect(parseInsertColumns('columns=%22email%22%2C%22is_active%22')).toEqual(['email', 'is_active']);
    expect(parseInsertColumns('')).toBeNull();
  });

  it.each(['columns=', 'columns=a&columns=b', 'columns=a,a', 'select=email', 'id=eq.1', 'on_conflict=id'])(
    'are the only allowed parameter, given once: %s is refused',
    (query) => {
      expect(() => parseInsertColumns(query)).toThrow(expect.objectContaining({ code: 'PGRST100' }));
    },
  );
});

it('lets no hostile text become the name of a column', () => {
  const hostile = [
    'id"; drop table market_indices; --',
    "id' or '1'='1",
    'pg_sleep(10)',
    'ctid',
    'ıd',
    '\u0000',
  ];
  for (const text of [...hostile, 'symbol)from pg_authid--', '*,(select 1)']) {
    const encoded = encodeURIComponent(text);
    for (const part of [`select=${encoded}`, `select="${encoded}"`, `order=${encoded}`, `${encoded}=eq.1`])
      expect(() => read(part), part).toThrow(Refusal);
  }
});

it('quotes only the start of a long text in a refusal', () => {
  for (const query of [
    `select=${'('.repeat(9_000)}`,
    `id=${'x'.repeat(9_000)}`,
    `select=${'x'.repeat(9_000)}`,
  ]) {
    expect(refusalOf(query).message.length).toBeLessThan(200);
  }
});
