import { expect, it } from 'vitest';
import { findReference, LONGEST_BOUNCE_NAME, makeReturnPath } from '../subscribers/token.ts';

const KEY = Buffer.alloc(32, 7);
const REFERENCE = '0b5ad1e4-90c1-4f0e-8d39-6f1f5d1c2e7a';
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
