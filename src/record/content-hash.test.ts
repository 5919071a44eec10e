import { describe, expect, it } from 'vitest';
import { contentHash } from './content-hash.ts';

describe('the hash of a record’s content', () => {
  it('equals the published SHA-256 of "abc" (FIPS 180-4)', () => {
    expect(contentHash('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad');
  });
});
