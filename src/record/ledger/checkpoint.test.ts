import { describe, expect, it } from 'vitest';
import {
  checkpointOrigin,
  createLedgerKey,
  openCheckpoint,
  parseVerifierKey,
  signCheckpoint,
} from './checkpoint.ts';
import { leafHash, treeHash } from './merkle-tree.ts';

const KEY = createLedgerKey(Buffer.alloc(32, 7));
const VERIFIER = parseVerifierKey(KEY.verifierKey);
if (VERIFIER === null) throw new Error('The key has no text form.');
const ROOT = treeHash([leafHash(Buffer.from('first'))]);
const BASE64 = Buffer.from(ROOT).toString('base64');
const OTHER = createLedgerKey(Buffer.alloc(32, 8));
const SIGNED = signCheckpoint({ size: 1, root: ROOT }, KEY);

describe('a checkpoint', () => {
  it('has the lines of the specification', () => {
    const [origin, size, root, empty, signature, end] = SIGNED.split('\n');
    expect([origin, size, root, empty, end]).toEqual([KEY.origin, '1', BASE64, '', '']);
    expect(signature).toMatch(/^— barometer-ledger\/[0-9a-f]{32} [\w+/]{91}=$/);
  });

  it('is the same text for the same ledger', () => {
    expect(signCheckpoint({ size: 1, root: ROOT }, createLedgerKey(Buffer.alloc(32, 7)))).toBe(SIGNED);
  });

  it.each([
    ['alone', SIGNED],
    ['in a mail', `Hello\r\n\r\n${SIGNED.replaceAll('\n', '\r\n')}\r\nUnsubscribe`],
    ['with another signature first', SIGNED.replace('— ', '— witness.example AAAAAAAA\n— ')],
  ])('is read %s', (_, text) => {
    expect(openCheckpoint(text, VERIFIER)).toEqual({ origin: KEY.origin, size: 1, root: ROOT });
  });

  it.each([
    ['another size', SIGNED.replace('\n1\n', '\n2\n')],
    ['another root', SIGNED.replace(BASE64, Buffer.alloc(32).toString('base64'))],
    ['another key', signCheckpoint({ size: 1, root: ROOT }, OTHER)],
    ['no signature', SIGNED.slice(0, SIGNED.indexOf('— '))],
    ['no checkpoint', 'Hello'],
  ])('is refused with %s', (_, text) => {
    expect(openCheckpoint(text, VERIFIER)).toBeNull();
  });

  it('names its origin even if another key signed the checkpoint', () => {
    expect(checkpointOrigin(signCheckpoint({ size: 1, root: ROOT }, OTHER))).toBe(OTHER.origin);
    expect(checkpointOrigin('Hello')).toBeNull();
  });

  it.each(['', 'name+00000000+AQ==', KEY.verifierKey.replace(/\+[0-9a-f]{8}\+/, '+00000000+')])(
    'refuses "%s" as a public key',
    (text) => {
      expect(parseVerifierKey(text)).toBeNull();
    },
  );
});

it('accepts the public key of the published example of a signed note', () => {
  const key = parseVerifierKey('PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW');
  expect(key?.origin).toBe('PeterNeumann');
});
