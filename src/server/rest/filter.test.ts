import { describe, expect, it } from 'vitest';
import { readOperation } from './filter.ts';
import { Refusal } from './refusal.ts';

function refusalOf(text: string): Refusal {
  try {
    readOperation(text);
  } catch (error) {
    if (error instanceof Refusal) return error;
  }
  throw new Error(`${text} was not refused`);
}

describe('readOperation', () => {
  it('reads the seven operators, negated or not', () => {
    expect(readOperation('eq.1')).toEqual({ negated: false, operator: 'eq', value: '1' });
    expect(readOperation('gte.2026-11-13T00:00:00.000Z')).toEqual({
      negated: false,
      operator: 'gte',
      value: '2026-11-13T00:00:00.000Z',
    });
    expect(readOperation('not.lt.5')).toEqual({ negated: true, operator: 'lt', value: '5' });
    expect(readOperation('is.NULL')).toEqual({ negated: false, operator: 'is', value: 'null' });
    expect(readOperation('not.in.(1,2)')).toEqual({ negated: true, operator: 'in', values: ['1', '2'] });
  });

  it('keeps a value as it stands, whatever is in it', () => {
    for (const value of ["' or 1=1 --", '"; drop table x', 'a.b.c', '😀 \u202e', '', '$1', '\\']) {
      expect(readOperation(`eq.${value}`)).toMatchObject({ value });
    }
  });

  it('reads quoted values of a list with commas, brackets and escapes in them', () => {
    expect(readOperation('in.("a,b","c)d","e\\"f\\\\",g)')).toMatchObject({
      values: ['a,b', 'c)d', 'e"f\\', 'g'],
    });
    expect(readOperation('in.(" a", b)')).toMatchObject({ values: [' a', ' b'] });
  });

  it('takes an empty list and one empty value as no values', () => {
    expect(readOperation('in.()')).toMatchObject({ values: [] });
    expect(readOperation('in.("")')).toMatchObject({ values: [] });
    expect(readOperation('in.(,)')).toMatchObject({ values: ['', ''] });
  });

  it('refuses operators outside the dialect with the place in the text', () => {
    for (const text of [
      'like.a*',
      'ilike.a',
      'match.a',
      'fts.a',
      'cs.{a}',
      'ov.(1)',
      'isdistinct.1',
      'eq(any).{1}',
      '',
    ]) {
      expect(refusalOf(text)).toMatchObject({ status: 400, code: 'PGRST100' });
    }
    expect(refusalOf('eqq.1')).toMatchObject({
      message: '"failed to parse filter (eqq.1)" (line 1, column 3)',
      details: 'unexpected "q" expecting operator (eq, gt, ...)',
    });
  });

  it('refuses a list longer than any honest one, and does so at once', () => {
    expect(refusalOf(`in.(${'1,'.repeat(5000)}1)`).details).toBe('A list may have at most 100 items.');
    expect(refusalOf(`in.("${'\\"'.repeat(5000)}`)).toMatchObject({ code: 'PGRST100' });
  });
});
