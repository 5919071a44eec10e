import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { embeddedForTest } from '#tests/support/embedded.ts';
import { agreePublicKey, bearerToken, isSameKey, loadPublicKey } from './public-key.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'barometer-key-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const bytesOf = (value: number) => (count: number) => new Uint8Array(count).fill(value);

describe('loadPublicKey', () => {
  it('creates the key once for a data folder', async () => {
    const key = await loadPublicKey(join(folder, 'new'), bytesOf(1));
    expect(key).toBe(`sb_publishable_${'AQEB'.repeat(8)}`);
    expect(await loadPublicKey(join(folder, 'new'), bytesOf(2))).toBe(key);
    expect(readdirSync(join(folder, 'new'))).toEqual(['public-key']);
    expect(readFileSync(join(folder, 'new', 'public-key'), 'utf8')).toBe(`${key}\n`);
  });

  it('throws a sentence if the folder cannot be created', async () => {
    await expect(loadPublicKey('/proc/nope/deeper', bytesOf(1))).rejects.toThrow(
      'The data folder /proc/nope/deeper cannot be created (ENOENT). Set BAROMETER_DATA_DIR to another folder.',
    );
  });

  it('replaces a damaged key', async () => {
    writeFileSync(join(folder, 'public-key'), 'sb_publ');
    expect(await loadPublicKey(folder, bytesOf(3))).toMatch(/^sb_publishable_/);
  });
});

describe('agreePublicKey', () => {
  it('returns the first key of a database to all its servers', async () => {
    const { database, remove } = await embeddedForTest();
    try {
      const keys = ['a', 'b', 'c'].map((letter) => `sb_publishable_${letter.repeat(32)}`);
      const agreed = [];
      for (const key of keys) agreed.push(await agreePublicKey(database, key));
      expect(agreed).toEqual([keys[0], keys[0], keys[0]]);
      await expect(agreePublicKey(database, 'no key')).rejects.toThrow('public_key');
    } finally {
      await remove();
    }
  });
});

describe('isSameKey', () => {
  it('compares keys of any length', () => {
    expect(isSameKey('abc', 'abc')).toBe(true);
    expect(isSameKey('abc', 'abd')).toBe(false);
    expect(isSameKey('', 'abc')).toBe(false);
  });
});

describe('bearerToken', () => {
  it('parses the token of the header', () => {
    expect(bearerToken('Bearer abc')).toBe('abc');
    expect(bearerToken('bearer  abc')).toBe('abc');
    for (const header of [undefined, '', 'Basic abc', 'Bearer', 'Bearer a b']) {
      expect(bearerToken(header)).toBeUndefined();
    }
  });
});
