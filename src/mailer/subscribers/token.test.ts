import { describe, expect, it } from 'vitest';
import { databaseOfTheseTests } from '#tests/support/database-of-each-test.ts';
import {
  findReference,
  LONGEST_BOUNCE_NAME,
  makeReturnPath,
  makeToken,
  messageIdOf,
  readSigningKey,
  readToken,
  replaceSigningKey,
} from './token.ts';

const KEY = Buffer.alloc(32, 7);
const REFERENCE = '0f8fad5b-d9cb-469f-a165-70867728950e';
const token = makeToken(KEY, 'unsubscribe', REFERENCE);

const { database } = databaseOfTheseTests();

describe('a token', () => {
  it('has the reference of its subscriber, and is deterministic', () => {
    expect(token).toBe('D4-tW9nLRp-hZXCGdyiVDiAbmXv96ZrSChBXkKjsiWc'); // Verified with openssl dgst.
    expect(readToken(KEY, 'unsubscribe', token)).toBe(REFERENCE);
  });

  it('is valid only for its purpose and its key [T15]', () => {
    expect(readToken(KEY, 'confirm', token)).toBeNull();
    expect(readToken(Buffer.alloc(32, 8), 'unsubscribe', token)).toBeNull();
  });

  it('is invalid after a change of any character', () => {
    for (let place = 0; place < token.length; place += 1) {
      const other = token[place] === 'A' ? 'B' : 'A';
      const changed = token.slice(0, place) + other + token.slice(place + 1);
      expect(readToken(KEY, 'unsubscribe', changed), changed).toBeNull();
    }
  });

  it('has one valid spelling', () => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const spellings = [...alphabet].map((last) => token.slice(0, -1) + last);
    expect(spellings.filter((one) => readToken(KEY, 'unsubscribe', one) !== null)).toEqual([token]);
    for (const other of ['', token.slice(1), `${token}=`, `${token}A`, ` ${token}`, `${token}\n`]) {
      expect(readToken(KEY, 'unsubscribe', other), other).toBeNull();
    }
  });

  it('is invalid after the key was replaced', async () => {
    const earlier = makeToken(await readSigningKey(database), 'unsubscribe', REFERENCE);
    await replaceSigningKey(database);
    const key = await readSigningKey(database);
    expect(readToken(key, 'unsubscribe', earlier)).toBeNull();
    expect(readToken(key, 'unsubscribe', makeToken(key, 'unsubscribe', REFERENCE))).toBe(REFERENCE);
  });

  it('is only made from a UUID', () => {
    expect(() => makeToken(KEY, 'confirm', 'jane@example.org')).toThrow('must be a UUID');
  });
});

describe('a Message-ID', () => {
  const of = (issue: string, reference = REFERENCE, domain = 'example.org') =>
    messageIdOf(KEY, { issue, reference, domain });

  it('is deterministic and differs by week, purpose and subscriber', () => {
    expect(of('2026-11-16')).toMatch(/^<[0-9a-f]{32}@example\.org>$/);
    expect(of('2026-11-16')).toBe(of('2026-11-16'));
    const others = [of('2026-11-23'), of('confirm'), of('2026-11-16', REFERENCE.replace('0f', '1f'))];
    expect(new Set([of('2026-11-16'), ...others]).size).toBe(4);
  });

  it('has only characters that every server accepts', () => {
    expect(of('2026-11-16', REFERENCE, 'münchen.example')).toMatch(/@xn--mnchen-3ya\.example>$/);
    expect(of('2026-11-16', REFERENCE, 'two words')).toMatch(/@localhost>$/);
  });
});

describe('a return path', () => {
  const path = makeReturnPath(KEY, 'bounces@example.org', REFERENCE);

  it('makes an address that contains the reference of the subscriber', () => {
    expect(path).toMatch(/^bounces\+[0-9a-z]{38}@example\.org$/);
    expect(findReference(KEY, `To: <${path}>`)).toBe(REFERENCE);
    expect(findReference(KEY, path.toUpperCase())).toBe(REFERENCE);
  });

  it.each(['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff'])(
    'finds the reference %s',
    (reference) => {
      expect(findReference(KEY, makeReturnPath(KEY, 'bounces@example.org', reference))).toBe(reference);
    },
  );

  it('finds the token in an address that a forwarder has wrapped', () => {
    expect(findReference(KEY, `prvs=0423456789=${path}`)).toBe(REFERENCE);
    expect(findReference(KEY, `SRS0=HHH=TT=example.org=${path.replace('@', '=')}@forwarder.example`)).toBe(
      REFERENCE,
    );
  });

  it('has at most 64 characters before the "@", as SMTP requires', () => {
    const name = 'b'.repeat(LONGEST_BOUNCE_NAME);
    const longest = makeReturnPath(KEY, `${name}@example.org`, REFERENCE);
    expect(longest.indexOf('@')).toBe(64);
    expect(findReference(KEY, longest)).toBe(REFERENCE);
  });

  it('accepts no token of another key, subscriber or signature [T25]', () => {
    expect(findReference(Buffer.alloc(32, 8), path)).toBeNull();
    for (let place = path.indexOf('+') + 1; place < path.indexOf('@'); place += 1) {
      const other = path[place] === '0' ? '1' : '0';
      expect(findReference(KEY, path.slice(0, place) + other + path.slice(place + 1))).toBeNull();
    }
    expect(findReference(KEY, `+${'z'.repeat(38)}@example.org`)).toBeNull();
  });

  it('finds a valid token after a limited number of wrong tokens', () => {
    const wrong = `a+${'0'.repeat(38)}@example.org `;
    expect(findReference(KEY, wrong.repeat(5) + path)).toBe(REFERENCE);
    expect(findReference(KEY, wrong.repeat(500) + path)).toBeNull();
  });
});
