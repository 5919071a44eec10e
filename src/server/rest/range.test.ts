import { describe, expect, it } from 'vitest';
import { readRange } from './range.ts';

const range = (limit?: string, offset?: string, header?: string) => readRange({ limit, offset, header });

describe('readRange', () => {
  it('is the first thousand rows when nothing is asked', () => {
    expect(range()).toEqual({ offset: '0', limit: 1000 });
  });

  it('takes the rows that the parameters and the header have in common', () => {
    expect(range('3', '5')).toEqual({ offset: '5', limit: 3 });
    expect(range(undefined, undefined, '10-19')).toEqual({ offset: '10', limit: 10 });
    expect(range(undefined, '2', '1-2')).toEqual({ offset: '2', limit: 1 });
    expect(range('0', undefined, '1-2')).toEqual({ offset: '0', limit: 0 });
  });

  it('passes over what is no whole number, as PostgREST does', () => {
    expect(range('abc', undefined, 'bytes=0-1')).toEqual({ offset: '0', limit: 1000 });
    expect(range('1e3')).toEqual({ offset: '0', limit: 1000 });
    expect(range(undefined, '-4')).toEqual({ offset: '0', limit: 1000 });
  });

  it('refuses a number in a form that only PostgREST reads', () => {
    for (const odd of [' 5', '(5)', '((5', '- 5', '(-(5))', '0x1F', '0o17 ']) {
      expect(() => range(odd), odd).toThrow('Requested range not satisfiable');
    }
    for (const none of ['(', '-(', '5(', '(-', '--5', '( - - 5)', '0x', 'x5']) {
      expect(range(none), none).toEqual({ offset: '0', limit: 1000 });
    }
  });

  it('refuses ranges that are negative, backwards or share nothing', () => {
    expect(() => range('-1')).toThrow('Requested range not satisfiable');
    expect(() => range(undefined, undefined, '5-2')).toThrow('Requested range not satisfiable');
    expect(() => range('1', undefined, '1-2')).toThrow('Requested range not satisfiable');
  });

  it('takes a limit that is no number as none of the rows when there is an offset, as PostgREST does', () => {
    expect(range('abc', '0')).toEqual({ offset: '0', limit: 0 });
    expect(() => range('abc', '5')).toThrow('Requested range not satisfiable');
    expect(() => range('0', '5')).toThrow('Requested range not satisfiable');
  });

  it('keeps numbers past any of ours exact', () => {
    expect(range('1', '99999999999999999999').offset).toBe('99999999999999999999');
  });
});
