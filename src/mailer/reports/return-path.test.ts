import { expect, it } from 'vitest';
import { findDelivery, LONGEST_BOUNCE_NAME, makeReturnPath } from './return-path.ts';

const KEY = Buffer.alloc(32, 7);
const path = makeReturnPath(KEY, 'bounces@example.org', 4711);

it('makes an address that contains the id of the delivery', () => {
  expect(path).toMatch(/^bounces\+3mv-[0-9a-f]{24}@example\.org$/);
  expect(findDelivery(KEY, `To: <${path}>`)).toBe(4711);
  expect(findDelivery(KEY, path.toUpperCase())).toBe(4711);
});

it('finds the token in an address that a forwarder has wrapped', () => {
  expect(findDelivery(KEY, `prvs=0423456789=${path}`)).toBe(4711);
  expect(findDelivery(KEY, `SRS0=HHH=TT=example.org=${path.replace('@', '=')}@forwarder.example`)).toBe(4711);
});

it('has at most 64 characters before the "@", as SMTP requires', () => {
  const name = 'b'.repeat(LONGEST_BOUNCE_NAME);
  const longest = makeReturnPath(KEY, `${name}@example.org`, Number.MAX_SAFE_INTEGER);
  expect(longest.indexOf('@')).toBeLessThanOrEqual(64);
  expect(findDelivery(KEY, longest)).toBe(Number.MAX_SAFE_INTEGER);
});

it('accepts no token of another key, delivery or signature [T25]', () => {
  expect(findDelivery(Buffer.alloc(32, 8), path)).toBeNull();
  expect(findDelivery(KEY, path.replace('+3mv-', '+3mw-'))).toBeNull();
  for (let place = path.indexOf('-') + 1; place < path.indexOf('@'); place += 1) {
    const other = path[place] === '0' ? '1' : '0';
    expect(findDelivery(KEY, path.slice(0, place) + other + path.slice(place + 1))).toBeNull();
  }
  expect(findDelivery(KEY, `+${'z'.repeat(13)}-${'0'.repeat(24)}@example.org`)).toBeNull();
});

it('finds a valid token after a limited number of wrong tokens', () => {
  const wrong = `a+1-${'0'.repeat(24)}@example.org `;
  expect(findDelivery(KEY, wrong.repeat(5) + path)).toBe(4711);
  expect(findDelivery(KEY, wrong.repeat(500) + path)).toBeNull();
});
