import { expect, it } from 'vitest';
import { UsageError } from '../command.ts';
import { databaseUrl } from './database-setting.ts';

it('takes what can be connected to, and nothing where nothing is set', () => {
  const url = 'postgres://reader:s%40cret@db.example.org:6543/postgres?sslmode=require';
  expect(databaseUrl({ DATABASE_URL: url })).toBe(url);
  expect(databaseUrl({ DATABASE_URL: ' ' })).toBeNull();
});

it.each([
  ['postgres://reader:se#cret@db.example.org/postgres', /^DATABASE_URL cannot be read; in user and password/],
  ['postgres://reader:secret@one,two/postgres', /^DATABASE_URL names several hosts/],
  ['postgres://reader:secret@one/postgres?sslmode=prefer', /^DATABASE_URL has an sslmode that is none of/],
  ['mysql://reader:secret@one/postgres', /^DATABASE_URL is not an address; it must begin with postgres:/],
])('says of %s in a sentence what is wrong, and repeats nothing', (url, sentence) => {
  const read = () => databaseUrl({ DATABASE_URL: url });
  expect(read).toThrow(UsageError);
  expect(read).toThrow(sentence);
  expect(read).not.toThrow(/cret/);
});
