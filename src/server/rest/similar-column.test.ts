import { expect, it } from 'vitest';
import { similarColumns } from './similar-column.ts';

const COLUMNS = ['id', 'symbol', 'name', 'price', 'source', 'created_at'];

// The hints of Postgres 15 for these names.
it.each([
  ['Id', ['id']],
  ['id source', ['source']],
  ['sourc', ['source']],
  ['simbol', ['symbol']],
  ['absent', []],
  ['x', []],
  ['', []],
  ['created_at_the_end', []],
])('%s is like %s', (name, similar) => {
  expect(similarColumns(COLUMNS, name)).toEqual(similar);
});

it('names two that are as near, and of three none', () => {
  expect(similarColumns(['rsa', 'rsb', 'x'], 'rsi')).toEqual(['rsa', 'rsb']);
  expect(similarColumns(['rsa', 'rsb', 'rsc'], 'rsi')).toEqual([]);
});
