import { expect, it } from 'vitest';
import { databaseOfEachTest } from '#tests/support/database-of-each-test.ts';
import { bearerToken, isSameKey, loadPublicKey, rotatePublicKey } from './public-key.ts';

const { database } = databaseOfEachTest();
const bytesOf = (value: number) => () => new Uint8Array(24).fill(value);

it('loadPublicKey creates one key for a database, which all its servers use', async () => {
  const keys = [];
  for (const value of [1, 2, 3]) keys.push(await loadPublicKey(database, bytesOf(value)));
  expect(new Set(keys)).toEqual(new Set([`sb_publishable_${'AQEB'.repeat(8)}`]));
  await expect(loadPublicKey(database, () => new Uint8Array(1))).rejects.toThrow('public_key');
});

it('a new public key replaces the old one', async () => {
  const first = await rotatePublicKey(database, bytesOf(1));
  const second = await rotatePublicKey(database, bytesOf(2));
  expect(second).not.toBe(first);
  expect(await loadPublicKey(database, bytesOf(3))).toBe(second);
});

it('isSameKey compares keys of any length', () => {
  expect(isSameKey('abc', 'abc')).toBe(true);
  expect(isSameKey('abc', 'abd')).toBe(false);
  expect(isSameKey('', 'abc')).toBe(false);
});

it('bearerToken parses the token of the header', () => {
  expect(bearerToken('Bearer abc')).toBe('abc');
  expect(bearerToken('bearer  abc')).toBe('abc');
  for (const header of [undefined, '', 'Basic abc', 'Bearer', 'Bearer a b']) {
    expect(bearerToken(header)).toBeUndefined();
  }
});
